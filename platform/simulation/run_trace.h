// The trace of a run's collectives: critical paths, and a timeline of every step.
#pragma once

#include <string>
#include <vector>

#include "collectives/engine/line_executor.h"
#include "gpu/operation_log.h"
#include "platform/result/run_result.h"

namespace weft {

class RunTrace {
public:
    // Follows what `executor` runs. Before time starts.
    explicit RunTrace(LineExecutor& executor) : executor_(executor) { executor.set_log(log_); }

    // Paths of the collectives that finished; numbers are those of CollectiveResult.
    std::vector<PathResult> paths() const;

    // In the Trace Event Format of Chrome, which Perfetto reads: a process for each rank (`nodes` are their names), a
    // thread for each thread of a schedule, an event for each step; and the critical paths. Times in us, exact to the ps.
    std::string timeline(const std::vector<std::string>& nodes) const;

private:
    LineExecutor& executor_;
    OperationLog log_;
};

}  // namespace weft
