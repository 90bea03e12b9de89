// Waveforms that somebody asked for: of which instances, into which file, in which window of time.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

struct WaveWindow {
    std::string file;        // FST
    std::uint64_t from = 0;  // ps
    std::uint64_t to = ~std::uint64_t{0};
    std::uint64_t half_period = 500;  // ps, of the clock
};

}  // namespace weft
