#include "platform/plotting/line_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr double left = 80;
constexpr double right = 740;
constexpr double top = 64;
constexpr double panel_height = 316;
constexpr double below_height = 140;
constexpr double panel_gap = 22;  // between panels
constexpr double foot = 60;       // under the last one
constexpr double letter = 7;      // width of one, on average

const char* const colours[] = {"#2563eb", "#c2410c", "#15803d", "#7c3aed", "#0891b2", "#be185d", "#a16207", "#4b5563"};
const char* const grid_style = "stroke=\"#e5e7eb\"";
const char* const axis_style = "stroke=\"#6b7280\"";

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : static_cast<unsigned char>(c) < ' ' ? " " : std::string(1, c);
    return out;
}

std::string with_note(const std::string& title, const PlotAxis& axis)
{
    const std::string note = axis.note();
    if (note.empty()) return title;
    return title + (title.empty() ? "" : ", ") + note;
}

class Picture {
public:
    explicit Picture(const LinePlot& plot)
        : plot_(plot), x_(plot.words_x      ? PlotAxis::Kind::words
                               : plot.log_x ? PlotAxis::Kind::logarithmic
                                            : PlotAxis::Kind::linear,
                           x_range(plot))
    {
    }

    std::string text()
    {
        const double bottom = top + panel_height + (plot_.below ? panel_gap + below_height : 0);
        frame(bottom + foot);
        label((left + right) / 2, bottom + foot - 14, "middle", with_note(plot_.x_title, x_));
        legend_y_ = top + 8;
        if (!plot_.legend.empty()) {
            label(right + 16, legend_y_, "start", plot_.legend, "font-weight=\"bold\"");
            legend_y_ += 20;
        }
        panel(plot_, top, top + panel_height, !plot_.below);
        if (plot_.below) {
            legend_y_ = std::max(legend_y_, top + panel_height + panel_gap + 8);
            panel(*plot_.below, bottom - below_height, bottom, true);
        }
        if (any_missing_) {
            legend_y_ += 6;
            cross(right + 27, legend_y_ - 4, "#1f2937");
            label(right + 44, legend_y_, "start", "no result");
        }
        return out_ + "</svg>\n";
    }

private:
    static void widen(PlotAxis::Range& range, bool& any, double value)
    {
        range.least = any ? std::min(range.least, value) : value;
        range.most = any ? std::max(range.most, value) : value;
        any = true;
    }

    // A point without a value has its place along x.
    static PlotAxis::Range x_range(const LinePlot& plot)
    {
        PlotAxis::Range out;
        out.end = plot.most_x;
        bool any = false;
        for (const PlotCurve& curve : plot.curves)
            for (const PlotPoint& point : curve.points)
                if (std::isfinite(point.x) && (!plot.log_x || point.x > 0)) widen(out, any, point.x);
        return out;
    }

    PlotAxis::Range y_range(const PlotPanel& panel) const
    {
        PlotAxis::Range out;
        out.end = panel.most_y;
        out.zero = panel.zero;
        bool any = false;
        for (const PlotCurve& curve : panel.curves)
            for (const PlotPoint& point : curve.points)
                if (x_.takes(point.x) && std::isfinite(point.y) && (!panel.log_y || point.y > 0))
                    widen(out, any, point.y);
        if (panel.level && any && !panel.log_y) widen(out, any, *panel.level);
        return out;
    }

    double x(double value) const { return left + x_.place(value) * (right - left); }

    void line(double x1, double y1, double x2, double y2, const std::string& style)
    {
        out_ +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
    }
    void label(double at_x, double at_y, const char* anchor, const std::string& text, const char* style = "")
    {
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", at_x, at_y, anchor,
            style, escaped(text));
    }
    void cross(double at_x, double at_y, const std::string& colour)
    {
        const std::string style = fmt::format("class=\"missing\" stroke=\"{}\" stroke-width=\"2\"", colour);
        line(at_x - 4, at_y - 4, at_x + 4, at_y + 4, style);
        line(at_x - 4, at_y + 4, at_x + 4, at_y - 4, style);
    }

    void frame(double height)
    {
        std::size_t longest = plot_.legend.size();
        for (const PlotCurve& curve : plot_.curves) longest = std::max(longest, curve.name.size() + 4);
        if (plot_.below)
            for (const PlotCurve& curve : plot_.below->curves) longest = std::max(longest, curve.name.size() + 4);
        longest = std::max<std::size_t>(longest, 13);  // "no result"
        // Titles begin at the left edge of the plot; the larger one takes 9 a letter.
        const double width = std::max({right + 28 + letter * static_cast<double>(longest),
            left + 9 * static_cast<double>(plot_.title.size()), left + 6.5 * static_cast<double>(plot_.remark.size())});
        out_ =
            fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n"
                        "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
                width, height);
        label(left, 24, "start", plot_.title, "font-size=\"15\" font-weight=\"bold\"");
        if (!plot_.remark.empty()) label(left, 44, "start", plot_.remark, "fill=\"#6b7280\"");
    }

    void x_ticks(double upper, double lower, bool named)
    {
        std::vector<PlotTick> ticks = plot_.x_ticks.empty() ? x_.ticks(10) : plot_.x_ticks;
        std::stable_sort(ticks.begin(), ticks.end(), [](const PlotTick& a, const PlotTick& b) { return a.at < b.at; });
        double free = -1e9;  // right end of the last name
        for (const PlotTick& tick : ticks) {
            if (!x_.takes(tick.at) || x_.place(tick.at) < -1e-9 || x_.place(tick.at) > 1 + 1e-9) continue;
            const double at = x(tick.at);
            line(at, upper, at, lower, grid_style);
            line(at, lower, at, lower + 5, axis_style);
            const double half = letter * static_cast<double>(tick.text.size()) / 2;
            if (!named || at - half < free) continue;
            label(at, lower + 18, "middle", tick.text);
            free = at + half + 2;
        }
    }

    void panel(const PlotPanel& panel, double upper, double lower, bool last)
    {
        const PlotAxis axis(panel.log_y ? PlotAxis::Kind::logarithmic : PlotAxis::Kind::linear, y_range(panel));
        const auto y = [&](double value) { return lower - axis.place(value) * (lower - upper); };
        x_ticks(upper, lower, last);
        double free = 1e9;  // upper end of the last name
        for (const PlotTick& tick : axis.ticks(lower - upper > 200 ? 6 : 4)) {
            const double at = y(tick.at);
            line(left, at, right, at, grid_style);
            line(left - 5, at, left, at, axis_style);
            if (at + 6 > free) continue;
            label(left - 8, at + 4, "end", tick.text);
            free = at - 7;
        }
        line(left, upper, left, lower, axis_style);
        line(left, lower, right, lower, axis_style);
        out_ += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            (upper + lower) / 2, escaped(with_note(panel.y_title, axis)));
        if (panel.level && axis.place(*panel.level) >= 0 && axis.place(*panel.level) <= 1)
            line(left, y(*panel.level), right, y(*panel.level), "stroke=\"#1f2937\"");
        mark(upper, lower, &panel == &plot_);
        for (std::size_t i = 0; i < panel.curves.size(); ++i) curve(panel.curves[i], i, axis, upper, lower);
    }

    void mark(double upper, double lower, bool named)
    {
        if (!plot_.mark || !x_.takes(plot_.mark->at) || plot_.mark->at > x_.high() || x_.place(plot_.mark->at) < 0)
            return;
        const double at = x(plot_.mark->at);
        line(at, upper, at, lower, "stroke=\"#1f2937\" stroke-dasharray=\"4 4\"");
        const bool flip = at + letter * static_cast<double>(plot_.mark->text.size()) > right;
        if (named) label(at + (flip ? -6 : 6), upper + 12, flip ? "end" : "start", plot_.mark->text);
    }

    void curve(const PlotCurve& curve, std::size_t number, const PlotAxis& axis, double upper, double lower)
    {
        constexpr std::size_t count = std::size(colours);
        const std::string colour = curve.colour.empty() ? colours[number % count] : curve.colour;
        const std::string style =
            fmt::format("stroke=\"{}\"{}", colour, number / count % 2 == 1 ? " stroke-dasharray=\"6 3\"" : "");
        const double area = lower - upper;
        std::string path;
        bool joined = false;
        double last_x = 0;
        double last_y = 0;
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const PlotPoint& point = curve.points[i];
            if (!x_.takes(point.x)) continue;
            const double at_x = x(point.x);
            if (!axis.takes(point.y)) {
                cross(at_x, lower - 6, colour);
                any_missing_ = true;
                joined = false;
                continue;
            }
            double end_x = at_x;
            double at_y = lower - axis.place(point.y) * area;
            const bool beyond = at_y < upper - 0.5;
            if (beyond) {
                // Up to the edge along the straight line to the value, of which the triangle there tells.
                if (joined) end_x = last_x + (at_x - last_x) * (last_y - upper) / (last_y - at_y);
                at_y = upper;
                out_ +=
                    fmt::format("<polygon points=\"{0:.1f},{1:.1f} {2:.1f},{3:.1f} {4:.1f},{3:.1f}\" fill=\"{5}\"/>\n",
                        at_x, upper - 9, at_x - 4, upper - 2, at_x + 4, colour);
            } else if (!curve.open || i + 1 < curve.points.size()) {
                out_ +=
                    fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", at_x, at_y, colour);
            }
            if (!beyond || joined)
                path += fmt::format("{}{:.1f} {:.1f}", joined ? " L" : path.empty() ? "M" : " M", end_x, at_y);
            joined = !beyond;
            last_x = at_x;
            last_y = at_y;
        }
        if (!path.empty()) out_ += fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-width=\"1.8\"/>\n", path, style);
        line(right + 16, legend_y_ - 4, right + 38, legend_y_ - 4, style + " stroke-width=\"2\"");
        label(right + 44, legend_y_, "start", curve.name);
        legend_y_ += 18;
    }

    const LinePlot& plot_;
    PlotAxis x_;
    double legend_y_ = 0;
    bool any_missing_ = false;
    std::string out_;
};

}  // namespace

std::string line_plot_svg(const LinePlot& plot) { return Picture(plot).text(); }

}  // namespace weft
