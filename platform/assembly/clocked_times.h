// Latencies that clocked models round to whole clocks.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A sentence for each latency of built-in clocked links and switches of the run that is no whole number of their clocks.
std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
