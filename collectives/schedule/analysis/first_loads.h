// Ranks that begin with loads of the same data of one rank.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace weft {

// The most ranks of which a thread's first reduction of operands of several other ranks loads the same chunk of the same rank first. In
// `one_shot_get` all others begin with all that rank 0 has, in `two_shot_get` with another part of it each.
std::uint32_t most_first_loads(const Schedule& schedule);

}  // namespace weft
