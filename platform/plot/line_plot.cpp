#include "platform/plot/line_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr double left = 80;
constexpr double right = 740;
constexpr double top = 64;
constexpr double bottom = 380;
constexpr double height = 440;
constexpr double letter = 7;  // width of one in the legend, on average

const char* const colours[] = {"#2563eb", "#c2410c", "#15803d", "#7c3aed", "#0891b2", "#be185d", "#a16207", "#4b5563"};

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : static_cast<unsigned char>(c) < ' ' ? " " : std::string(1, c);
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

// From values to places between 0 and 1.
class Axis {
public:
    // Linear axes start at 0 unless all values lie far from it.
    Axis(double least, double most, bool logarithmic, std::optional<double> end) : logarithmic_(logarithmic)
    {
        if (logarithmic) {
            const double margin = most > least ? std::pow(most / least, 0.04) : 2;
            low_ = least / margin;
            high_ = end.value_or(most * margin);
        } else {
            low_ = least > 0.6 * most || least < 0 ? least : 0;
            high_ = end.value_or(most + 0.05 * (most - low_));
            if (low_ > 0) low_ -= 0.05 * (high_ - low_);
        }
        if (!(high_ > low_)) high_ = low_ + (low_ == 0 ? 1 : std::abs(low_));
    }

    double place(double value) const
    {
        if (logarithmic_) return std::log(std::max(value, low_) / low_) / std::log(high_ / low_);
        return (value - low_) / (high_ - low_);
    }

    double high() const { return high_; }

    std::vector<PlotTick> ticks(double most) const
    {
        std::vector<PlotTick> out;
        const auto add = [&](double at) { out.push_back({at, fmt::format("{:.6g}", at)}); };
        if (logarithmic_) {
            const bool between = high_ / low_ < 1000;
            for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10)
                for (const double factor : {1.0, 2.0, 5.0})
                    if ((between || factor == 1) && factor * power >= low_ && factor * power <= high_) add(factor * power);
            if (out.size() >= 2) return out;
            out.clear();
        }
        const double step = step_for(high_ - low_, most);
        for (double i = std::ceil(low_ / step); i * step <= high_ * 1.0001; ++i) add(i * step);
        return out;
    }

private:
    bool logarithmic_;
    double low_ = 0;
    double high_ = 1;
};

class Picture {
public:
    explicit Picture(const LinePlot& plot)
        : plot_(plot), x_(axis(plot.log_x, plot.most_x, [](const PlotPoint& p) { return p.x; })),
          y_(axis(plot.log_y, plot.most_y, [](const PlotPoint& p) { return p.y; }))
    {
    }

    std::string text()
    {
        frame();
        for (const PlotTick& tick : plot_.x_ticks.empty() ? x_.ticks(10) : plot_.x_ticks) {
            line(x(tick.at), top, x(tick.at), bottom, "stroke=\"#e5e7eb\"");
            label(x(tick.at), bottom + 18, "middle", tick.text);
        }
        for (const PlotTick& tick : y_.ticks(6)) {
            line(left, y(tick.at), right, y(tick.at), "stroke=\"#e5e7eb\"");
            label(left - 8, y(tick.at) + 4, "end", tick.text);
        }
        mark();
        double legend_y = top + 8;
        if (!plot_.legend.empty()) {
            label(right + 16, legend_y, "start", plot_.legend, "font-weight=\"bold\"");
            legend_y += 20;
        }
        for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
            curve(plot_.curves[i], i, legend_y);
            legend_y += 18;
        }
        return out_ + "</svg>\n";
    }

private:
    template <class Value>
    Axis axis(bool logarithmic, std::optional<double> end, const Value& value) const
    {
        bool any = false;
        double least = 1;
        double most = 1;
        for (const PlotCurve& curve : plot_.curves)
            for (const PlotPoint& point : curve.points) {
                const double v = value(point);
                if (!shown(point)) continue;
                least = any ? std::min(least, v) : v;
                most = any ? std::max(most, v) : v;
                any = true;
            }
        return {least, most, logarithmic, end};
    }

    bool shown(const PlotPoint& point) const
    {
        return std::isfinite(point.x) && std::isfinite(point.y) && (!plot_.log_x || point.x > 0) &&
               (!plot_.log_y || point.y > 0);
    }

    double x(double value) const { return left + x_.place(value) * (right - left); }
    double y(double value) const { return bottom - std::min(y_.place(value), 1.02) * (bottom - top); }

    void line(double x1, double y1, double x2, double y2, const std::string& style)
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
        std::size_t longest = plot_.legend.size();
        for (const PlotCurve& curve : plot_.curves) longest = std::max(longest, curve.name.size() + 4);
        const double width = right + 28 + letter * static_cast<double>(longest);
        out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1}\" width=\"{0:.0f}\" "
                           "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n"
                           "<rect width=\"{0:.0f}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height);
        label(left, 24, "start", plot_.title, "font-size=\"15\" font-weight=\"bold\"");
        if (!plot_.remark.empty()) label(left, 44, "start", plot_.remark, "fill=\"#6b7280\"");
        label((left + right) / 2, height - 14, "middle", plot_.x_title);
        out_ += fmt::format("<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            (top + bottom) / 2, escaped(plot_.y_title));
    }

    void mark()
    {
        if (!plot_.mark || plot_.mark->at > x_.high() || x_.place(plot_.mark->at) < 0) return;
        const double at = x(plot_.mark->at);
        line(at, top, at, bottom, "stroke=\"#1f2937\" stroke-dasharray=\"4 4\"");
        const bool flip = at > right - 140;
        label(at + (flip ? -6 : 6), top + 12, flip ? "end" : "start", plot_.mark->text);
    }

    void curve(const PlotCurve& curve, std::size_t number, double legend_y)
    {
        constexpr std::size_t count = std::size(colours);
        const std::string colour = curve.colour.empty() ? colours[number % count] : curve.colour;
        const std::string style = fmt::format("stroke=\"{}\"{}", colour,
            number / count % 2 == 1 ? " stroke-dasharray=\"6 3\"" : "");
        std::string path;
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const PlotPoint& point = curve.points[i];
            if (!shown(point)) continue;
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x(point.x), y(point.y));
            if (!curve.open || i + 1 < curve.points.size())
                out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", x(point.x), y(point.y),
                    colour);
        }
        if (!path.empty()) out_ += fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-width=\"1.8\"/>\n", path, style);
        line(right + 16, legend_y - 4, right + 38, legend_y - 4, style + " stroke-width=\"2\"");
        label(right + 44, legend_y, "start", curve.name);
    }

    const LinePlot& plot_;
    Axis x_;
    Axis y_;
    std::string out_;
};

}  // namespace

std::string line_plot_svg(const LinePlot& plot) { return Picture(plot).text(); }

}  // namespace weft
