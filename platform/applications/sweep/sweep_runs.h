// Runs the points of a sweep, or those of them that are ours and have no result yet.
#pragma once

#include <vector>

#include "platform/applications/sweep/shared_runs.h"
#include "platform/applications/sweep/sweep_points.h"
#include "platform/applications/sweep/sweep_table.h"

namespace weft {

struct SweepOutcome {
    std::vector<SweepRow> rows;  // of our points
    bool interrupted = false;
};

// `base`: the arguments of `weft run` that all points have.
SweepOutcome run_points(const RunSharing& how, const Arguments& base, const std::vector<SweepAxis>& axes,
    const std::vector<SweepPoint>& points, const std::vector<std::string>& columns);

}  // namespace weft
