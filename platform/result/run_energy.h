// The events of a finished run that have an energy: bits on links and through switches, accesses, operations, idle
// time.
#pragma once

#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"

namespace weft {

// Half of a link is counted at each end, but for ends at a switch that the table has a figure of.
std::vector<EnergyCount> energy_counts(const RunResult& result, const ResolvedSystem& resolved,
    const EnergyTable& table);
EnergyResult energy_of_run(const RunResult& result, const ResolvedSystem& resolved, const EnergyTable& table);

// The sums as a module of kind "energy"; what is not known has no statistic.
void add_energy_module(RunResult& result);

// Lines of the summary.
std::string energy_text(const EnergyResult& energy);

}  // namespace weft
