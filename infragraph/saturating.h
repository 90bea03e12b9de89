// Unsigned sums and products that stop at a bound far above every limit instead of wrapping.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft {

constexpr std::uint64_t saturated = std::uint64_t{1} << 62;

inline std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b)
{
    return std::min(saturated, std::min(a, saturated) + std::min(b, saturated));
}

inline std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b)
{
    return a != 0 && b > saturated / a ? saturated : a * b;
}

}  // namespace weft
