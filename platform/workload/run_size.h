// The check whether a run fits into the machine, and the message about its size before it starts.
#pragma once

#include <string>

#include "platform/workload/machine_memory.h"
#include "platform/workload/run_estimate.h"

namespace weft {

// Empty for a run of up to a minute and a quarter of the machine. `timed`: its length is known, no --until cuts it short.
std::string size_notice(const RunEstimate& estimate, const MachineMemory& memory, bool timed);

// Throws InputError with the reason and smaller runs that fit, where the run does not.
void require_fit(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request, bool data_on,
    const RunEstimate& estimate, const MachineMemory& memory);

}  // namespace weft
