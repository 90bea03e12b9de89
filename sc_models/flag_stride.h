// Where the flags lie that GPUs signal with: a line for each.
#pragma once

#include <cstdint>

namespace weft {

constexpr std::uint64_t flag_stride = 64;  // B between flags in the flag region of a MemoryImage

}  // namespace weft
