// Latency over footprints as an SVG picture: the footprint in octaves, with the published plateaus.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/probe/report.h"

namespace weft {

namespace {

constexpr double width = 760;
constexpr double height = 440;
constexpr double left = 70;
constexpr double right = 740;
constexpr double top = 50;
constexpr double bottom = 380;

std::string line(double x1, double y1, double x2, double y2, const char* style)
{
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string label(double x, double y, const char* anchor, const std::string& text, const char* style = "")
{
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, style, text);
}

}  // namespace

std::string probe_svg(const ProbeReport& report)
{
    const auto& curves = report.result.curves;
    const auto found = std::find_if(curves.begin(), curves.end(), [](const ProbeCurve& c) { return c.x_unit == "B"; });
    if (found == curves.end() || found->points.empty()) return {};
    const ProbeCurve& curve = *found;
    double most = 0;
    for (const auto& point : curve.points) most = std::max(most, point.second);
    most *= 1.1;
    const double first = std::log2(curve.points.front().first);
    const double octaves = std::max(1.0, std::log2(curve.points.back().first) - first);
    const auto x = [&](double bytes) { return left + (std::log2(bytes) - first) / octaves * (right - left); };
    const auto y = [&](double ns) { return bottom - ns / most * (bottom - top); };

    std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                                  "font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n"
                                  "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        width, height);
    out += label(left, 28, "start", report.profile + ": dependent load over footprint", "font-size=\"15\" font-weight=\"bold\"");
    for (double bytes = curve.points.front().first; bytes <= curve.points.back().first * 1.001; bytes *= 4) {
        out += line(x(bytes), top, x(bytes), bottom, "stroke=\"#e5e7eb\"");
        out += label(x(bytes), bottom + 18, "middle", format_bytes(static_cast<std::uint64_t>(bytes)));
    }
    const double step = most > 250 ? 100 : 25;
    for (double ns = 0; ns <= most; ns += step) {
        out += line(left, y(ns), right, y(ns), "stroke=\"#e5e7eb\"");
        out += label(left - 8, y(ns) + 4, "end", fmt::format("{:.0f}", ns));
    }
    for (const char* row : {"latency.l1", "latency.l2", "latency.l2_far", "latency.memory_side", "latency.dram"}) {
        const PublishedFigure* figure = report.figure(row);
        if (figure == nullptr) continue;
        out += line(left, y(figure->middle()), right, y(figure->middle()), "stroke=\"#c2410c\" stroke-dasharray=\"4 4\"");
        out += label(left + 4, y(figure->middle()) - 4, "start", fmt::format("{} published: {} ns", row, figure->text()),
            "fill=\"#c2410c\"");
    }
    std::string path;
    for (const auto& [bytes, ns] : curve.points) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x(bytes), y(ns));
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.4\" fill=\"#2563eb\"/>\n", x(bytes), y(ns));
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#2563eb\" stroke-width=\"1.8\"/>\n", path);
    out += label((left + right) / 2, height - 14, "middle", "footprint");
    out += fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">ns per load</text>\n", (top + bottom) / 2);
    return out + "</svg>\n";
}

}  // namespace weft
