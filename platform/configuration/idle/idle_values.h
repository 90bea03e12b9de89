// Values that a user has set and that change nothing.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/configuration/used_parts.h"

namespace weft {

// A notice for each, in the order of blocks; `system` has all its values.
std::vector<std::string> idle_values(const ResolvedSystem& system, const Workload& workload);

// Those of modules, as if the system had no others than `used`: a value that counts only where no route of a run passes changes nothing
// in that run.
std::vector<std::string> idle_module_values(const ResolvedSystem& system, const UsedParts& used);

// Parts of idle_values(), each in a file of its own.
// Rings, pipeline and dimensions of a workload whose algorithm does not use them.
void note_idle_workload(const Workload& workload, std::vector<std::string>& out);
// Parameters of engines that its steps do not use, and of compute nodes that it does not have.
void note_idle_engine(const ResolvedSystem& system, const Workload& workload, std::vector<std::string>& out);
// Parameters that another value of the same module switches off.
void note_idle_conditions(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out);

}  // namespace weft
