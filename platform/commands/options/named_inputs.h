// Files that the runs of a sweep will read, noted before any of them starts: an output must be none of them.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/sweep/sweep_points.h"
#include "platform/configuration/system_file.h"

namespace weft {

// All throw InputError for a file that is an output. What is not there is left to the run, which refuses it.

void note_named_input(const std::string& path);

// Plan, traces and groups.
void note_named_inputs(const Workload& workload);

// Profiles, traffic of replays, and the workload.
void note_named_inputs(const SystemDescription& description);

// Values of plan, profile and model.
void note_named_inputs(const std::vector<SweepAxis>& axes);

}  // namespace weft
