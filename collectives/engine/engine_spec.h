// Parameters of how a collective is carried out.
#pragma once

#include <algorithm>

#include "base/parameter.h"
#include "collectives/schedule/algorithms/dimension_order.h"
#include "collectives/schedule/protocol/protocol_kind.h"

namespace weft {

// The hardware that executes moves with one source. Wavefronts always do the reductions.
enum class Mover : std::uint8_t {
    units,        // wavefronts load and store
    copy_engine,  // copy engines of the GPU
    bulk,         // bulk copy engines of the units that run the thread
    port  // wavefronts, and copy engines what steps leave to port channels: no choice, but what EngineChannel makes
};

// The channel of puts and signals.
enum class EngineChannel : std::uint8_t {
    any,       // what the steps of a plan name; otherwise memory
    memory,    // units, or who moves what has one source
    port,      // requests to a proxy, which has copy engines carry them out
    in_switch  // an algorithm whose steps switches carry out
};

// The memory of a flag: that of the rank that waits, or of the rank that signals.
enum class FlagHome : std::uint8_t { waiter, signaller };

// Which communication nodes of a trace come first: trace_engine.h.
enum class CollectiveOrder : std::uint8_t { fifo, lifo, priority };

// Which time a compute node of a trace takes if it has both: its recorded duration, or its roofline.
enum class ComputeTime : std::uint8_t { recorded, roofline };

// The model of a compute node of a trace: time that passes, or workgroups on the rank's units.
enum class ComputeMode : std::uint8_t { time, kernel };

// Channels of collectives of a trace: all for each, or shared out among as many as can be in flight.
enum class ChannelShare : std::uint8_t { each, split };

// Where memory nodes of a trace load from and store to: the rank's own memory, or memories of the fabric.
enum class MemoryNodes : std::uint8_t { local, remote };

// Where puts go under the Simple protocol: to where the schedule has them, or through FIFOs at the receiver.
enum class StagingMode : std::uint8_t { none, fifo };

struct EngineSpec {
    Mover mover = Mover::units;
    EngineChannel channel = EngineChannel::any;
    std::uint64_t channels = 32;      // workgroups per rank that share every chunk of a collective
    std::uint64_t channel_bytes = 0;  // of the message, that a channel is worth; 0: all channels for any size
    std::uint64_t wavefronts = 16;    // per workgroup
    std::uint64_t unroll = 2;         // instructions in flight per wavefront
    std::uint64_t vector = 16;        // B per lane and instruction
    std::uint64_t grain = 64;         // B of the widest transaction, a power of 2
    FlagHome flag_home = FlagHome::waiter;
    std::uint64_t poll_lanes = 32;  // flags that a wavefront looks at together
    Protocol protocol = Protocol::simple;
    bool ll128_fence = false;  // ll128: whether a fence precedes every step that stores packets
    std::uint64_t slices = 1;  // simple: parts of a step, each with a signal
    StagingMode staging = StagingMode::none;
    std::uint64_t steps_in_flight = 8;          // fifo: slots of a connection
    std::uint64_t step_bytes = 512 << 10;       // fifo: B of a slot
    std::uint64_t compute_in_flight = 1;        // per rank: accelerator compute nodes at once
    std::uint64_t communication_in_flight = 1;  // per rank: collectives, sends and memory nodes at once
    CollectiveOrder collective_order = CollectiveOrder::fifo;
    ChannelShare channel_share = ChannelShare::each;
    MemoryNodes memory_nodes = MemoryNodes::local;
    DimensionOrder dimension_order = DimensionOrder::fixed;  // multi_dim
    DimensionQueue dimension_queue = DimensionQueue::fifo;
    std::uint64_t dimension_chunks = 8;   // parts of a message that go their own ways
    std::uint64_t dimension_streams = 2;  // chunks in flight in each dimension
    ComputeMode compute = ComputeMode::time;
    ComputeTime compute_time = ComputeTime::recorded;
    std::uint64_t compute_workgroups = 0;  // of a kernel; 0: two for each compute unit

    // Of `most`, as many as a message of `bytes` is worth.
    std::uint32_t channels_for(std::uint64_t bytes, std::uint64_t most) const
    {
        const std::uint64_t worth = channel_bytes == 0 ? most : bytes / channel_bytes + (bytes % channel_bytes != 0);
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, std::min(worth, most)));
    }

    static const ParameterTable<EngineSpec>& parameters();
};

}  // namespace weft
