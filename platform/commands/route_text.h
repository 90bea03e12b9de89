// The route between two endpoints of a fabric plan, as a page.
#pragma once

#include <string>

#include "platform/system/fabric_plan.h"

namespace weft {

// Both nodes must be members of the plan.
std::string route_text(const ResolvedSystem& system, const FabricPlan& plan, NodeId from, NodeId to);

}  // namespace weft
