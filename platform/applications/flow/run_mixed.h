// A mixed run: some nodes of a system line by line, the rest as flow (docs/models/mixed.md).
#pragma once

#include "platform/simulation/run.h"

namespace weft {

// As run_system(), of which RunOptions::lines says what is simulated line by line. Throws InputError for what cannot be divided so.
RunResult run_mixed(const ResolvedSystem& resolved, const ModelRegistry& registry, const RunOptions& options);

}  // namespace weft
