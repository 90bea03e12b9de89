// Reads of packets that were stored in another division: several slots at a time, or other parts of a chunk.
//
// A read of a slot waits for the stores that are cut as it is, or, where there are none, for all stores to the slot.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

// The packets of a rank that a step stores or reads: rank, first slot, number of slots, part, parts.
using PacketDivision = std::array<std::uint32_t, 5>;

// By the division of each read that no store has: those of the stores that it waits for. Empty where every read has a store like it;
// without reads of slots that nobody stores.
std::map<PacketDivision, std::vector<PacketDivision>> packets_cut_otherwise(const Schedule& schedule);

}  // namespace weft
