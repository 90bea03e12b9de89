// The unit of transfer: a 64-byte-aligned line.
#pragma once

#include <cstdint>

namespace weft {

constexpr std::uint32_t line_bytes = 64;

}  // namespace weft
