// Payload that a schedule moves between ranks, by walking it.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// Bytes of payload and numbers of signals; headers, acknowledgements and flags are not counted. A put
// or a remote store goes from the rank of the thread to that of the destination, a get the other way.
// A multicast leaves its sender once and arrives at every destination; the sources of a load_reduce
// leave every source and arrive once, at the rank of the thread: there `pairs` counts what each
// pair would exchange without a switch.
struct Traffic {
    std::uint32_t ranks = 0;
    std::vector<std::uint64_t> sent;      // by rank
    std::vector<std::uint64_t> received;  // by rank
    std::vector<std::uint64_t> pairs;     // from * ranks + to
    std::vector<std::uint64_t> signals;   // sent, by rank; those to itself too

    std::uint64_t between(std::uint32_t from, std::uint32_t to) const { return pairs[std::size_t{from} * ranks + to]; }
};

// The schedule must be well formed (structure.h).
Traffic traffic_of(const Schedule& schedule, const Layout& layout);

}  // namespace weft
