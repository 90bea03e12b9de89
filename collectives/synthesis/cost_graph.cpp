#include "collectives/synthesis/cost_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

std::uint64_t step_ps(const CostGraph& graph, std::uint32_t from, std::uint32_t to)
{
    const CostPath& path = graph.path(from, to);
    return graph.ranks[from].load_ps + 2 * path.put_ps + path.answer_ps + graph.ranks[to].notice_ps;
}

double occupancy_ps(const CostGraph& graph, const CostPath& path, double bytes)
{
    double longest = 0;
    for (const PathStage& stage : path.stages)
        for (const LinkShare& part : stage.links)
            longest = std::max(longest, bytes * part.share * graph.links[part.link].ps_per_byte);
    return longest;
}

CostGraph reversed(const CostGraph& graph)
{
    CostGraph out = graph;
    for (std::uint32_t from = 0; from < graph.size(); ++from)
        for (std::uint32_t to = 0; to < graph.size(); ++to) out.path(from, to) = graph.path(to, from);
    return out;
}

void require_connected(const CostGraph& graph)
{
    const std::uint32_t n = graph.size();
    for (const bool back : {false, true}) {
        std::vector<bool> seen(n);
        std::vector<std::uint32_t> reached{0};
        if (n > 0) seen[0] = true;
        for (std::size_t i = 0; i < reached.size() && n > 0; ++i)
            for (std::uint32_t to = 0; to < n; ++to) {
                const CostPath& path = back ? graph.path(to, reached[i]) : graph.path(reached[i], to);
                if (seen[to] || !path.neighbours) continue;
                seen[to] = true;
                reached.push_back(to);
            }
        const auto lost = static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
        if (lost >= n) continue;
        const std::uint32_t from = back ? lost : 0;
        const std::uint32_t to = back ? 0 : lost;
        throw InputError("", 0,
            fmt::format("no way from rank {} ({}) to rank {} ({})", from, graph.ranks[from].name, to,
                graph.ranks[to].name),
            "ranks that reach each other");
    }
}

CostGraph plain_graph(std::uint32_t n)
{
    CostGraph graph;
    graph.ranks.resize(n);
    graph.paths.resize(std::size_t{n} * n);
    for (std::uint32_t rank = 0; rank < n; ++rank) graph.ranks[rank].name = fmt::format("rank{}", rank);
    return graph;
}

std::uint32_t add_switch(CostGraph& graph, const std::string& name, double adder_ps_per_byte, double context_ps_per_byte,
    std::uint32_t groups)
{
    const auto limit = [&](const char* what, double ps_per_byte) {
        CostLink link;
        link.name = what + (" of " + name);
        link.ps_per_byte = link.group_ps_per_byte = ps_per_byte;
        graph.links.push_back(std::move(link));
        return static_cast<std::uint32_t>(graph.links.size() - 1);
    };
    const std::uint32_t adder = limit("adder", adder_ps_per_byte);
    graph.switches.push_back({adder, limit("contexts", context_ps_per_byte), groups});
    return static_cast<std::uint32_t>(graph.switches.size() - 1);
}

void add_wire(CostGraph& graph, std::uint32_t a, std::uint32_t b, double ps_per_byte, std::uint64_t latency_ps)
{
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const auto link = static_cast<std::uint32_t>(graph.links.size());
        graph.links.push_back({graph.ranks[from].name + " -> " + graph.ranks[to].name, ps_per_byte, 0, -1});
        graph.path(from, to) = {{{0, {{link, 1}}}}, latency_ps, latency_ps, true};
    }
}

}  // namespace weft
