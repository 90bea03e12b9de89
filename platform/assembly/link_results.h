// Reads the statistics of each link direction of a system.
#pragma once

#include <vector>

#include "infragraph/graph.h"
#include "platform/assembly/fabric_modules.h"
#include "platform/result/link_result.h"

namespace weft {

// Both directions of every link, at `now`; empty for a direction whose sender another process has.
std::vector<LinkResult> link_results(const FabricModules& fabric, const Graph& graph, Time now);

}  // namespace weft
