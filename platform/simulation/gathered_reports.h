// Reports that look at all parts of a run, put together by process 0: links over time, recorded traffic, traced operations.
#pragma once

#include "platform/simulation/planned_run.h"
#include "platform/simulation/watching.h"

namespace weft {

// Before the first window: the columns of a time series are those of the links of all processes.
void share_channels(Watching& watching, ProcessGroup& group);

// After the run: process 0 adds what the others have. All call it.
void gather_reports(PlannedRun& run, BuiltRun& parts, Watching& watching, ProcessGroup& group);

}  // namespace weft
