// Models of plug-ins in a run, of which the figures that are made without simulating know nothing: alpha-beta and the estimates
// by which algorithms are chosen take the parameters of Weft's models.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// "L2 slices of model 'mine' (l2.latency stands for theirs)". Alpha-beta has no memories.
struct ForeignModels {
    std::vector<std::string> in_formula;
    std::vector<std::string> in_estimate;
};
ForeignModels foreign_models(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
