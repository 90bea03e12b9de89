// What a run will take, before anything of it is built: memory by kind and time.
//
// A schedule of the algorithm with one channel gives steps, operands, threads and buffers; beyond 128 ranks one of 128
// is scaled by the formulas of theory.h. The bytes that each of these takes were measured (run_estimate.cpp). Of a trace
// only the GPUs are known.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/engine/collective_driver.h"
#include "platform/config/resolved_system.h"
#include "platform/system/fabric_plan.h"

namespace weft {

struct RunEstimate {
    std::uint64_t gpus = 0;
    double gpu_bytes = 0;       // modules: tags, queues, units, and the process itself
    double content_bytes = 0;   // of buffers; 0 without data
    double schedule_bytes = 0;  // and its proof and programs
    double flight_bytes = 0;    // transactions in flight and registers
    double transactions = 0;    // of 64 bytes, by all operands of all steps; 0: not known
    double seconds = 0;         // 0: not known

    double bytes() const { return gpu_bytes + content_bytes + schedule_bytes + flight_bytes; }
    // "about 1.2 GB of memory (8 GPUs 0.1 GB, ...)"
    std::string memory_text() const;
    std::string time_text() const;  // "about 12 s", "about 3 h"
};

// `request` is null for a trace. An algorithm that is still to be chosen counts as the one with the fewest steps,
// beside the largest schedule that is priced.
RunEstimate estimate_run(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request, bool data_on);

}  // namespace weft
