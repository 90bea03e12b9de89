// Estimates a run before any part of it is built: memory by kind and time.
//
// A schedule of the algorithm with one channel gives steps, operands, threads and buffers; beyond 128 ranks one of 128
// is scaled by the formulas of theory.h. The bytes that each of these takes were measured (run_estimate.cpp). Of a trace
// only the GPUs are known.
#pragma once

#include "collectives/engine/collective_driver.h"
#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/result/run_estimate.h"

namespace weft {

// `request` is null for a trace. An algorithm that is still to be chosen counts as the one with the fewest steps,
// beside the largest schedule that is priced.
RunEstimate estimate_run(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request,
    bool data_on);

}  // namespace weft
