// The part of a system that a mixed run simulates line by line (docs/models/mixed.md).
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

struct LinePart {
    std::vector<bool> outside;  // by node: not at lines
    std::vector<bool> ranks;    // by endpoint: outside
    std::string text;           // "4 of 16 ranks, 0-3"
};

// `names`: nodes, or instances with all their nodes, or globs, separated by commas. Throws InputError for a name that nothing
// has, where no rank or all of them are at lines, and where a route between two ranks outside passes the lines.
LinePart line_part_of(const ResolvedSystem& system, const FabricPlan& plan, const std::string& names);

}  // namespace weft
