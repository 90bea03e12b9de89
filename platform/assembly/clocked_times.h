// Where clocked models differ from their parameters: latencies are whole clocks, and groups have at most 64 contexts; and what clocked links
// cannot be.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Whether this is a built-in model of a switch behind the pins of a clocked block.
bool is_clocked_switch(const std::string& model);
// The same of a link. These repeat packets whatever link.retry says.
bool is_clocked_link(const std::string& model);

// Throws InputError, at the last word on the values, for a built-in clocked link of the run whose parameters its endpoints cannot have.
void require_clocked_links(const ResolvedSystem& system, const FabricPlan& plan);

// A sentence for each latency of built-in clocked links and switches of the run that is no whole number of their clocks, or fewer than they take.
std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan);
// For a run with operations in switches: a sentence for each switch.group_contexts that its built-in clocked switches do not have, and one if
// their inputs have a single queue.
std::vector<std::string> clocked_group_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
