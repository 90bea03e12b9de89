// The dimensions of a workload with their rates on the real fabric, for algorithms that level their loads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

// {ranks of a device, devices} where the ranks, in their order, fill several devices alike with more than one each;
// else empty. `nodes`: names of the ranks' nodes, "dgx.0.xpu.3".
std::vector<Dimension> device_dimensions(const std::vector<std::string>& nodes);

// Those that the workload names, or those of the document's devices, or those that the algorithm takes by itself, of the
// first `ranks` members of the plan.
// Rates only where multi_dim may come to run.
std::vector<Dimension> dimensions_with_rates(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks);

}  // namespace weft
