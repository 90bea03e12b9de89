// The rule that selected the port at each node of a route, and the reasons against the other ports.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"

namespace weft {

std::string reasons_text(const ResolvedSystem& system, const FabricPlan& plan, NodeId to,
    const std::vector<Routing::Step>& steps);

}  // namespace weft
