#include "platform/fabric/fabric_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/plot/line_plot.h"

namespace weft {

namespace {

// Near saturation latency has no end: the picture shows up to ten times the lowest.
double most_shown_ns(const FabricSweep& sweep)
{
    double most = 0;
    for (const FabricPoint& point : sweep.points)
        if (point.arrival.steady) most = std::max(most, static_cast<double>(point.arrival.p99) * 1e-3);
    const double lowest = sweep.points.empty() ? 0 : sweep.points.front().arrival.mean * 1e-3;
    return std::max(1e-3, std::min(most > 0 ? most * 1.1 : 10 * lowest, 10 * lowest));
}

template <class Value>
PlotCurve curve(const FabricSweep& sweep, const char* name, const char* colour, double most_ns, const Value& value)
{
    PlotCurve out;
    out.name = name;
    out.colour = colour;
    for (const FabricPoint& point : sweep.points) {
        const double ns = value(point) * 1e-3;
        out.points.push_back({point.load, ns});
        out.open = !point.arrival.steady || ns > most_ns;
        if (out.open) break;
    }
    return out;
}

}  // namespace

std::string fabric_svg(const FabricSweep& sweep)
{
    const FabricSetting& setting = sweep.setting;
    const double most_ns = most_shown_ns(sweep);
    double most_load = 0;
    for (const FabricPoint& point : sweep.points) most_load = std::max(most_load, point.load);
    LinePlot plot;
    plot.title = setting.system + ": latency against load, pattern " + setting.pattern;
    plot.remark = fmt::format("{} endpoints; load 1 = {:.4g} GB/s of payload each; seed {}", setting.endpoints,
        setting.capacity_GBps, setting.seed);
    plot.x_title = "offered load (share of injection capacity)";
    plot.y_title = "creation to arrival (ns)";
    plot.most_x = std::min(1.0, most_load * 1.05);
    plot.most_y = most_ns;
    const double saturation = saturation_of(sweep);
    plot.mark = PlotTick{saturation, fmt::format("saturation {:.3f}", saturation)};
    plot.curves = {
        curve(sweep, "p99", "#c2410c", most_ns, [](const FabricPoint& p) { return static_cast<double>(p.arrival.p99); }),
        curve(sweep, "p50", "#7c8a99", most_ns, [](const FabricPoint& p) { return static_cast<double>(p.arrival.p50); }),
        curve(sweep, "mean", "#2563eb", most_ns, [](const FabricPoint& p) { return p.arrival.mean; })};
    return line_plot_svg(plot);
}

}  // namespace weft
