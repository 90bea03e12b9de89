// The end of a run: why it is over, and what its modules have counted; of all processes, if there are several.
#pragma once

#include "platform/simulation/end_report.h"
#include "platform/simulation/planned_run.h"

namespace weft {

// What holds for all processes.
Pulse agreed(const Pulse& own, ProcessGroup* group);

// A switch or link that is busy waits in vain (System::overdue), in any process.
bool overdue(System& system, Time now, ProcessGroup* group);

// Flags that other processes have, by address; all processes ask at the same place.
LineExecutor::FlagValues flags_elsewhere(const LineExecutor& executor, const std::vector<std::uint64_t>& wanted,
    Processes& processes);

// What decides why a run is over.
struct RunEnd {
    bool idle = true;  // nothing is due
    bool stopped = false;
    bool cannot_progress = false;
    bool interrupted = false;
    bool all_replayed = true;
    Time last = 0;  // when the last item ran

    // Of all processes; `own` is that of this one.
    static RunEnd of(const System& system, bool interrupted, ProcessGroup* group);
};

// What the modules of this process say. `ended`: the run has ended by itself, so nothing may be on its way any more. `waiting`: who waits
// is asked.
EndReport end_report_of(PlannedRun& run, BuiltRun& parts, bool ended, bool waiting);

// Until when links are counted, and of a run that has not finished what workgroups wait for.
Time counted_until(const PlannedRun& run, const RunEnd& end, const System& system);

// The run ends at `last` and has not finished: what workgroups and lists wait for counts up to then.
void cut_off(PlannedRun& run, BuiltRun& parts, Time last);

// Adds what other processes have to say. False: process 0 has it all, this one need not go on.
bool collect(EndReport& own, ProcessGroup* group);

}  // namespace weft
