// Bits on the links and through the switches of a run, by kind of link. A switch is one whether the document draws it as one
// node or as a chip with its ports.
#pragma once

#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"

namespace weft {

// Half of a link is counted at each end, but for ends at a switch that the table has a figure of.
void count_links(const RunResult& result, const ResolvedSystem& resolved, const EnergyTable& table,
    std::vector<EnergyCount>& out);

}  // namespace weft
