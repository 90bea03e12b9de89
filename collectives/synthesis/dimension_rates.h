// The rates of the dimensions of a grid of ranks on a cost graph; multi_dim balances chunks with them.
#pragma once

#include <cstdint>
#include <vector>

#include <functional>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

// The dimensions with `rate` filled in: bytes/s that every rank sends along the dimension while all ranks do, each in
// the way of the dimension's algorithm, until the busiest link is full (answers on the way back counted). 0 for a
// dimension of size 1, and for one whose ranks have no route to each other. The sizes multiply to the ranks of the
// graph.
std::vector<Dimension> with_rates(const CostGraph& graph, std::vector<Dimension> dimensions);

// The same for paths that are found one at a time: `links` are those of the paths so far.
using PathOfPair = std::function<CostPath(std::uint32_t from, std::uint32_t to)>;
std::vector<Dimension> with_rates(const std::vector<CostLink>& links, const PathOfPair& path_of, std::uint32_t ranks,
    std::vector<Dimension> dimensions);

}  // namespace weft
