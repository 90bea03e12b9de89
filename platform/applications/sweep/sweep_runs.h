// Runs the points of a sweep, or those of them that are ours and have no result yet.
#pragma once

#include <optional>
#include <vector>

#include "platform/applications/sweep/sweep_points.h"
#include "platform/applications/sweep/sweep_shard.h"
#include "platform/applications/sweep/sweep_store.h"
#include "platform/applications/sweep/sweep_table.h"

namespace weft {

// How the points are run, and by whom.
struct SweepRuns {
    std::optional<SweepStore> store;  // where results are kept
    SweepShard shard;
    bool merge = false;  // nothing is run
    unsigned jobs = 1;
    bool show_progress = false;
};

struct SweepOutcome {
    std::vector<SweepRow> rows;  // of our points
    bool interrupted = false;
};

// `base`: the arguments of `weft run` that all points have. On stderr: how many points had a result already, and why others
// of which results were kept are run again.
SweepOutcome run_points(const SweepRuns& how, const Arguments& base, const std::vector<SweepAxis>& axes,
    const std::vector<SweepPoint>& points, const std::vector<std::string>& columns);

}  // namespace weft
