// Notices of a run at flow fidelity: where its times differ from those by lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/flow/flow_executor.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Beyond this share, the data of a run that go in parts of lines are told.
constexpr double most_in_partial_lines = 0.05;

// `first_loads`: most_first_loads() of its schedules. `schedule`: of a run of one collective; null: of none, or not written out.
std::vector<std::string> flow_notices(const ResolvedSystem& resolved, const FlowCore& core,
    const FlowExecutor& executor, std::size_t ranks, std::uint32_t first_loads, const Schedule* schedule = nullptr);

// Places of workgroups of the first `ranks` endpoints.
std::vector<PlaceUse> places_of(const FlowCore& core, std::size_t ranks);

}  // namespace weft
