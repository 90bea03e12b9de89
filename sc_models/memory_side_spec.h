// Parameters of the cache between a GPU's L2 and its DRAM.
#pragma once

#include "base/parameter.h"
#include "sc_models/l2/l2_spec.h"

namespace weft {

struct MemorySideSpec {
    std::uint64_t size = 0;                        // B, all slices; 0: there is none
    std::uint64_t ways = 16;                       // lines per set
    std::uint64_t bandwidth = 12'000'000'000'000;  // B/s, all slices together
    std::uint64_t latency = 55'000;                // ps, line at the slice to data ready, on a hit
    std::uint64_t hop = 30'000;                    // ps, between an L2 slice and it, one way
    std::uint64_t outstanding_misses = 256;        // per slice
    std::uint64_t outstanding_write_backs = 256;   // per slice; 0: any number
    std::uint64_t write_back_run = 64;             // lines of a slice, one after the other
    std::uint64_t line = 128;                      // B under one tag, in sectors of 64 B

    bool present() const { return size > 0; }
    // The same as a cache of `slices` slices.
    L2Spec as_cache(unsigned slices) const;

    static const ParameterTable<MemorySideSpec>& parameters();
};

}  // namespace weft
