// Analysis of the log of a trace's nodes: the path of the whole trace, its operations, and a timeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/result/run_result.h"
#include "platform/simulation/timeline.h"

namespace weft {

// None for an empty log.
std::optional<TraceAnalysis> analysis_of(const NodeLog& nodes);

// Processes by the names of the ranks' accelerators, the nodes and their critical path; nothing more for an empty log.
Timeline timeline_of_nodes(const NodeLog& nodes, const std::vector<std::string>& names);

}  // namespace weft
