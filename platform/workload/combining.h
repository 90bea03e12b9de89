// Which switches a workload may ask to multicast and reduce.
#pragma once

#include <vector>

#include "collectives/schedule/schedule.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Whether a step is one that a switch carries out.
bool combines_in_switches(const Schedule& schedule);
// Whether steps of this algorithm may be: it is one of switches, or a choice.
bool may_combine_in_switches(const std::string& algorithm);

// An assumption for each switch of which only the default of `switch.multicast_groups` says that it can reduce: switches with two or
// more of the first `ranks` members, and, where no switch has all of them, the switches above.
std::vector<Assumption> combining_assumptions(const ResolvedSystem& system, const FabricPlan& plan, std::size_t ranks);

}  // namespace weft
