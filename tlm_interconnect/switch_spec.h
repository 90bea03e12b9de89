// Parameters of a switch.
#pragma once

#include "base/parameter.h"

namespace weft {

// Who goes first at an output: the channels in turn and in each the inputs in turn; the line that was issued first;
// control channels (read requests, atomics) and data channels (writes, responses) by weight.
enum class ArbiterKind : std::uint8_t { round_robin, age, weighted };

struct SwitchSpec {
    std::uint64_t latency = 100'000;  // ps, line in the input buffer to eligible for arbitration

    std::uint64_t arbiter = 0;         // ArbiterKind
    std::uint64_t control_weight = 1;  // lines in a row while data wait too
    std::uint64_t data_weight = 1;     // lines in a row while control lines wait too
    std::uint64_t multicast_groups = 128;           // entries of the group table
    std::uint64_t group_contexts = 1024;            // group operations in progress
    std::uint64_t reduce_rate = 1'600'000'000'000;  // B/s of operands through the adder

    static const ParameterTable<SwitchSpec>& parameters();
};

}  // namespace weft
