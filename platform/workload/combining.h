// Which switches a workload may ask to multicast and reduce.
#pragma once

#include <vector>

#include "collectives/schedule/schedule.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Whether a step is one that a switch carries out.
bool combines_in_switches(const Schedule& schedule);
// Whether collectives of a trace may be: the algorithm is one of switches, or chosen.
bool may_combine_in_switches(const std::string& algorithm);

// What is only assumed of the switches that two of the first `ranks` members are attached to, and of those above where no
// switch has them all.
std::vector<Assumption> combining_assumptions(const ResolvedSystem& system, const FabricPlan& plan, std::size_t ranks);

}  // namespace weft
