// Parameters of a GPU's DRAM.
#pragma once

#include "base/parameter.h"

namespace weft {

struct HbmSpec {
    std::uint64_t bandwidth = 3'350'000'000'000;  // B/s, all channels, as sustained
    std::uint64_t latency = 180'000;              // ps, request at the channel to data at the L2 slice
    std::uint64_t channels = 32;                  // independent channels
    std::uint64_t capacity = 80'000'000'000;      // B

    static const ParameterTable<HbmSpec>& parameters();
};

}  // namespace weft
