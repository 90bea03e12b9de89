#include "platform/applications/sweep/sweep_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "platform/applications/sweep/sweep_energy.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/plotting/line_plot.h"

namespace weft {

namespace {

constexpr double wide = 16;  // a ratio of values from which an axis is logarithmic
constexpr std::size_t most_labels = 12;

std::optional<double> plain_number(const std::string& text)
{
    try {
        std::size_t used = 0;
        const double value = std::stod(text, &used);
        if (used == text.size() && std::isfinite(value)) return value;
    } catch (const std::exception&) {
    }
    return std::nullopt;
}

// A value of a key: a number, with or without a unit, or "RANK=TIME" of a delay.
std::optional<double> number_of(const std::string& text)
{
    if (const auto value = plain_number(text)) return value;
    const std::string rest = text.substr(text.find('=') + 1);
    if (const auto value = parse_bytes(rest)) return static_cast<double>(*value);
    if (const auto value = parse_time_ps(rest)) return static_cast<double>(*value);
    if (const auto value = parse_rate(rest)) return static_cast<double>(*value);
    if (const auto value = parse_frequency(rest)) return static_cast<double>(*value);
    return std::nullopt;
}

bool is_numeric(const SweepAxis& axis)
{
    return std::all_of(axis.values.begin(), axis.values.end(),
        [](const std::string& value) { return number_of(value); });
}

// Numbers make an axis, words make curves.
std::size_t along(const SweepPlot& plot, const std::vector<SweepAxis>& axes)
{
    std::size_t best = 0;
    const auto rank = [&](std::size_t i) {
        return std::pair(axes[i].values.size() > 1 && is_numeric(axes[i]), axes[i].values.size());
    };
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].key == plot.x) return i;
        if (rank(i) > rank(best)) best = i;
    }
    return best;
}

std::vector<std::string> all_columns(const std::vector<std::string>& columns)
{
    std::vector<std::string> out{"time", "algbw", "busbw"};
    out.insert(out.end(), columns.begin(), columns.end());
    return out;
}

std::optional<double> value_of(const SweepRow& row, const std::string& y, const std::vector<std::string>& columns)
{
    if (!row.message.empty() || row.stop != "finished") return std::nullopt;
    if (y == "time" && row.time_ps) return static_cast<double>(*row.time_ps);
    if (y == "algbw") return row.algbw_GBps;
    if (y == "busbw") return row.busbw_GBps;
    return row.columns[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), y) - columns.begin())];
}

std::string with_unit(const std::string& column)
{
    const std::string unit = unit_of_energy(column);
    return unit.empty() ? column : column + " (" + unit + ")";
}

// Times are shown in the unit of the largest.
std::string scale_times(LinePlot& plot)
{
    double most = 0;
    for (const PlotCurve& curve : plot.curves)
        for (const PlotPoint& point : curve.points) most = std::max(most, point.y);
    const auto [scale, unit] = most >= 1e10 ? std::pair(1e-9, "ms")
        : most >= 1e7                       ? std::pair(1e-6, "us")
                                            : std::pair(1e-3, "ns");
    for (PlotCurve& curve : plot.curves)
        for (PlotPoint& point : curve.points) point.y *= scale;
    return std::string("time (") + unit + ")";
}

bool spans(const LinePlot& plot, double PlotPoint::*member)
{
    double least = 0;
    double most = 0;
    for (const PlotCurve& curve : plot.curves)
        for (const PlotPoint& point : curve.points) {
            const double value = point.*member;
            if (std::isnan(value)) continue;
            if (value <= 0) return false;
            least = least == 0 ? value : std::min(least, value);
            most = std::max(most, value);
        }
    return least > 0 && most / least >= wide;
}

}  // namespace

void check_plot(const SweepPlot& plot, const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns)
{
    std::vector<std::string> keys;
    for (const SweepAxis& axis : axes) keys.push_back(axis.key);
    if (!plot.x.empty() && std::find(keys.begin(), keys.end(), plot.x) == keys.end())
        throw usage_error("--x " + quoted_word(plot.x) + " is not swept", with_nearest(one_of(keys), plot.x, keys));
    check_choice("--y", plot.y, all_columns(columns));
}

std::string sweep_svg(const SweepPlot& wanted, const std::vector<SweepAxis>& axes,
    const std::vector<std::string>& columns, const std::vector<SweepRow>& rows)
{
    const std::size_t x = along(wanted, axes);
    const std::vector<std::string>& values = axes[x].values;
    std::vector<double> places;
    const bool words = !is_numeric(axes[x]);
    for (std::size_t i = 0; i < values.size(); ++i)
        places.push_back(words ? static_cast<double>(i) : *number_of(values[i]));

    LinePlot plot;
    std::map<std::string, std::size_t> index;
    for (const SweepRow& row : rows) {
        std::string name;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (i != x && axes[i].values.size() > 1) name += (name.empty() ? "" : ", ") + row.values[i];
        const auto [entry, fresh] = index.try_emplace(name, plot.curves.size());
        if (fresh) plot.curves.push_back({name, {}, false, ""});
        const auto at =
            static_cast<std::size_t>(std::find(values.begin(), values.end(), row.values[x]) - values.begin());
        plot.curves[entry->second].points.push_back(
            {places[at], value_of(row, wanted.y, columns).value_or(PlotPoint::no_value)});
    }
    for (PlotCurve& curve : plot.curves)
        std::stable_sort(curve.points.begin(), curve.points.end(),
            [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (i != x && axes[i].values.size() > 1) plot.legend += (plot.legend.empty() ? "" : ", ") + axes[i].key;

    plot.y_title = wanted.y == "time"                ? scale_times(plot)
        : wanted.y == "algbw" || wanted.y == "busbw" ? wanted.y + " (GB/s)"
                                                     : with_unit(wanted.y);
    plot.x_title = axes[x].key;
    plot.title = wanted.title.empty() ? wanted.y + " over " + axes[x].key : wanted.title;
    plot.log_x = !words && spans(plot, &PlotPoint::x);
    plot.log_y = spans(plot, &PlotPoint::y);
    plot.words_x = words;
    if (words || values.size() <= most_labels)
        for (std::size_t i = 0; i < values.size(); ++i) plot.x_ticks.push_back({places[i], values[i]});
    return line_plot_svg(plot);
}

}  // namespace weft
