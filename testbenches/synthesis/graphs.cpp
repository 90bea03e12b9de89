#include "testbenches/synthesis/graphs.h"

#include <random>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft::testing {

CostGraph ring_graph(std::uint32_t n)
{
    CostGraph graph = plain_graph(n);
    for (std::uint32_t rank = 0; rank < (n == 2 ? 1 : n); ++rank)
        add_wire(graph, rank, (rank + 1) % n, wire_ps, hop_ps);
    route(graph);
    return graph;
}

CostGraph mesh_graph(std::uint32_t n)
{
    CostGraph graph = plain_graph(n);
    for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = a + 1; b < n; ++b) add_wire(graph, a, b, wire_ps, hop_ps);
    return graph;
}

CostGraph grid_graph(std::uint32_t width, std::uint32_t height, bool wraps)
{
    CostGraph graph = plain_graph(width * height);
    const auto at = [&](std::uint32_t x, std::uint32_t y) { return y % height * width + x % width; };
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            if (x + 1 < width || (wraps && width > 2)) add_wire(graph, at(x, y), at(x + 1, y), wire_ps, hop_ps);
            if (y + 1 < height || (wraps && height > 2)) add_wire(graph, at(x, y), at(x, y + 1), wire_ps, hop_ps);
        }
    route(graph);
    return graph;
}

CostGraph star_graph(std::uint32_t n)
{
    CostGraph graph = plain_graph(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        graph.links.push_back({graph.ranks[rank].name + " -> switch", wire_ps, 0, -1});
        graph.links.push_back({"switch -> " + graph.ranks[rank].name, wire_ps, 0, -1});
    }
    for (std::uint32_t from = 0; from < n; ++from)
        for (std::uint32_t to = 0; to < n; ++to)
            if (from != to)
                graph.path(from, to) = {{{0, {{2 * from, 1}}}, {hop_ps, {{2 * to + 1, 1}}}}, 2 * hop_ps, 2 * hop_ps,
                    true};
    return graph;
}

CostGraph group_graph(std::uint32_t n, std::uint32_t groups)
{
    CostGraph graph = star_graph(n);
    for (CostLink& link : graph.links) link.group_ps_per_byte = link.ps_per_byte;
    const std::uint32_t at = add_switch(graph, "switch", 0, 0, groups);
    for (std::uint32_t rank = 0; rank < n; ++rank) graph.ranks[rank].ports.push_back({at, 2 * rank, 2 * rank + 1});
    return graph;
}

CostGraph tree_graph(std::uint32_t leaves, std::uint32_t each, std::uint32_t spines, double trunk_ps)
{
    const std::uint32_t n = leaves * each;
    CostGraph graph = star_graph(n);
    std::vector<std::uint32_t> at;
    for (std::uint32_t s = 0; s < leaves + spines; ++s)
        at.push_back(add_switch(graph, (s < leaves ? "leaf" : "spine") + std::to_string(s), 0, 0, 8));
    const auto trunks = static_cast<std::uint32_t>(graph.links.size());
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
        for (std::uint32_t spine = 0; spine < spines; ++spine) {
            const auto up = static_cast<std::uint32_t>(graph.links.size());
            graph.trunks.push_back({at[leaf], at[leaves + spine], up, up + 1});
            graph.links.push_back({"up", trunk_ps, 0, -1});
            graph.links.push_back({"down", trunk_ps, 0, -1});
        }
    for (CostLink& link : graph.links)
        if (link.ps_per_byte > 0) link.group_ps_per_byte = link.ps_per_byte;
    for (std::uint32_t from = 0; from < n; ++from) {
        graph.ranks[from].ports.push_back({at[from / each], 2 * from, 2 * from + 1});
        for (std::uint32_t to = 0; to < n; ++to) {
            if (from / each == to / each) continue;
            CostPath& path = graph.path(from, to);
            PathStage up{hop_ps, {}};
            PathStage down{hop_ps, {}};
            for (std::uint32_t spine = 0; spine < spines; ++spine) {
                up.links.push_back({trunks + 2 * (from / each * spines + spine), 1.0 / spines});
                down.links.push_back({trunks + 2 * (to / each * spines + spine) + 1, 1.0 / spines});
            }
            path.stages = {{0, {{2 * from, 1}}}, up, down, {hop_ps, {{2 * to + 1, 1}}}};
            path.put_ps = path.answer_ps = 4 * hop_ps;
        }
    }
    return graph;
}

CostGraph random_graph(std::uint32_t n, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    CostGraph graph = plain_graph(n);
    const auto wire = [&](std::uint32_t a, std::uint32_t b) {
        if (a == b || !graph.path(a, b).stages.empty()) return;
        const auto rate = static_cast<double>(1 + random() % 4);
        add_wire(graph, a, b, rate, 100 + random() % 2000);
    };
    for (std::uint32_t rank = 1; rank < n; ++rank) wire(rank, static_cast<std::uint32_t>(random() % rank));
    for (std::uint32_t more = 0; more < n; ++more)
        wire(static_cast<std::uint32_t>(random() % n), static_cast<std::uint32_t>(random() % n));
    route(graph);
    return graph;
}

void route(CostGraph& graph)
{
    const std::uint32_t n = graph.size();
    const CostGraph wires = graph;
    for (std::uint32_t from = 0; from < n; ++from) {
        std::vector<std::uint32_t> reached{from};
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (std::uint32_t to = 0; to < n; ++to) {
                const CostPath& wire = wires.path(reached[i], to);
                if (to == from || !wire.neighbours || (reached[i] != from && !graph.path(from, to).stages.empty()))
                    continue;
                if (reached[i] != from) {
                    CostPath path = graph.path(from, reached[i]);
                    path.stages.push_back({graph.path(from, reached[i]).put_ps, wire.stages.front().links});
                    for (std::size_t s = 1; s + 1 < path.stages.size(); ++s)
                        path.stages.back().before_ps -= path.stages[s].before_ps;
                    path.put_ps += wire.put_ps;
                    path.answer_ps += wire.answer_ps;
                    path.neighbours = false;
                    graph.path(from, to) = path;
                }
                reached.push_back(to);
            }
    }
}

Estimate price(const std::string& algorithm, CollectiveOp op, const CostGraph& graph, std::uint64_t bytes,
    std::uint32_t channels)
{
    AlgorithmOptions options;
    options.channels = channels;
    return estimate(make_schedule(algorithm, op, graph.size(), options), graph, {bytes, 1});
}

}  // namespace weft::testing
