#include "platform/fabric/fabric_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

double ns(double ps) { return ps * 1e-3; }
double ns(Time ps) { return static_cast<double>(ps) * 1e-3; }

Json latency_json(const Measurement::Result& result)
{
    return {{"mean", ns(result.mean)}, {"ci95", ns(result.half_width)}, {"p50", ns(result.p50)}, {"p99", ns(result.p99)},
        {"max", ns(result.max)}};
}

Measurement::Result latency_from(const Json& json)
{
    const auto ps = [&](const char* key) { return json.at(key).get<double>() * 1e3; };
    Measurement::Result out;
    out.mean = ps("mean");
    out.half_width = ps("ci95");
    out.p50 = static_cast<Time>(ps("p50") + 0.5);
    out.p99 = static_cast<Time>(ps("p99") + 0.5);
    out.max = static_cast<Time>(ps("max") + 0.5);
    return out;
}

Json to_json(const FabricPoint& point)
{
    Json out{{"load", point.load}, {"accepted", point.accepted}, {"steady", point.arrival.steady},
        {"latency_ns", latency_json(point.arrival)}};
    if (point.answered) out["round_trip_ns"] = latency_json(point.round_trip);
    out["jain"] = point.jain;
    out["measured_lines"] = point.arrival.lines;
    out["missing_lines"] = point.arrival.missing;
    out["warm_up_share"] = static_cast<double>(point.arrival.dropped) / Measurement::batches;
    out["lines"] = point.lines;
    out["line_hops"] = point.hops;
    Json sources = Json::array();
    for (const double rate : point.arrival.by_source) sources.push_back(rate * 1e-9);
    out["source_GBps"] = std::move(sources);
    if (!point.links.empty()) out["links"] = Json::parse(point.links);
    return out;
}

Json to_json(const FabricSetting& setting)
{
    return {{"name", setting.system}, {"endpoints", setting.endpoints}, {"switches", setting.switches},
        {"links", setting.links}};
}

std::string time_cell(double ps) { return fmt::format("{:.1f}", ns(ps)); }

}  // namespace

double saturation_of(const FabricSweep& sweep)
{
    double most = sweep.full.accepted;
    for (const FabricPoint& point : sweep.points) most = std::max(most, point.accepted);
    return most;
}

std::string fabric_text(const FabricSweep& sweep)
{
    const FabricSetting& setting = sweep.setting;
    std::string out = fmt::format("{}: {} endpoints, {} switches, {} links; pattern {}, seed {}\n", setting.system,
        setting.endpoints, setting.switches, setting.links, setting.pattern, setting.seed);
    out += fmt::format("load 1 = {:.4g} GB/s of payload per endpoint, a line every {:.3f} ps; {} simulated per load\n\n",
        setting.capacity_GBps, static_cast<double>(setting.slot_ps_x1000) * 1e-3, format_time_ps(setting.duration_ps));
    out += "   load  accepted   mean ns    +-95%    p50 ns    p99 ns    max ns   Jain\n";
    const auto row = [&](const FabricPoint& point) {
        out += fmt::format("{:7.4g} {:9.4f} {:>9} {:>8} {:>9} {:>9} {:>9} {:6.3f}{}\n", point.load, point.accepted,
            time_cell(point.arrival.mean), time_cell(point.arrival.half_width),
            time_cell(static_cast<double>(point.arrival.p50)), time_cell(static_cast<double>(point.arrival.p99)),
            time_cell(static_cast<double>(point.arrival.max)), point.jain,
            point.arrival.steady ? "" : "  saturated: latency grows with time");
    };
    for (const FabricPoint& point : sweep.points) row(point);
    out += fmt::format("\nsaturation  {:.4f} of load 1 ({:.4g} GB/s per endpoint), {}\n", saturation_of(sweep),
        saturation_of(sweep) * setting.capacity_GBps, "the largest accepted load, load 1 included");
    out += fmt::format("fairness    Jain index {:.4f} at load 1\n", sweep.full.jain);
    if (!sweep.points.empty() && sweep.points[0].answered) {
        out += "round trip ";
        for (const FabricPoint& point : sweep.points)
            out += fmt::format(" {:.4g}: {} ns", point.load, time_cell(point.round_trip.mean));
        out += "\n";
    }
    return out;
}

std::string fabric_json(const FabricSweep& sweep)
{
    Json out{{"schema", "weft.fabric/1"}, {"system", to_json(sweep.setting)}, {"pattern", sweep.setting.pattern},
        {"seed", sweep.setting.seed}, {"slot_ps", static_cast<double>(sweep.setting.slot_ps_x1000) * 1e-3},
        {"capacity_GBps", sweep.setting.capacity_GBps}, {"duration_ps", sweep.setting.duration_ps}};
    Json points = Json::array();
    for (const FabricPoint& point : sweep.points) points.push_back(to_json(point));
    out["points"] = std::move(points);
    out["full_load"] = to_json(sweep.full);
    out["saturation"] = saturation_of(sweep);
    out["jain"] = sweep.full.jain;
    return out.dump(1) + "\n";
}

std::string point_json(const FabricResult& result)
{
    Json out = to_json(result.point);
    out["answered"] = result.point.answered;
    const FabricSetting& setting = result.setting;
    out["setting"] = {{"system", setting.system}, {"endpoints", setting.endpoints}, {"switches", setting.switches},
        {"links", setting.links}, {"pattern", setting.pattern}, {"slot", setting.slot_ps_x1000},
        {"capacity", setting.capacity_GBps}, {"duration", setting.duration_ps}, {"seed", setting.seed},
        {"notices", setting.notices}};
    return out.dump(1) + "\n";
}

FabricResult point_from_json(const std::string& text)
{
    try {
        const Json json = Json::parse(text);
        FabricResult out;
        FabricPoint& point = out.point;
        point.load = json.at("load");
        point.accepted = json.at("accepted");
        point.arrival = latency_from(json.at("latency_ns"));
        point.arrival.steady = json.at("steady");
        point.arrival.lines = json.at("measured_lines");
        point.arrival.missing = json.at("missing_lines");
        point.arrival.dropped = static_cast<unsigned>(
            json.at("warm_up_share").get<double>() * Measurement::batches + 0.5);
        for (const Json& rate : json.at("source_GBps")) point.arrival.by_source.push_back(rate.get<double>() * 1e9);
        point.answered = json.at("answered");
        if (point.answered) point.round_trip = latency_from(json.at("round_trip_ns"));
        point.jain = json.at("jain");
        point.lines = json.at("lines");
        point.hops = json.at("line_hops");
        if (json.contains("links")) point.links = json.at("links").dump();
        const Json& setting = json.at("setting");
        out.setting = {setting.at("system"), setting.at("endpoints"), setting.at("switches"), setting.at("links"),
            setting.at("pattern"), setting.at("slot"), setting.at("capacity"), setting.at("duration"),
            setting.at("seed"), setting.at("notices").get<std::vector<std::string>>()};
        return out;
    } catch (const nlohmann::json::exception& problem) {
        throw InputError("", 0, std::string("a point without result: ") + problem.what(), "");
    }
}

}  // namespace weft
