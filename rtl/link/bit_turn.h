// Choice in turn among the bits of a mask.
#pragma once

#include <cstdint>

namespace weft {

// The lowest bit of `mask` (not 0) that is at least `turn`, else the lowest.
inline std::uint8_t first_from(unsigned mask, unsigned turn)
{
    const unsigned behind = mask >> turn << turn;
    return static_cast<std::uint8_t>(__builtin_ctz(behind != 0 ? behind : mask));
}

}  // namespace weft
