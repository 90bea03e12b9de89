// The chain of work that decided when a collective ended, and what it waited for: found afterwards, backwards from the
// last workgroup to end, in the records of an OperationLog.
//
// Backwards through the records of a workgroup; where it waited for a flag that was set meanwhile, on to who set it, at the
// moment of the signal; where a wavefront had found packets missing, on to the wavefront that stored the last ones to be seen. So the segments join without a gap from the first rank's entry to the end, and the times by
// cause add up to the collective's to the picosecond. A flag that was there when the wait began held nobody up.
//
// The cause of the wait of a segment:
//   entry           until the rank at which the path begins has entered: later than the first one
//   launch          from a rank's entry to the launch of its workgroups, and in the queue for a unit
//   compute_units   issue slots; instructions and lines in flight at their limit while lines met no queue; start and rate of the
//                   engine of bulk copies
//   serialisation   lines behind others at ports, and on wires
//   credits         lines without a credit at ports (where ports are watched; else part of serialisation)
//   latency         links, switches and paths on the die: what a lone line takes
//   memory          from the arrival at a cache slice to its answer
//   flag            from a flag's change, or packets' arrival, to the waiter's knowing it; looks at flags that were there already
// The time in which a workgroup waits for data or acknowledges is shared out like the lives of its lines that were answered
// in it. Time in the stores of signals is that of the signal's own line.
//
// Lists that proxies hand on keep no records: what a workgroup waits for from them is `flag`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "gpu/units/operation_log.h"

namespace weft {

enum class PathCause : std::uint8_t { entry, launch, compute_units, serialisation, credits, latency, memory, flag };
constexpr unsigned path_causes = 8;
const char* name_of(PathCause cause);

using CauseTimes = std::array<Time, path_causes>;  // ps

// Shares `total` out by weights, exactly: the remainder goes to the largest. Without weights it is latency.
void share_out(Time total, const CauseTimes& weights, CauseTimes& into);

struct PathSegment {
    std::uint32_t rank = 0;
    std::uint32_t thread = 0;
    std::uint32_t step = 0;
    bool signal = false;  // a signal, or a line of packets, on its way from this rank to `to`
    std::uint32_t to = 0;
    Time begin = 0;
    Time end = 0;
    CauseTimes times{};  // add up to end - begin
};

struct CriticalPath {
    Executor::JobId job = 0;
    std::vector<PathSegment> segments;  // in the order of time, without gaps
    CauseTimes times{};                 // of all
};

// The path of a job that has finished with the log attached; without segments if no workgroup of it was logged.
CriticalPath critical_path(const OperationLog& log, const LineExecutor& executor, Executor::JobId job);

}  // namespace weft
