// A run at flow fidelity: the same workloads and the same result as run_system(), by whole transfers in place of 64-byte
// transactions and without SystemC. What it models: docs/models/flow.md.
//
// No data move. The schedule is verified symbolically: the whole of it up to `most_ranks_whole` ranks, and beyond that a small
// instance of the same algorithm, of which every rank's program is the same template as that of the ranks that are run.
#pragma once

#include "platform/configuration/resolved_system.h"
#include "platform/simulation/run.h"

namespace weft {

// Collectives over more ranks are written a rank at a time where their algorithm can be.
constexpr std::uint32_t most_ranks_whole = 64;
// Beyond this many ranks an algorithm that cannot is refused.
constexpr std::uint32_t most_ranks_of_schedule = 512;

// Throws InputError for what cannot be run at flow fidelity; everything that is not modelled is named.
RunResult run_flow(const ResolvedSystem& resolved, const RunOptions& options = {});

}  // namespace weft
