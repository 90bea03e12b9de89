// Curves over one axis as an SVG picture: grid, ticks, titles, and a legend beside the plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft {

struct PlotPoint {
    double x = 0;
    double y = 0;
};

struct PlotCurve {
    std::string name;
    std::vector<PlotPoint> points;  // joined in this order
    bool open = false;              // goes on from its last point, which is no value of its own
    std::string colour;             // empty: the next of a fixed list
};

struct PlotTick {
    double at = 0;
    std::string text;
};

struct LinePlot {
    std::string title;
    std::string remark;  // below the title
    std::string x_title;
    std::string y_title;
    std::string legend;  // above the names of the curves
    bool log_x = false;  // takes positive values only
    bool log_y = false;
    std::vector<PlotTick> x_ticks;  // empty: round numbers
    std::optional<double> most_x;   // where the axis ends; beyond the largest value unless given
    std::optional<double> most_y;   // curves are cut off there
    std::optional<PlotTick> mark;   // an upright dashed line
    std::vector<PlotCurve> curves;
};

std::string line_plot_svg(const LinePlot& plot);

}  // namespace weft
