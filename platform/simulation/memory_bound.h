// The check whether a run is bound by memory, and by which part: the caches and the DRAM of the GPUs beside the links,
// by the
// share of the time that they were busy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/result/run_result.h"
#include "platform/assembly/system.h"

namespace weft {

// The busiest cache or DRAM, of all GPUs that were as busy, where it was busier than every link and for at least half of
// the time; else none. Refreshes of all banks count as busy: nothing else can have the pins meanwhile. Write-backs after the end of a
// run do not: its time lacks them.
std::optional<MemoryBound> memory_bound_of(const RunResult& result, const ResolvedSystem& resolved,
    const FabricPlan& plan);

// The notice on write-backs that are under way for a twentieth of a finished run or more after its end; `last`: when the last event
// was. Without background kernels, which go on as well.
std::optional<std::string> write_back_notice(const RunResult& result, Time last);

}  // namespace weft
