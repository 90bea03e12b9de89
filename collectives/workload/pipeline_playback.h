// Traces of the stages of one pipeline, played without communication taking time: what a schedule alone makes of a step.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::workload {

struct Playback {
    std::vector<std::uint64_t> busy;  // of each trace: the sum of its compute nodes
    std::uint64_t end = 0;            // when the last node ends

    // Idle time of the busiest stage, as a part of its busy time.
    double bubble() const;
};

// `cost` of a compute node, in any unit. A receive ends with the send of its pair and tag, if that is in one of the traces;
// everything else ends when its parents have. Compute nodes of a trace run one at a time by their dependencies.
// Throws std::logic_error for traces that wait for each other.
Playback play(const std::vector<std::vector<chakra::Node>>& traces,
    const std::function<std::uint64_t(const chakra::Node&)>& cost);

}  // namespace weft::workload
