#include "platform/fabric/fabric_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr double width = 760;
constexpr double height = 440;
constexpr double left = 80;
constexpr double right = 740;
constexpr double top = 64;
constexpr double bottom = 380;

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

// A step of 1, 2 or 5 times a power of ten that cuts `span` into at most `most` parts.
double step_for(double span, double most)
{
    const double raw = span / most;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw) return factor * power;
    return 10 * power;
}

class Plot {
public:
    explicit Plot(const FabricSweep& sweep) : sweep_(sweep)
    {
        double lowest = 0;
        for (const FabricPoint& point : sweep.points) {
            most_load_ = std::max(most_load_, point.load);
            if (point.arrival.steady) most_ns_ = std::max(most_ns_, static_cast<double>(point.arrival.p99) * 1e-3);
            if (lowest == 0) lowest = point.arrival.mean * 1e-3;
        }
        // Near saturation latency has no end: the picture shows up to ten times the lowest.
        most_ns_ = std::max(1e-3, std::min(most_ns_ > 0 ? most_ns_ * 1.1 : 10 * lowest, 10 * lowest));
        most_load_ = std::min(1.0, most_load_ * 1.05);
    }

    std::string text()
    {
        frame();
        grid();
        saturation();
        curve("p99", "#c2410c", [](const FabricPoint& p) { return static_cast<double>(p.arrival.p99); });
        curve("p50", "#7c8a99", [](const FabricPoint& p) { return static_cast<double>(p.arrival.p50); });
        curve("mean", "#2563eb", [](const FabricPoint& p) { return p.arrival.mean; });
        return out_ + "</svg>\n";
    }

private:
    double x(double load) const { return left + load / most_load_ * (right - left); }
    double y(double ns) const { return bottom - std::min(ns / most_ns_, 1.02) * (bottom - top); }

    void line(double x1, double y1, double x2, double y2, const char* style)
    {
        out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
    }
    void label(double at_x, double at_y, const char* anchor, const std::string& text, const char* style = "")
    {
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", at_x, at_y, anchor, style,
            escaped(text));
    }

    void frame()
    {
        const FabricSetting& setting = sweep_.setting;
        out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                           "font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n"
                           "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height);
        label(left, 24, "start", setting.system + ": latency against load, pattern " + setting.pattern,
            "font-size=\"15\" font-weight=\"bold\"");
        label(left, 44, "start",
            fmt::format("{} endpoints; load 1 = {:.4g} GB/s of payload each; seed {}", setting.endpoints,
                setting.capacity_GBps, setting.seed),
            "fill=\"#6b7280\"");
        label((left + right) / 2, height - 14, "middle", "offered load (share of injection capacity)");
        out_ += fmt::format("<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">"
                            "creation to arrival (ns)</text>\n",
            (top + bottom) / 2);
    }

    void grid()
    {
        const double load_step = step_for(most_load_, 10);
        for (int i = 0; i * load_step <= most_load_ * 1.0001; ++i) {
            line(x(i * load_step), top, x(i * load_step), bottom, "stroke=\"#e5e7eb\"");
            label(x(i * load_step), bottom + 18, "middle", fmt::format("{:.4g}", i * load_step));
        }
        const double ns_step = step_for(most_ns_, 6);
        for (int i = 0; i * ns_step <= most_ns_ * 1.0001; ++i) {
            line(left, y(i * ns_step), right, y(i * ns_step), "stroke=\"#e5e7eb\"");
            label(left - 8, y(i * ns_step) + 4, "end", fmt::format("{:.6g}", i * ns_step));
        }
    }

    void saturation()
    {
        const double at = saturation_of(sweep_);
        if (at > most_load_) return;
        line(x(at), top, x(at), bottom, "stroke=\"#1f2937\" stroke-dasharray=\"4 4\"");
        const bool flip = x(at) > right - 140;
        label(x(at) + (flip ? -6 : 6), top + 12, flip ? "end" : "start", fmt::format("saturation {:.3f}", at));
    }

    template <class Value>
    void curve(const char* name, const char* colour, const Value& value)
    {
        std::string path;
        double last_x = left;
        double last_y = bottom;
        for (const FabricPoint& point : sweep_.points) {
            const double ns = value(point) * 1e-3;
            last_x = x(point.load);
            last_y = y(ns);
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", last_x, last_y);
            if (!point.arrival.steady || ns > most_ns_) break;
            out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", last_x, last_y, colour);
        }
        out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", path, colour);
        legend(name, colour);
    }

    void legend(const char* name, const char* colour)
    {
        const double at_y = 24 + 16 * legends_++;
        line(right - 70, at_y - 4, right - 48, at_y - 4, fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour).c_str());
        label(right - 42, at_y, "start", name);
    }

    const FabricSweep& sweep_;
    double most_load_ = 0;
    double most_ns_ = 0;
    int legends_ = 0;
    std::string out_;
};

}  // namespace

std::string fabric_svg(const FabricSweep& sweep) { return Plot(sweep).text(); }

}  // namespace weft
