// The parts of a run: first the plan of a system and its workload, then the modules and their driver.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "gpu/replay/traffic_recorder.h"
#include "platform/simulation/background_kernel.h"
#include "platform/simulation/partitioned.h"
#include "platform/workload/run_workload.h"
#include "platform/workload/replay_traffic.h"
#include "platform/simulation/run.h"
#include "platform/simulation/surroundings.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/switch_groups.h"
#include "platform/assembly/system.h"

namespace weft {

struct BuiltRun;

// Before anything is built. Throws InputError for what cannot be run, and for what does not fit into memory.
struct PlannedRun {
    PlannedRun(const ResolvedSystem& system, const ModelRegistry& registry, const RunOptions& with);

    const ResolvedSystem& resolved;
    const RunOptions& options;
    RunWorkload load;
    std::size_t ranks = 0;         // members that the workload has
    std::size_t accelerators = 0;  // and replay GPUs; members from here on are memories
    FabricPlan plan;
    std::vector<Assumption> assumptions;
    ReplayTraffic traffic;
    bool data_on;
    RunEstimate estimate;
    std::uint64_t room = 0;                        // bytes of memory that the estimate leaves, of this process
    std::unique_ptr<CutRun> cut;                   // null: the run as a whole
    const System::Elsewhere* elsewhere = nullptr;  // null: all nodes are here

    // Of a run that is cut: what ranks do depends on what others have done until then, so the executor acts for one of them at a time.
    bool in_turns() const;
    // What runs beside the workload.
    void start_others(BuiltRun& parts) const;
};

// Built, and ready to start.
struct BuiltRun {
    BuiltRun(PlannedRun& run, const ModelRegistry& registry);

    std::vector<TrafficRecorder> recorders;  // by part
    System system;
    LineExecutor executor;
    SwitchGroups groups;
    std::optional<ChoiceResult> choice;
    std::optional<BackgroundKernel> beside;
};

}  // namespace weft
