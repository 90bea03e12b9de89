// The route between two endpoints of a fabric plan, as a page.
#pragma once

#include <cstdint>
#include <string>

#include "platform/assembly/fabric_plan.h"

namespace weft {

struct RouteQuestion {
    NodeId from = 0;
    NodeId to = 0;
    std::uint64_t line =
        0;  // of the destination's memory; with path_selection=round_robin, of those to this destination
    std::uint32_t source = 0;  // ranks in the simulation
    std::uint32_t destination = 0;
};

// Both nodes must be members of the plan.
std::string route_text(const ResolvedSystem& system, const FabricPlan& plan, const RouteQuestion& question);

}  // namespace weft
