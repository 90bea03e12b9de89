// Symmetric runs: one rank stands for all where every rank does the same on links that a rotation of the ranks maps to each other.
//
// The rotations are those of the program's grid: one step along each axis. They are checked, not assumed: for every rank and every
// peer of its program the path from the next rank must be the image of its own, stage by stage, with equal latencies, shares, rates and
// directions back, and the map of links that follows must be one to one. Links that are mapped to each other then have the
// same traffic, so one clock stands for all of them, and what rank 0 sends to the rank d further on comes to it from the rank
// d before.
//
// That is exact unless the order of two transfers decides that come to one link in the same picosecond, or that both wait there and
// came by other links: such a tie is seen while the rank is run (flow_ties.h), and the run is then made in full.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/programs/flow_program.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct RankSymmetry {
    std::vector<std::uint32_t> stands_for;  // by link: the link whose clock it has; empty: there is none
    std::string why;                        // there is none
};

// Of a program whose rank i runs at endpoint i. `links` may grow while paths are asked for.
RankSymmetry find_symmetry(const FlowProgram& program, const FlowRanks& ranks, const std::vector<CostLink>& links,
    const std::function<CostPath(std::uint32_t from, std::uint32_t to)>& path);

}  // namespace weft
