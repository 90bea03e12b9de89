// Where requests of units and DMA engines are cut: at the ends of lines or, in a run with wide transactions, at multiples of
// engine.grain.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/line_size.h"

namespace weft {

// Bytes of the transaction at `address`, with `left` bytes to go. A wide one is of whole lines.
inline std::uint32_t transaction_bytes(std::uint64_t address, std::uint64_t left, std::uint32_t grain)
{
    const std::uint64_t to_end_of_line = line_bytes - address % line_bytes;
    if (grain == line_bytes || to_end_of_line < line_bytes || left < line_bytes)
        return static_cast<std::uint32_t>(std::min(to_end_of_line, left));
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(grain - address % grain, left / line_bytes * line_bytes));
}

}  // namespace weft
