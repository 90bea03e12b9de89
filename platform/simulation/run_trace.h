// The trace of a run's collectives: critical paths, and a timeline of every step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/engine/paths/critical_path.h"
#include "collectives/engine/lines/line_executor.h"
#include "gpu/units/operation_log.h"
#include "platform/result/run_result.h"
#include "platform/simulation/background_kernel.h"
#include "platform/simulation/trace_analysis.h"

namespace weft {

class RunTrace {
public:
    // Follows what `executor` runs. Before time starts. `sites`: of its endpoints, where the run is cut.
    RunTrace(LineExecutor& executor, const std::vector<LineExecutor::Site>& sites);

    // After the run, before what follows: what the parts have logged, in the order of the run as a whole.
    void gather();
    // Over processes, then: what this one has logged, for process 0, which adds that of all others at once.
    const OperationLog& log() const { return log_; }
    void add(const std::vector<OperationLog>& logs);

    // Paths of the collectives that finished; numbers are those of CollectiveResult.
    std::vector<PathResult> paths() const;

    // The run ends at `last` and has not finished.
    void cut_off(Time last)
    {
        nodes_.cut_off(last);
        stopped_at_ = last;
    }

    // The nodes of a trace write themselves here; empty for a collective.
    NodeLog& nodes() { return nodes_; }
    // The operations of a whole trace and, if it `ended`, its path; none for a collective.
    std::optional<TraceAnalysis> analysis(bool ended) const { return analysis_of(nodes_, ended); }

    // In the Trace Event Format (timeline.h): a process for each rank (`nodes` are their names), the nodes of a trace, a track for each
    // workgroup with an event for each step; the critical paths; and kernels beside them, if there are any.
    std::string timeline(const std::vector<std::string>& nodes, bool ended, const BackgroundKernel* beside) const;

private:
    LineExecutor& executor_;
    std::vector<LineExecutor::Site> sites_;
    OperationLog log_;                  // of the first part, then of all
    std::vector<OperationLog> others_;  // of the other parts
    NodeLog nodes_;
    std::optional<Time> stopped_at_;  // of a run that has not finished
};

}  // namespace weft
