// Latency over footprints as an SVG picture: the footprint in octaves, with the published plateaus.
#include <algorithm>

#include "base/units.h"
#include "platform/plotting/line_plot.h"
#include "platform/applications/probe/report.h"

namespace weft {

std::string probe_svg(const ProbeReport& report)
{
    const auto& curves = report.result.curves;
    const auto found = std::find_if(curves.begin(), curves.end(), [](const ProbeCurve& c) { return c.x_unit == "B"; });
    if (found == curves.end() || found->points.empty()) return {};
    LinePlot plot;
    plot.title = report.profile + ": dependent load over footprint";
    plot.x_title = "footprint";
    plot.y_title = "ns per load";
    plot.log_x = true;
    PlotCurve measured{"simulated", {}, false, {}};
    for (const auto& [bytes, ns] : found->points) measured.points.push_back({bytes, ns});
    const double first = measured.points.front().x;
    const double last = measured.points.back().x;
    for (double bytes = first; bytes <= last * 1.001; bytes *= 4)
        plot.x_ticks.push_back({bytes, format_bytes(static_cast<std::uint64_t>(bytes))});
    plot.curves.push_back(std::move(measured));
    for (const char* row : {"latency.l1", "latency.l2", "latency.l2_far", "latency.memory_side", "latency.dram"}) {
        const PublishedFigure* figure = report.figure(row);
        if (figure == nullptr) continue;
        plot.curves.push_back({std::string(row) + " published: " + figure->text() + " ns",
            {{first, figure->middle()}, {last, figure->middle()}}, false, {}});
    }
    return line_plot_svg(plot);
}

}  // namespace weft
