// How one of several equal paths is chosen for a line.
#pragma once

#include <cstdint>

namespace weft {

// What decides among equal paths: the line's address, the pair of endpoints, nothing (always the first), or the
// requester's count of lines to this destination.
enum class PathSelection : std::uint8_t { lines, pairs, none, round_robin };

}  // namespace weft
