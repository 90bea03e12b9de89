// The outcome of a sweep as a picture: one column over one key, a curve for each combination of the other keys.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/sweep/sweep_points.h"
#include "platform/applications/sweep/sweep_table.h"

namespace weft {

struct SweepPlot {
    std::string title;  // empty: what is shown over what
    std::string x;      // a key; empty: of the numeric ones, or else of all, the one with the most values
    std::string y = "time";
};

// Throws InputError for an `x` that is not swept and a `y` that is no column.
void check_plot(const SweepPlot& plot, const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns);

// Rows without a result, or without a number in the column, leave a gap in their curve and a mark.
std::string sweep_svg(const SweepPlot& wanted, const std::vector<SweepAxis>& axes,
    const std::vector<std::string>& columns, const std::vector<SweepRow>& rows);

}  // namespace weft
