// What chose at each node of a route, and why the other ways from there were not taken.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"

namespace weft {

std::string reasons_text(const ResolvedSystem& system, const FabricPlan& plan, NodeId to,
    const std::vector<Routing::Step>& steps);

}  // namespace weft
