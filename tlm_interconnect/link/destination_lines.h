// Room in packets of links that pack lines by destination (merge = destination).
#pragma once

#include <cstdint>

namespace weft {

struct LinkSpec;

// Whole lines in a packet of lines to one destination, with their headers; 0: they do not share packets that way.
std::uint32_t destination_lines(const LinkSpec& spec);

}  // namespace weft
