// Values of copy engines that a user has set for a collective whose steps are all of units or switches.
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// With engine.mover=copy_engine: a notice for each parameter of copy.* that is set, if the schedule leaves nothing to copy engines.
std::vector<std::string> idle_copies(const ResolvedSystem& system, const Schedule& schedule);

}  // namespace weft
