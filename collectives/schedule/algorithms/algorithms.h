// The built-in algorithms and their registry.
//
// All are one-sided. Those that put, which most do: a rank stores into buffers of its peers, then signals; the peer
// waits on a semaphore of its own. Every instance of a collective has freshly allocated output and scratch
// buffers and semaphores, so a peer may be written before it has entered, and no hand-shake precedes the
// first store. Those that get: a rank signals that it has entered, so that its input is ready, and loads the inputs
// of its peers when they have. Buffers live until the last rank has left, so none follows the last load.
// No scratch slot is written twice.
//
// Channels: with C channels a rank has C threads; thread c handles part c of C of every chunk and has
// semaphores of its own, so channels never meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

struct AlgorithmOptions {
    std::uint32_t channels = 1;  // 1 to 256
    std::uint32_t root = 0;      // broadcast
    std::uint32_t pipeline = 8;  // broadcast ring: chunks, 1 to 65536
    ReduceOp reduction = ReduceOp::sum;
};

constexpr std::uint32_t most_ranks = 4096;

// Names that make_schedule knows for `op`, the default first.
std::vector<std::string> algorithm_names(CollectiveOp op);

// Throws InputError for a name that `op` does not know and for options out of range.
Schedule make_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options = {});

}  // namespace weft
