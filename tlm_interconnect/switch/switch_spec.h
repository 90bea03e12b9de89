// Parameters of a switch.
#pragma once

#include "base/parameter.h"

namespace weft {

// Who goes first at an output: the channels in turn and in each the inputs in turn; the line that was issued first;
// control channels (read requests, atomics) and data channels (writes, responses) by weight; the line that came to the
// output first, whatever it is.
enum class ArbiterKind : std::uint8_t { round_robin, age, weighted, arrival };

// How inputs queue in a scheduled crossbar: by channel and output; by channel; all in one line.
enum class QueueKind : std::uint8_t { voq, channel, fifo };
// How a scheduled crossbar matches inputs to outputs (matching.h).
enum class AllocatorKind : std::uint8_t { islip, input_first, round_robin, age, weighted };

// When a queue of a scheduled crossbar wins a channel of its output: with the crossbar, or a clock before it.
enum class VcStage : std::uint8_t { combined, separate };

// The first block counts for every switch, the second and third (network cards, message_stage.h) for model `switch`, the
// fourth for model `crossbar`.
struct SwitchSpec {
    std::uint64_t latency = 100'000;  // ps, line in the input buffer to eligible for arbitration

    ArbiterKind arbiter = ArbiterKind::round_robin;
    std::uint64_t control_weight = 1;                // lines in a row while data wait too; for both models
    std::uint64_t data_weight = 1;                   // lines in a row while control lines wait too; for both models
    std::uint64_t multicast_groups = 128;            // entries of the group table
    std::uint64_t group_contexts = 1024;             // group operations in progress
    std::uint64_t waiting_contributions = 16384;     // that wait for a context inside, their input slots free
    std::uint64_t reduce_rate = 1'600'000'000'000;   // B/s of operands through the adder
    std::uint64_t reduce_timeout = 100'000'000'000;  // ps, a push reduce that lacks a member; 0: none

    std::uint64_t message = 0;           // B of a message at most; 0: no messages are made
    std::uint64_t message_overhead = 0;  // ps
    std::uint64_t message_interval = 0;  // ps
    std::uint64_t message_hold = 0;      // ps
    std::uint64_t message_streams = 256;

    std::uint64_t clock = 1'000;  // ps
    QueueKind queues = QueueKind::voq;
    AllocatorKind allocator = AllocatorKind::islip;
    std::uint64_t iterations = 1;  // of islip, round_robin, age and weighted
    VcStage vc_stage = VcStage::combined;
    std::uint64_t traversal = 1'000;  // ps, match to the first bit at the output
    std::uint64_t credit_delay = 1;   // ps, arrival of a credit to its use
    std::uint64_t input_speedup = 1;  // crossbar inputs of a port
    std::uint64_t transfer = 0;       // ps that a line holds its crossbar input and output; 0: as long as the wire
    std::uint64_t output_buffer = 0;  // lines between crossbar and wire

    static const ParameterTable<SwitchSpec>& parameters();
};

}  // namespace weft
