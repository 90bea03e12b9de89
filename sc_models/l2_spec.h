// Parameters of a GPU's level-2 cache.
#pragma once

#include "base/parameter.h"

namespace weft {

struct L2Spec {
    std::uint64_t size = 50ULL << 20;              // B, all slices
    std::uint64_t ways = 16;                       // lines per set
    std::uint64_t slices = 32;                     // independent slices, lines interleaved over them
    std::uint64_t bandwidth = 5'500'000'000'000;   // B/s, all slices
    std::uint64_t latency = 60'000;                // ps, line at the slice to data ready, on a hit
    std::uint64_t outstanding_misses = 256;        // per slice

    static const ParameterTable<L2Spec>& parameters();
};

}  // namespace weft
