// The dimensions of a workload with their rates on the real fabric, for algorithms that level their loads.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/config/resolved_system.h"
#include "platform/system/fabric_plan.h"

namespace weft {

// Those that the workload names, or those that the algorithm takes by itself, of the first `ranks` members of the plan.
// Rates only where multi_dim may come to run and a cost graph can be made (most_ranks_priced).
std::vector<Dimension> dimensions_with_rates(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks);

}  // namespace weft
