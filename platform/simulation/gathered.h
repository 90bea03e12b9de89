// Collects the results of a run from the parts of a system.
#pragma once

#include <optional>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "platform/workload/run_workload.h"
#include "platform/result/run_result.h"
#include "platform/assembly/system.h"

namespace weft {

// `accelerators`: endpoints that are no memories.
std::vector<RankResult> rank_results(const System& system, const FabricPlan& plan, const RunWorkload& load,
    std::size_t accelerators);
// By accelerator, switch and link; nothing for one that another process has.
std::vector<std::vector<ModuleResult>> module_results(const System& system, const ResolvedSystem& resolved,
    const FabricPlan& plan);
// Where what `modules` wrote is not what their models declare; a sentence each.
std::vector<std::string> undeclared_statistics(const std::vector<ModuleResult>& modules, const ModelRegistry& registry);
std::vector<CollectiveResult> collective_results(const Executor& executor);
// What the proof of schedules says of a run without data that has finished: "passed", or "off" where no operation has a known result.
std::string proved(const Executor& executor);

// The bytes of the schedule on each link, and the counted bytes.
void add_theory(const FabricModules& fabric, const std::optional<std::vector<double>>& payload,
    std::vector<LinkResult>& links);

}  // namespace weft
