// Values that a user has set for compute nodes which a trace does not have: known when it has ended.
#pragma once

#include <string>
#include <vector>

#include "collectives/engine/traces/trace_engine.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A notice for each, after a run that has finished; `all`: the sums over its ranks.
std::vector<std::string> idle_compute(const ResolvedSystem& system, const TraceEngine::Operations& all);

}  // namespace weft
