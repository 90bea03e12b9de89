// Critical paths of collectives at flow fidelity, and what lines call the operations and causes of a FlowLog.
//
// As critical_path.h, but what a wait waited for is known, and not sought: backwards through the records of a thread, and where it
// waited for a signal, a dependency, a barrier or packets that came meanwhile, on to the thread that sent them when they left.
//
// Causes: `latency` is what paths of transfers take by themselves, the caches at their ends included; `serialisation` everything
// that transfers wait at links, for full buffers too, and wires; `memory` loads from the own memory, and from that of others what
// their caches lack; `credits` is always 0.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/engine/paths/critical_path.h"
#include "collectives/flow/flow_log.h"

namespace weft {

class FlowPaths {
public:
    // `log` must outlive it.
    explicit FlowPaths(const FlowLog& log);

    // The path of the finished job with this number. It has no segments if the job was not recorded.
    CriticalPath path(std::uint32_t job, const JobRecord& record) const;

private:
    struct Walk;

    const FlowLog& log_;
    std::vector<std::uint32_t> before_;  // by record: the one before it of its thread
    std::vector<FlowLives> transfers_;   // by thread: its loads and stores
    std::vector<std::uint32_t> last_;    // by job: the record that ended last
};

Operation::Kind operation_kind(FlowRecord::Kind kind);
StallTimes stall_times(const FlowTimes& times);

}  // namespace weft
