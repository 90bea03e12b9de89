// Latencies of one line of a group from each rank to the top and back. The top is the switches that all lines of the group pass: those of
// one tier, or the spines of two.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct SwitchWay {
    std::vector<std::uint64_t> up;  // before each stage of a path from the unit to the top
    std::uint64_t to_leaf = 0;      // two tiers: from the top to what the leaf sends to the rank
    std::uint64_t to_rank = 0;      // from the last switch to where it lies
    std::uint64_t answer = 0;       // its acknowledge from there to the top
    std::uint64_t answered = 0;     // and from the top to the unit that waits for it
    // How much later the acknowledge and the operand of this member come than those of the nearest member.
    std::uint64_t later_answer = 0;
    std::uint64_t later_operand = 0;
    // The nearest member, the same for all ranks.
    std::uint64_t nearest_there = 0;   // from the top to where its line lies
    std::uint64_t nearest_answer = 0;  // an acknowledge from there to the top
    // A load of the group: from what the nearest member sends to the result at the unit, without the stages of both.
    std::uint64_t result = 0;

    std::uint64_t up_ps() const;
};

// Of `users`, the first `members` of which are members, by paths of `stages` stages (2, or 4 over two tiers); `answered`: from the
// top to the unit of a rank. Empty where a rank has no such path.
std::map<std::uint32_t, SwitchWay> switch_ways(const CostGraph& graph, const std::vector<std::uint32_t>& users,
    std::size_t members, std::size_t stages, const std::function<std::uint64_t(std::uint32_t rank)>& answered);

}  // namespace weft
