// Values that a user has set for engines that copy, or for wavefronts, in a collective that leaves nothing to them.
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// With engine.mover=copy_engine or bulk. If the schedule leaves nothing to these engines, a notice for each parameter of copy.* or
// bulk.* that is set. If they move all of its data, one that names the parameters of wavefronts that are set.
std::vector<std::string> idle_copies(const ResolvedSystem& system, const Schedule& schedule);

}  // namespace weft
