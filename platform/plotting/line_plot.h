// Curves over one axis as an SVG picture: grid, ticks, titles, and a legend beside the plot. A second panel below may show
// other values over the same axis.
//
// A point without a value leaves a gap in its curve and a cross on the axis. A value beyond the end of the axis leaves a
// triangle there. A logarithmic axis says so, and a linear one that does not start at zero.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "platform/plotting/plot_axis.h"

namespace weft {

struct PlotPoint {
    static constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

    double x = 0;
    double y = 0;  // no_value: a result that is missing
};

struct PlotCurve {
    std::string name;
    std::vector<PlotPoint> points;  // joined in this order
    bool open = false;              // goes on from its last point, which is no value of its own
    std::string colour;             // empty: the next of a fixed list
};

// Curves that share the picture's x axis.
struct PlotPanel {
    std::string y_title;
    bool log_y = false;            // takes positive values only
    bool zero = false;             // linear: 0 is on the axis
    std::optional<double> most_y;  // curves are cut off there
    std::optional<double> level;   // a line across
    std::vector<PlotCurve> curves;
};

struct LinePlot : PlotPanel {
    std::string title;
    std::string remark;  // below the title
    std::string x_title;
    std::string legend;             // above the names of the curves
    bool log_x = false;             // takes positive values only
    bool words_x = false;           // x are the numbers of words, which x_ticks name
    std::vector<PlotTick> x_ticks;  // empty: round numbers
    std::optional<double> most_x;   // where the axis ends; beyond the largest value unless given
    std::optional<PlotTick> mark;   // an upright dashed line
    std::optional<PlotPanel> below;
};

std::string line_plot_svg(const LinePlot& plot);

}  // namespace weft
