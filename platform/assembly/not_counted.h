// What the figures that are made without simulating know nothing of, alpha-beta and the estimates by which algorithms are chosen: models
// of plug-ins and clocked links, for which they take the parameters of Weft's own, and parameters that neither counts.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// "L2 slices of model 'mine' (l2.latency stands for theirs)", "gpu.barrier_latency". Alpha-beta has no memories.
struct NotCounted {
    std::vector<std::string> in_formula;
    std::vector<std::string> in_estimate;
};
NotCounted not_counted(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
