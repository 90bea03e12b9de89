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
    std::uint64_t monitors = 64;              // waiters of flags in the table of a slice
    std::uint64_t monitor_log_latency = 400'000;  // ps, later wake-up of a waiter beyond it
    std::uint64_t monitor_timeout = 20'000'000;   // ps, after which a monitor gives up; 0: never
    std::uint64_t wake = 0;                   // WakePolicy

    static const ParameterTable<L2Spec>& parameters();
};

}  // namespace weft
