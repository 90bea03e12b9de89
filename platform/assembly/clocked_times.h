// Latencies that clocked models round to whole clocks.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A sentence for each clocked model of links and switches that the run uses and latency that is no whole number of its clocks.
std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
