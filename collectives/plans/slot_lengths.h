// Moves between slots of a plan, where the message has fewer elements than the plan has chunks.
//
// A plan of thread blocks says where data go and not how long they are, so whole slots move. Nobody has written a slot of
// an empty chunk: it is the chunk of the message that went there that says so.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace weft {

// Sets Step::like of moves whose operands are all slots and some of whose chunks are empty for this size, where what the slots hold
// is known and consecutive in the message. Others move whole slots.
void know_empty_slots(Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes);

}  // namespace weft
