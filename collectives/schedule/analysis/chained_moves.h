// Moves of a thread that follow each other over ranks.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace weft {

// The most moves of a thread that wait for another rank before them and carry more than `least` bytes of a message of `bytes`; of a few
// ranks. A ring of n ranks has n - 2 of a gather, an exchange between all ranks at once one.
std::uint32_t most_chained_moves(const Schedule& schedule, std::uint64_t bytes, std::uint64_t least);

}  // namespace weft
