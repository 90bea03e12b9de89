#include "platform/applications/fabric/fabric_curves.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "platform/console/table_text.h"
#include "platform/plotting/line_plot.h"

namespace weft {

namespace {

double in_ns(double ps) { return ps * 1e-3; }

std::vector<std::string> row_of(const FabricCurve& curve)
{
    std::vector<std::string> out = curve.values;
    if (!curve.has_points()) return out;
    const FabricSweep& sweep = curve.sweep;
    const FabricSaturation saturation = saturation_of(sweep);
    const FabricPoint& lowest = *points_of(sweep).front();
    out.push_back(fmt::format("{:.4g} GB/s", sweep.setting.capacity_GBps));
    out.push_back(std::isnan(lowest.arrival.mean)
            ? "-"
            : fmt::format("{:.1f} ns at {:.4g}", in_ns(lowest.arrival.mean), lowest.load));
    if (!sweep.whole()) {
        out.insert(out.end(), {"not known", "-", "-", "-"});
        return out;
    }
    const bool estimate = saturation.is_estimate();
    const double load = estimate ? saturation.accepted : saturation.at_least();
    out.push_back(saturation.reached ? fmt::format("{}{:.4f}", estimate ? "" : ">= ", load) : "not reached");
    out.push_back(fmt::format("{:.4g} GB/s", load * sweep.setting.capacity_GBps));
    out.push_back(fmt::format("{:.3f}", sweep.full.jain));
    const auto limit = limit_of(sweep);
    out.push_back(saturation.reached && limit ? limit->text() : "-");
    return out;
}

}  // namespace

std::string curves_text(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves)
{
    std::vector<std::string> titles = keys;
    for (const char* title : {"load 1", "mean latency", "saturation", "accepted", "Jain", "limit at load 1"})
        titles.emplace_back(title);
    std::vector<TextRow> rows;
    for (const FabricCurve& curve : curves) rows.push_back({row_of(curve), curve.message});
    return table_text(titles, rows);
}

std::string curves_csv(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves)
{
    std::string out;
    for (const std::string& key : keys) out += csv_field(key) + ",";
    out += "load,offered_GBps,accepted,accepted_GBps,state,mean_ns,ci95_ns,p50_ns,p99_ns,max_ns,jain,message\n";
    for (const FabricCurve& curve : curves) {
        std::string names;
        for (const std::string& value : curve.values) names += csv_field(value) + ",";
        if (!curve.has_points()) {
            out += names + ",,,,,,,,,,," + csv_field(curve.message) + "\n";
            continue;
        }
        const FabricSaturation saturation = saturation_of(curve.sweep);
        const double full = curve.sweep.setting.capacity_GBps;
        for (const FabricPoint* point : points_of(curve.sweep)) {
            const Measurement::Result& arrival = point->arrival;
            const auto cell = [&](double ps) {
                return std::isnan(arrival.mean) || std::isnan(ps) ? "" : fmt::format("{:g}", in_ns(ps));
            };
            out += names +
                fmt::format("{:g},{:g},{:g},{:g},{},{},{},{},{},{},{:g},\n", point->load, point->offered * full,
                    point->accepted, point->accepted * full, name_of(state_of(*point, saturation)), cell(arrival.mean),
                    cell(arrival.half_width), cell(static_cast<double>(arrival.p50)),
                    cell(static_cast<double>(arrival.p99)), cell(static_cast<double>(arrival.max)), point->jain);
        }
        for (const double load : curve.sweep.failed)
            out += names + fmt::format("{:g},,,,,,,,,,,", load) + csv_field(curve.message) + "\n";
    }
    return out;
}

std::string curves_json(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves)
{
    using Json = nlohmann::ordered_json;
    Json out{{"schema", "weft.fabric_sweep/1"}, {"keys", keys}, {"points", Json::array()}};
    for (const FabricCurve& curve : curves) {
        Json parameters = Json::object();
        for (std::size_t i = 0; i < keys.size(); ++i) parameters[keys[i]] = curve.values[i];
        out["points"].push_back({{"parameters", std::move(parameters)}, {"exit", curve.code},
            {"fabric", curve.has_points() ? Json::parse(fabric_json(curve.sweep)) : Json()},
            {"message", curve.message.empty() ? Json() : Json(curve.message)}});
    }
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string curves_svg(const std::vector<std::string>& keys, const std::vector<std::size_t>& shown,
    const std::vector<FabricCurve>& curves, const std::string& title)
{
    std::vector<const FabricCurve*> good;
    for (const FabricCurve& curve : curves)
        if (curve.has_points()) good.push_back(&curve);
    const bool same = std::all_of(good.begin(), good.end(), [&](const FabricCurve* curve) {
        return std::abs(curve->sweep.setting.capacity_GBps / good.front()->sweep.setting.capacity_GBps - 1) < 1e-9;
    });
    LinePlot plot;
    PlotPanel accepted;
    plot.title = title;
    if (good.size() < curves.size())
        plot.remark = fmt::format("{} of {} combinations have no result", curves.size() - good.size(), curves.size());
    else if (same && !good.empty())
        plot.remark =
            fmt::format("load 1 = {:.4g} GB/s of payload per endpoint", good.front()->sweep.setting.capacity_GBps);
    plot.x_title = same ? "offered load (share of injection capacity)" : "offered load (GB/s of payload per endpoint)";
    plot.y_title = "mean, creation to arrival (ns)";
    plot.zero = true;
    accepted.y_title = same ? "accepted load" : "accepted (GB/s)";
    accepted.zero = true;
    for (const std::size_t key : shown) plot.legend += (plot.legend.empty() ? "" : ", ") + keys[key];
    double most = 0;
    double any = 1e-3;
    for (const FabricCurve* curve : good) {
        std::string name;
        for (const std::size_t key : shown) name += (name.empty() ? "" : ", ") + curve->values[key];
        const double unit = same ? 1 : curve->sweep.setting.capacity_GBps;
        PlotCurve latency{name, {}, false, ""};
        PlotCurve taken{name, {}, false, ""};
        double lowest = 0;
        double steady = 0;
        double highest = 0;
        for (const FabricPoint* point : points_of(curve->sweep)) {
            const double mean = in_ns(point->arrival.mean);
            latency.points.push_back({point->load * unit, mean});
            taken.points.push_back({point->load * unit, point->accepted * unit});
            if (std::isnan(mean)) continue;
            if (lowest == 0) lowest = mean;
            if (point->arrival.steady) steady = std::max(steady, mean);
            highest = std::max(highest, mean);
        }
        // Beyond saturation latency has no end: up to four times the lowest, and all that is steady up to ten times.
        if (steady > 0)
            most = std::max({most, std::min(1.1 * steady, 10 * lowest), std::min(1.1 * highest, 4 * lowest)});
        any = std::max(any, 1.1 * highest);
        plot.curves.push_back(std::move(latency));
        accepted.curves.push_back(std::move(taken));
    }
    plot.most_y = most > 0 ? most : any;
    plot.below = std::move(accepted);
    return line_plot_svg(plot);
}

}  // namespace weft
