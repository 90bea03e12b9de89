// Protocols: how a receiver learns that what was put to it is there. Each turns a schedule into another one for the same
// collective.
//
//   simple  a fence and a signal, as the schedule has it; slices let the receiver begin with the first part
//   ll      packets of 8 bytes data in 16: no signal, no fence, twice the bytes (base/packet_format.h)
//   ll128   packets of 120 bytes data in 128
#pragma once

#include <cstdint>

#include "base/packet_format.h"
#include "collectives/schedule/protocol/protocol_kind.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// The form of a schedule's packets: where it has some of its own under `simple`, LL.
PacketFormat format_of(Protocol protocol);

// The schedule with a packet slot for every put. Signals that publish puts are gone, and the waits for them; signals that
// publish nothing stay. Reads of what was put read the slot. What belongs where it was put, because it is part of the
// output or is read cut otherwise, is copied there by the receiver: by the next step that copies it anyhow, as one more
// destination, or by a step in place of the wait. Transfers depend on each other as before.
// The schedule must pass verify(). Throws InputError for one that loads from a peer, leaves it to a switch, or puts what
// nobody waits for.
Schedule in_packets(const Schedule& schedule);

// Every data step in `slices` parts, one after the other, each behind as many waits and before as many signals as the
// whole: the receiver begins when the first part is there. 1: the schedule itself.
// Throws InputError for a schedule whose steps are cut into more than 65536 parts.
Schedule in_slices(const Schedule& schedule, std::uint32_t slices);

}  // namespace weft
