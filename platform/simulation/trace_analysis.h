// Analysis of the log of a trace's nodes: the path of the whole trace, its operations, and a timeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/result/run_result.h"
#include "platform/simulation/timeline.h"

namespace weft {

// None for an empty log. Only a trace that `ended` has a path: what decides the end of another is not known.
std::optional<TraceAnalysis> analysis_of(const NodeLog& nodes, bool ended);

// Processes by the names of the ranks' accelerators, the nodes and, if the trace `ended`, their critical path; nothing more for an empty
// log.
Timeline timeline_of_nodes(const NodeLog& nodes, const std::vector<std::string>& names, bool ended);

// Why a trace or a single collective that did not end has no critical path.
std::string no_path_notice(const RunResult& result);

}  // namespace weft
