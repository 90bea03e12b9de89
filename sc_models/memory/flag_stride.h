// The addresses of flags for signals: each flag has a line of its own.
#pragma once

#include <cstdint>

namespace weft {

constexpr std::uint64_t flag_stride = 64;  // B between flags in the flag region of a MemoryImage

}  // namespace weft
