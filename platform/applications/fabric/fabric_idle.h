// Values that somebody has set and that change nothing where endpoints are sources of traffic.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A notice for each parameter of engines, and one for those of accelerators that the command line sets. What sizes credits of links by
// default counts.
std::vector<std::string> idle_in_fabric(const ResolvedSystem& system);

// A notice if links of other formats than that of the model 'link' are used, in whose bytes loads are counted.
std::vector<std::string> other_formats(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
