#include "platform/applications/fabric/fabric_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "platform/plotting/line_plot.h"

namespace weft {

namespace {

// Beyond saturation latency has no end: the picture shows up to four times the lowest of it, and what is steady up to ten
// times.
double most_shown_ns(const std::vector<const FabricPoint*>& points)
{
    double steady = 0;
    double most = 0;
    double lowest = 0;
    for (const FabricPoint* point : points) {
        if (std::isnan(point->arrival.mean)) continue;
        if (lowest == 0) lowest = point->arrival.mean * 1e-3;
        const double p99 = static_cast<double>(point->arrival.p99) * 1e-3;
        most = std::max(most, p99);
        if (point->arrival.steady) steady = std::max(steady, p99);
    }
    return std::max({1e-3, std::min(1.1 * steady, 10 * lowest), std::min(1.1 * most, 4 * lowest)});
}

template <class Value>
PlotCurve curve(const std::vector<const FabricPoint*>& points, const char* name, const char* colour, const Value& value)
{
    PlotCurve out{name, {}, false, colour};
    for (const FabricPoint* point : points) out.points.push_back({point->load, value(*point)});
    return out;
}

}  // namespace

std::string fabric_svg(const FabricSweep& sweep)
{
    const FabricSetting& setting = sweep.setting;
    const std::vector<const FabricPoint*> points = points_of(sweep);
    LinePlot plot;
    plot.title = setting.system + ": latency against load, pattern " + setting.pattern;
    plot.remark = fmt::format("{} endpoints; load 1 = {:.4g} GB/s of payload each; seed {}", setting.endpoints,
        setting.capacity_GBps, setting.seed);
    plot.x_title = "offered load (share of injection capacity)";
    plot.y_title = "creation to arrival (ns)";
    plot.most_x = 1.05;
    plot.zero = true;
    plot.most_y = most_shown_ns(points);
    const FabricSaturation saturation = saturation_of(sweep);
    if (saturation.reached && sweep.whole()) {
        const bool estimate = saturation.is_estimate();
        const double load = estimate ? saturation.accepted : saturation.at_least();
        plot.mark = PlotTick{load, fmt::format("saturation {}{:.3f}", estimate ? "" : "above ", load)};
    }
    const auto known = [](const FabricPoint& point, Time ps) {
        return std::isnan(point.arrival.mean) ? point.arrival.mean : static_cast<double>(ps) * 1e-3;
    };
    plot.curves = {curve(points, "p99", "#c2410c", [&](const FabricPoint& p) { return known(p, p.arrival.p99); }),
        curve(points, "p50", "#7c8a99", [&](const FabricPoint& p) { return known(p, p.arrival.p50); }),
        curve(points, "mean", "#2563eb", [](const FabricPoint& p) { return p.arrival.mean * 1e-3; })};
    PlotPanel accepted;
    accepted.y_title = "accepted load";
    accepted.zero = true;
    accepted.curves = {curve(points, "offered", "#c3cad2", [](const FabricPoint& p) { return p.offered; }),
        curve(points, "accepted", "#15803d", [](const FabricPoint& p) { return p.accepted; })};
    plot.below = accepted;
    return line_plot_svg(plot);
}

}  // namespace weft
