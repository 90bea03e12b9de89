#include "platform/configuration/assumption.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

namespace {

std::string counted_noun(const std::string& noun, std::size_t count)
{
    if (count == 1) return "1 " + noun;
    if (noun == "switch") return fmt::format("{} switches", count);
    if (noun == "memory") return fmt::format("{} memories", count);
    return fmt::format("{} {}s", count, noun);
}

bool in_use(const std::vector<bool>& used, std::size_t index, bool otherwise)
{
    return used.empty() ? otherwise : index < used.size() && used[index];
}

}  // namespace

std::string Assumption::what() const { return topic + " of " + noun + " " + name; }

std::string Assumption::text() const
{
    return fmt::format("{} `{}`: {}, taken as {} because {}; set with {}", counted_noun(noun, count), name, missing,
        taken, because, set_with);
}

Diagnostic Assumption::refusal() const
{
    return {file, line,
        fmt::format("{} `{}`: {} (taken as {} because {}), which --strict refuses", counted_noun(noun, count), name,
            missing, taken, because),
        set_with};
}

std::vector<Assumption> assumptions_among(const std::vector<Assumption>& all, const UsedParts& used)
{
    std::vector<Assumption> out;
    for (const Assumption& assumption : all) {
        const auto node_counts = [&](NodeId node) {
            if (assumption.combining) return in_use(used.combining, node, false);
            return assumption.transit ? in_use(used.transit, node, false) : in_use(used.nodes, node, true);
        };
        std::size_t count =
            static_cast<std::size_t>(std::count_if(assumption.nodes.begin(), assumption.nodes.end(), node_counts));
        count += static_cast<std::size_t>(std::count_if(assumption.edges.begin(), assumption.edges.end(),
            [&](EdgeId edge) { return in_use(used.edges, edge, true); }));
        const bool whole = assumption.nodes.empty() && assumption.edges.empty();
        if (count == 0 && !whole) continue;
        out.push_back(assumption);
        out.back().count = whole ? 1 : count;
        out.back().nodes.clear();
        out.back().edges.clear();
    }
    return out;
}

void refuse_assumptions(const std::vector<Assumption>& assumptions)
{
    std::vector<Diagnostic> problems;
    for (const Assumption& assumption : assumptions) problems.push_back(assumption.refusal());
    if (!problems.empty()) throw InputError(std::move(problems));
}

std::vector<std::string> assumption_lines(const std::vector<Assumption>& assumptions)
{
    std::vector<std::string> out;
    for (const Assumption& assumption : assumptions) out.push_back(assumption.text());
    return out;
}

}  // namespace weft
