// Parameters of a compute unit's level-1 cache.
#pragma once

#include "base/parameter.h"

namespace weft {

struct L1Spec {
    std::uint64_t size = 0;                     // B per unit; 0: none
    std::uint64_t ways = 4;                     // tags per set
    std::uint64_t line = 128;                   // B that one tag covers: 64 or 128, in 64-byte sectors
    std::uint64_t latency = 20'000;             // ps, issue to data on a hit
    std::uint64_t bandwidth = 250'000'000'000;  // B/s of one unit's hits
    std::uint64_t outstanding_misses = 256;     // sectors being fetched
    bool cache_peers = false;                   // whether lines of other GPUs are kept

    static const ParameterTable<L1Spec>& parameters();
};

}  // namespace weft
