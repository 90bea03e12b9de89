// Data that steps move to another place of a line than they come from: it cannot go in whole lines.
#pragma once

#include <cstdint>

#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// The share of such bytes among those that the moves of a few ranks carry, from 0 to 1; packets are left out.
double share_in_partial_lines(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes);

// The transactions of a copy: it is cut where any of its operands comes to the end of a line.
std::uint64_t lines_of_copy(const Piece& piece);

}  // namespace weft
