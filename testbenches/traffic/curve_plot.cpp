#include "testbenches/traffic/curve_plot.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::testing {

namespace {

constexpr double width = 720;
constexpr double height = 420;
constexpr double left = 64;
constexpr double right = 700;
constexpr double top = 56;
constexpr double bottom = 364;
constexpr const char* ours = "#2563eb";
constexpr const char* theirs = "#c2410c";

}  // namespace

std::string curve_svg(const Curve& curve, double most)
{
    const double last = std::max(curve.points.back().load, curve.published_to) * 1.08;
    const auto x = [&](double load) { return left + load / last * (right - left); };
    const auto y = [&](double clocks) { return bottom - std::min(clocks / most, 1.0) * (bottom - top); };
    std::string out =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                    "font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n<rect width=\"{0}\" height=\"{1}\" "
                    "fill=\"#ffffff\"/>\n",
            width, height);
    const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words,
                          const char* style = "") {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", at_x, at_y, anchor,
            style, words);
    };
    const auto line = [&](double x1, double y1, double x2, double y2, const std::string& style) {
        out +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
    };

    // Saturation: a band as published, a line as simulated.
    out +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" fill-opacity=\"0.15\"/>\n",
            x(curve.published_from), top, x(curve.published_to) - x(curve.published_from), bottom - top, theirs);
    const double load_step = last > 0.6 ? 0.1 : 0.05;
    for (int i = 0; i * load_step <= last; ++i) {
        line(x(i * load_step), top, x(i * load_step), bottom, "stroke=\"#e5e7eb\"");
        text(x(i * load_step), bottom + 18, "middle", fmt::format("{:.2f}", i * load_step));
    }
    for (int clocks = 0; clocks <= most; clocks += 10) {
        line(left, y(clocks), right, y(clocks), "stroke=\"#e5e7eb\"");
        text(left - 8, y(clocks) + 4, "end", std::to_string(clocks));
    }
    line(x(curve.saturation), top, x(curve.saturation), bottom,
        fmt::format("stroke=\"{}\" stroke-dasharray=\"4 4\"", ours));
    text(left, 24, "start", curve.title, "font-size=\"15\" font-weight=\"bold\"");
    text((left + right) / 2, height - 16, "middle", "offered load (lines per endpoint and clock)");
    out += fmt::format(
        "<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">latency (clocks)</text>\n",
        (top + bottom) / 2);

    std::string path;
    for (const CurvePoint& point : curve.points) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x(point.load), y(point.simulated));
        if (point.simulated <= most) {
            line(x(point.load), y(point.simulated - point.half_width), x(point.load),
                y(point.simulated + point.half_width), fmt::format("stroke=\"{}\"", ours));
            out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x(point.load),
                y(point.simulated), ours);
        }
        if (point.published > 0 && point.published <= most)
            out += fmt::format(
                "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
                x(point.load), y(point.published), theirs);
        if (point.simulated > most) break;
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", path, ours);

    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2.5\" fill=\"{}\"/>\n", left + 24, top + 16, ours);
    text(left + 36, top + 20, "start", fmt::format("Weft; accepted at most {:.3f} (dashed)", curve.saturation));
    out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
        left + 24, top + 36, theirs);
    text(left + 36, top + 40, "start",
        fmt::format("{}; saturates at {} to {} (band)", curve.reference, curve.published_from, curve.published_to));
    return out + "</svg>\n";
}

}  // namespace weft::testing
