// Simulated time: an integer number of picoseconds.
#pragma once

#include <cstdint>

namespace weft {

using Time = std::uint64_t;  // ps

}  // namespace weft
