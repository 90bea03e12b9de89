// Parameters of what moves lines without wavefronts.
#pragma once

#include "base/parameter.h"

namespace weft {

// Copy engines of a GPU.
struct CopySpec {
    std::uint64_t engines = 4;
    std::uint64_t queues = 64;                // command lists that an engine takes turns at
    std::uint64_t in_flight = 4096;           // requests of an engine without a response
    std::uint64_t start = 1'000'000;          // ps, descriptor at the head to its first load
    std::uint64_t rate = 400'000'000'000;     // B/s that an engine stores
    std::uint64_t poll_interval = 100'000;    // ps, response of one poll of a flag to the next poll
    std::uint64_t request_latency = 700'000;  // ps, port channel: unit to the proxy's queue in host memory
    std::uint64_t proxy_poll = 100'000;       // ps, one poll of the idle proxy to the next
    std::uint64_t proxy_service = 7'100'000;  // ps, of the proxy for a request: its poll to the copy engine's having it

    static const ParameterTable<CopySpec>& parameters();
};

// The bulk copy engine of each compute unit.
struct BulkSpec {
    std::uint64_t queue = 16;              // copies of a workgroup under way
    std::uint64_t in_flight = 1024;        // requests of a unit's bulk copy engine without a response
    std::uint64_t start = 100'000;         // ps, descriptor at the head to its first load
    std::uint64_t rate = 126'720'000'000;  // B/s that a unit's bulk copy engine stores

    static const ParameterTable<BulkSpec>& parameters();
};

}  // namespace weft
