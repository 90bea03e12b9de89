// The cost graph of a resolved system: real routes, real latencies, rates after packetisation.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/synthesis/cost_graph.h"
#include "platform/config/resolved_system.h"
#include "platform/system/fabric_plan.h"

namespace weft {

constexpr std::uint32_t most_ranks_priced = 256;

// Throws InputError for more ranks than can be priced.
void require_priceable(const ResolvedSystem& system, std::size_t ranks);

// Of these endpoints of the plan, rank after rank; or of the first `ranks`. Copy engines and bulk copy engines are priced
// as units.
// Throws InputError for more ranks than can be priced.
CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& endpoints);
CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks);

}  // namespace weft
