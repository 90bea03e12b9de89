// Values of links and switches that a user has set on parts that no route of the run uses.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A sentence for each --set and each line of the system file that is set on such parts alone.
std::vector<std::string> unused_value_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
