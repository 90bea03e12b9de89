// The orders of chunks in algorithm multi_dim.
#pragma once

#include <cstdint>

namespace weft {

// multi_dim (dimension_plan.h): in which order each chunk goes through the dimensions, and which of the chunks that
// wait for a dimension comes first.
enum class DimensionOrder : std::uint8_t { fixed, round_robin, offline_greedy, online_greedy };
enum class DimensionQueue : std::uint8_t { fifo, smallest_first };

}  // namespace weft
