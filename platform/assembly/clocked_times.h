// Where clocked models differ from their parameters: latencies are whole clocks, and groups have at most 64 contexts.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Whether this is a built-in model of a switch behind the pins of a clocked block.
bool is_clocked_switch(const std::string& model);

// A sentence for each latency of built-in clocked links and switches of the run that is no whole number of their clocks.
std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan);
// For a run with operations in switches: a sentence for each switch.group_contexts that its built-in clocked switches do not have, and one if
// their inputs have a single queue.
std::vector<std::string> clocked_group_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
