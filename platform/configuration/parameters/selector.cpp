#include "platform/configuration/parameters/selector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "infragraph/findings.h"
#include "platform/configuration/parameters/glob.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

bool set_parameter(Selector& selector, std::string_view name, std::string_view path, const BlockTable& blocks,
    ValueProblem& problem)
{
    const BlockInfo& info = blocks[selector.block];
    if (const auto parameter = info.find(name)) {
        selector.parameter = *parameter;
        return true;
    }
    problem.what = "unknown parameter " + in_quotes(path);
    problem.expected = expected_name("a parameter of " + info.name(), name, info.parameter_names());
    return false;
}

}  // namespace

std::optional<Selector> parse_selector(std::string_view path, ValueProblem& problem, const BlockTable& blocks,
    bool link_names)
{
    Selector selector;
    const std::size_t last = path.rfind('.');
    if (last == std::string_view::npos || last == 0 || last + 1 == path.size()) {
        problem.what = in_quotes(path) + " is not a parameter path";
        problem.expected = "BLOCK.PARAMETER, NODE.BLOCK.PARAMETER or links.NAME.PARAMETER";
        return std::nullopt;
    }
    const std::string_view parameter = path.substr(last + 1);
    constexpr std::string_view by_link = "links.";
    if (link_names && path.substr(0, by_link.size()) == by_link && last > by_link.size()) {
        selector.scope = Selector::Scope::link_name;
        selector.block = block_of<LinkSpec>();
        selector.target = path.substr(by_link.size(), last - by_link.size());
        if (!set_parameter(selector, parameter, path, blocks, problem)) return std::nullopt;
        return selector;
    }
    const std::size_t middle = path.rfind('.', last - 1);
    const bool whole = middle == std::string_view::npos;
    const std::string_view block_name = whole ? path.substr(0, last) : path.substr(middle + 1, last - middle - 1);
    if (has_glob(block_name) || has_glob(parameter)) {
        selector.scope = Selector::Scope::paths;
        selector.target = path;
        return selector;
    }
    const auto block = blocks.find(block_name);
    if (!block) {
        problem.what = "unknown block " + in_quotes(block_name) + " in " + in_quotes(path);
        problem.expected =
            expected_name(fmt::format("a block: {}", fmt::join(blocks.names(), ", ")), block_name, blocks.names());
        return std::nullopt;
    }
    selector.block = *block;
    if (!set_parameter(selector, parameter, path, blocks, problem)) return std::nullopt;
    if (whole) return selector;
    selector.target = path.substr(0, middle);
    selector.scope = has_glob(selector.target) ? Selector::Scope::targets : Selector::Scope::exact;
    return selector;
}

bool names_protocol(std::string_view path)
{
    constexpr std::string_view end = ".protocol";
    if (path.size() <= end.size() || path.substr(path.size() - end.size()) != end) return false;
    const std::string_view rest = path.substr(0, path.size() - end.size());
    constexpr std::string_view of_edge = ".link";
    return rest == "link" || rest.substr(0, 6) == "links." ||
        (rest.size() > of_edge.size() && rest.substr(rest.size() - of_edge.size()) == of_edge);
}

}  // namespace weft
