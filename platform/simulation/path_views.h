// Critical paths and operations of collectives as a result and a timeline have them, at any fidelity.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "collectives/engine/paths/critical_path.h"
#include "platform/result/run_result.h"
#include "platform/simulation/timeline.h"

namespace weft {

// Of the jobs that are reported, by their place among these; `path_of` is asked for those that finished.
std::vector<PathResult> path_results(const std::vector<JobRecord>& jobs,
    const std::function<CriticalPath(Executor::JobId)>& path_of);

// The paths of all jobs that finished, in tracks of process 0 as many as run at once.
void add_paths(Timeline& out, const std::vector<JobRecord>& jobs,
    const std::function<CriticalPath(Executor::JobId)>& path_of);

// An operation of a workgroup as a timeline shows it.
struct TimelineOperation {
    std::uint32_t work = 0;
    std::uint32_t label = 0;
    Operation::Kind kind = Operation::Kind::fence;
    Time begin = 0;
    Time end = 0;
    StallTimes spent{};
    std::uint64_t lines = 0;
    bool unfinished = false;  // the run ended meanwhile
};

// A track for each workgroup, with an event for each of `count` operations; `work_of` gives the place of a workgroup by its number.
void add_operations(Timeline& out, std::size_t count, const std::function<TimelineOperation(std::size_t)>& operation,
    const std::function<LineExecutor::Work(std::uint32_t)>& work_of);

}  // namespace weft
