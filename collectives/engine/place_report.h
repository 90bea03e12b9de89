// Deadlock report and notice on places of workgroups that receives hold (base/held_places.h), of all ranks.
#pragma once

#include <string>
#include <vector>

#include "base/held_places.h"

namespace weft {

// For a run that cannot progress: of each rank, by number, whose workgroups wait for a place, who holds them and what helps. Ranks that
// are alike share a line.
std::vector<std::string> full_places(const std::vector<PlaceUse>& ranks);

// That workgroups waited while receives held places, and for how long at most. Empty: none did.
std::string held_places_notice(const std::vector<PlaceUse>& ranks);

}  // namespace weft
