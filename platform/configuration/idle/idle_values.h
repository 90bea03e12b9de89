// Values that a user has set and that change nothing.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"

namespace weft {

// A notice for each, in the order of blocks; `system` has all its values.
std::vector<std::string> idle_values(const ResolvedSystem& system, const Workload& workload);

// Parts of idle_values(), each in a file of its own.
// Rings, pipeline and dimensions of a workload whose algorithm does not use them.
void note_idle_workload(const Workload& workload, std::vector<std::string>& out);
// Parameters of engines that its steps do not use, and of compute nodes that it does not have.
void note_idle_engine(const ResolvedSystem& system, const Workload& workload, std::vector<std::string>& out);
// Parameters of packets that are set for links whose packets have a format of their own.
void note_idle_on_clocked_links(const ResolvedSystem& system, std::vector<std::string>& out);
// Parameters that another value of the same module switches off.
void note_idle_conditions(const ResolvedSystem& system, std::vector<std::string>& out);

}  // namespace weft
