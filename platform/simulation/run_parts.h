// The simulation of a run that is cut, of which the SystemC kernel sees nothing: in one process or over several.
#pragma once

#include "platform/simulation/planned_run.h"
#include "platform/simulation/watching.h"

namespace weft {

// From the start of the workload to the end of time. Over processes an error of one is an error of all.
void simulate_parts(PlannedRun& run, BuiltRun& parts, Watching& watching);

}  // namespace weft
