// What a graph is without paths that others go round faster.
//
// A match gives every free link a chunk (chunk_matching.h), and a chunk on a slow link is on its way for as long as that
// takes, though it might have come sooner from elsewhere. Schedules of the graph without such links are
// schedules of the whole graph as well.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct ReducedGraph {
    CostGraph graph;            // the slow paths go between no neighbours
    std::uint32_t without = 0;  // so many
};

// Slow is a path between neighbours whose ends are joined by faster ones. Without those of the slowest speed, without those of the
// two slowest, and so on to without all; none where no path is slow. Who could be reached can be reached.
std::vector<ReducedGraph> without_slow_paths(const CostGraph& graph);

}  // namespace weft
