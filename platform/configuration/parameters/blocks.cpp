#include "platform/configuration/parameters/blocks.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/engine/engine_spec.h"
#include "gpu/interface/dma_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/interface/network_spec.h"
#include "infragraph/findings.h"
#include "platform/configuration/parameters/routing_spec.h"
#include "sc_models/l1_spec.h"
#include "sc_models/l2/l2_spec.h"
#include "sc_models/memory/hbm_spec.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

// Every block of Weft, in the order in which reports list them.
template <class... Specs>
std::vector<std::shared_ptr<const BlockInfo>> declarations()
{
    return {std::make_shared<const BlockInfo>(block_info<Specs>())...};
}

std::vector<std::shared_ptr<const BlockInfo>> blocks_of_weft()
{
    return declarations<GpuSpec, NetworkSpec, L1Spec, L2Spec, MemorySideSpec, HbmSpec, CopySpec, BulkSpec, SwitchSpec,
        LinkSpec, EngineSpec, RoutingSpec>();
}

// Parameters of a link that count whatever its model is, because the ports at its ends, routes and traffic read them. Ports send by its
// credits and channels, which are sized from latency and bandwidth where nobody sets them, and keep together what shares a packet. Routes
// and load 1 follow the bandwidth.
const std::set<std::string>& around_links()
{
    static const std::set<std::string> names{"model", "bandwidth", "latency", "request_credits", "response_credits",
        "pool_credits", "vcs", "vc_sets", "merge", "max_payload", "group_payload"};
    return names;
}

const char* example_of(Unit unit)
{
    switch (unit) {
    case Unit::bytes: return "a size such as 64 KiB";
    case Unit::time: return "a time such as 70 ns";
    case Unit::rate: return "a rate such as 25 GB/s or 400 Gbps";
    case Unit::frequency: return "a frequency such as 1980 MHz";
    case Unit::flops: return "a rate such as 989 TFLOP/s";
    case Unit::ratio: return "a number such as 1e-12";
    case Unit::real: return "a number such as 0.5";
    case Unit::count: return "a whole number";
    case Unit::choice:
    case Unit::flag: break;
    }
    return "";
}

}  // namespace

const std::shared_ptr<const BlockTable>& BlockTable::built_in()
{
    static const std::shared_ptr<const BlockTable> table = [] {
        auto out = std::make_shared<BlockTable>();
        for (const std::shared_ptr<const BlockInfo>& info : blocks_of_weft()) out->add(info);
        return out;
    }();
    return table;
}

std::shared_ptr<const BlockTable> BlockTable::with(const std::vector<std::shared_ptr<const BlockInfo>>& more,
    Reads reads) const
{
    auto out = std::make_shared<BlockTable>(*this);
    for (const std::shared_ptr<const BlockInfo>& info : more) {
        const std::vector<std::string> problems = declaration_problems(*info);
        if (!problems.empty()) throw InputError("", 0, problems.front(), "a declaration without contradictions");
        if (out->find(info->name()) || info->name() == "links")
            throw InputError("", 0, "the name '" + info->name() + "' of a block of parameters is taken",
                "another name");
        out->add(info);
    }
    std::vector<std::string> paths;
    for (const Block block : all_)
        for (std::size_t i = 0; i < (*this)[block].parameters.size(); ++i) paths.push_back((*this)[block].path_of(i));
    for (const auto& [model, names] : reads)
        for (const std::string& path : names)
            if (std::find(paths.begin(), paths.end(), path) == paths.end())
                throw InputError("", 0,
                    "model '" + model + "' declares that it reads '" + path + "', which is no parameter",
                    expected_name("a parameter of Weft", path, paths));
    out->reads_ = std::move(reads);
    return out;
}

bool BlockTable::counts(Block block, std::size_t parameter, const std::string& model) const
{
    return reads(block, parameter, model) ||
        (block == block_of<LinkSpec>() && around_links().count((*this)[block].parameters[parameter]->name) > 0);
}

bool BlockTable::reads(Block block, std::size_t parameter, const std::string& model) const
{
    const BlockInfo& info = (*this)[block];
    const auto declared = reads_.find(model);
    if (declared == reads_.end()) return counts_for(*info.parameters[parameter], model);
    return declared->second.count(info.path_of(parameter)) > 0;
}

void BlockTable::add(std::shared_ptr<const BlockInfo> info)
{
    all_.push_back(static_cast<Block>(infos_.size()));
    infos_.push_back(std::move(info));
}

std::vector<Block> BlockTable::of(BlockOwner owner) const
{
    std::vector<Block> out;
    for (const Block block : all_)
        if ((*this)[block].title.owner == owner) out.push_back(block);
    return out;
}

std::optional<Block> BlockTable::find(std::string_view name) const
{
    for (const Block block : all_)
        if ((*this)[block].name() == name) return block;
    return std::nullopt;
}

std::vector<std::string> BlockTable::names() const
{
    std::vector<std::string> names;
    for (const Block block : all_) names.push_back((*this)[block].name());
    return names;
}

Block BlockTable::of_type(std::type_index type) const
{
    for (const Block block : all_)
        if ((*this)[block].type == type) return block;
    throw std::logic_error(std::string("no block of parameters has the type ") + type.name());
}

std::string blocks_of_nodes(const BlockTable& table)
{
    std::string endpoints;
    std::string forwarders;
    std::string models;
    for (const Block block : table.all()) {
        const BlockInfo& info = table[block];
        if (!on_nodes(info)) continue;
        if (!info.models.empty()) {
            models += "; " + info.name() + " on model " + joined_names(info.models);
            continue;
        }
        endpoints += (endpoints.empty() ? "" : ", ") + info.name();
        if (info.title.owner == BlockOwner::forwarder) forwarders += (forwarders.empty() ? "" : ", ") + info.name();
    }
    return endpoints + " on an xpu; " + forwarders + " on nodes that forward" + models;
}

std::optional<std::uint64_t> checked_value(const BlockInfo& block, std::size_t parameter, std::string_view text,
    ValueProblem& problem)
{
    const ParameterInfo& info = *block.parameters[parameter];
    const std::optional<std::uint64_t> value = parse_value(info, text);
    const std::string name = block.path_of(parameter);
    if (!value) {
        problem.what = in_quotes(text) + " is not a value of " + name;
        problem.expected = describe_range(info);
        const std::string example = example_of(info.unit);
        if (!example.empty()) problem.expected = example + ", " + problem.expected;
        return std::nullopt;
    }
    if (*value < info.low || *value > info.high) {
        problem.what = name + " = " + refused_text(info, *value) + " is out of range";
        problem.expected = describe_range(info);
        return std::nullopt;
    }
    return value;
}

std::string value_text(const ParameterInfo& info, std::uint64_t value)
{
    const std::string text = format_value(info, value);
    constexpr std::uint64_t gigabyte = 1'000'000'000;
    if (info.unit == Unit::bytes && value > 0 && value % gigabyte == 0) return std::to_string(value / gigabyte) + " GB";
    const bool rounded = (info.unit == Unit::bytes || info.unit == Unit::time) && parse_value(info, text) != value;
    if (!rounded) return text;
    return std::to_string(value) + " " + name_of(info.unit);
}

std::string refused_text(const ParameterInfo& info, std::uint64_t value)
{
    std::string text = value_text(info, value);
    if (text != value_text(info, info.low) && text != value_text(info, info.high)) return text;
    switch (info.unit) {
    case Unit::rate: return fmt::format("{:.15g} GB/s", static_cast<double>(value) / 1e9);
    case Unit::frequency: return fmt::format("{:.15g} MHz", static_cast<double>(value) / 1e6);
    case Unit::ratio: return fmt::format("{:.15g}", static_cast<double>(value) / 1e18);
    case Unit::real: return fmt::format("{:.17g}", parameter_detail::from_base<double>(value));
    default: return text;
    }
}

std::string joined_names(const std::vector<std::string>& names, const char* last)
{
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? last : ", ") + names[i];
    return out;
}

}  // namespace weft
