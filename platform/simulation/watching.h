// Who looks on while a run simulates: progress line, Ctrl-C, and reports that look at all links or follow transactions.
#pragma once

#include <optional>

#include "platform/simulation/planned_run.h"
#include "platform/simulation/run_trace.h"
#include "platform/simulation/time_series.h"
#include "platform/workload/progress_line.h"

namespace weft {

struct Watching {
    // Before time starts.
    Watching(PlannedRun& run, BuiltRun& parts);

    // False: the user wants the run to end.
    bool look(Time now, BuiltRun& parts);

    bool interrupted = false;
    bool late = false;              // the end of a run that is cut was found at a poll, but perhaps not at the first
    std::optional<CutCosts> costs;  // of this process, where the run is cut
    ProgressLine progress;
    std::optional<RunTrace> trace;
    std::optional<TimeSeries> series;
};

}  // namespace weft
