#include "platform/applications/fabric/fabric_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    if (std::isnan(result.mean))
        return {{"mean", nullptr}, {"ci95", nullptr}, {"p50", nullptr}, {"p99", nullptr}, {"max", nullptr}};
    const bool known = !std::isnan(result.half_width);
    return {{"mean", ns(result.mean)}, {"ci95", known ? Json(ns(result.half_width)) : Json()}, {"p50", ns(result.p50)},
        {"p99", ns(result.p99)}, {"max", ns(result.max)}};
}

Measurement::Result latency_from(const Json& json)
{
    const auto ps = [&](const char* key) { return json.at(key).get<double>() * 1e3; };
    Measurement::Result out;
    if (json.at("mean").is_null()) {
        out.mean = out.half_width = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    out.mean = ps("mean");
    out.half_width = json.at("ci95").is_null() ? std::numeric_limits<double>::quiet_NaN() : ps("ci95");
    out.p50 = static_cast<Time>(std::llround(ps("p50")));
    out.p99 = static_cast<Time>(std::llround(ps("p99")));
    out.max = static_cast<Time>(std::llround(ps("max")));
    return out;
}

Json to_json(const FabricLimit& limit)
{
    return {{"side", limit_side_names()[static_cast<std::size_t>(limit.side)]}, {"name", limit.name},
        {"what", limit.what}, {"service", limit.service}, {"share", limit.share}, {"others", limit.others},
        {"replays", limit.replays}, {"asked", limit.asked > 0 ? Json(limit.asked) : Json()}};
}

FabricLimit limit_from(const Json& json)
{
    FabricLimit out;
    const std::vector<std::string>& names = limit_side_names();
    const auto found = std::find(names.begin(), names.end(), json.at("side").get<std::string>());
    if (found != names.end()) out.side = static_cast<LimitSide>(found - names.begin());
    out.name = json.at("name");
    out.what = json.at("what");
    out.service = json.at("service");
    out.share = json.at("share");
    out.others = json.at("others");
    out.replays = json.at("replays");
    if (!json.at("asked").is_null()) out.asked = json.at("asked");
    return out;
}

Json to_json(const FabricPoint& point)
{
    Json out{{"load", point.load}, {"offered", point.offered}, {"accepted", point.accepted},
        {"accepted_ci95", point.accepted_half_width}, {"steady", point.arrival.steady},
        {"latency_ns", latency_json(point.arrival)}};
    if (point.answered) out["round_trip_ns"] = latency_json(point.round_trip);
    out["jain"] = point.jain;
    out["least_accepted"] = point.least;
    out["held_up"] = point.held_up;
    out["held_up_accepted"] = point.held_up_accepted ? Json(*point.held_up_accepted) : Json();
    if (point.busiest) out["busiest_link"] = {{"name", point.busiest->name}, {"share", point.busiest->share}};
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

// What a line of the mix takes of the wire, by part.
Json to_json(const LoneParts& bytes)
{
    return {{"payload", bytes.payload}, {"header", bytes.header}, {"padding", bytes.padding},
        {"byte_enables", bytes.byte_enables}, {"atomic", bytes.atomic}, {"extension", bytes.extension},
        {"packet", bytes.packet}, {"frames", bytes.frames}};
}

Json to_json(const FabricCapacity& capacity)
{
    Json links = Json::array();
    for (const FabricCapacity::Links& group : capacity.links)
        links.push_back({{"count", group.count}, {"GBps", group.GBps}});
    Json parts = Json::array();
    for (const FabricCapacity::Part& part : capacity.parts)
        parts.push_back({{"name", part.name}, {"share", part.share}, {"bytes", to_json(part.bytes)}});
    return {{"endpoint", capacity.endpoint}, {"links", std::move(links)}, {"parts", std::move(parts)},
        {"merges", capacity.merges}, {"single_messages", capacity.single_messages}, {"payload_GBps", capacity.GBps}};
}

FabricCapacity capacity_from(const Json& json)
{
    FabricCapacity out;
    out.endpoint = json.at("endpoint");
    for (const Json& group : json.at("links")) out.links.push_back({group.at("count"), group.at("GBps")});
    for (const Json& part : json.at("parts")) {
        const Json& bytes = part.at("bytes");
        out.parts.push_back({part.at("name"), part.at("share"),
            {bytes.at("payload"), bytes.at("header"), bytes.at("padding"), bytes.at("byte_enables"), bytes.at("atomic"),
                bytes.at("extension"), bytes.at("packet"), bytes.at("frames")}});
    }
    out.merges = json.at("merges");
    out.single_messages = json.at("single_messages");
    out.GBps = json.at("payload_GBps");
    return out;
}

Json to_json(const FabricSetting& setting)
{
    return {{"name", setting.system}, {"endpoints", setting.endpoints}, {"senders", setting.senders},
        {"switches", setting.switches}, {"links", setting.links}};
}

std::string time_cell(double ps) { return std::isnan(ps) ? "-" : fmt::format("{:.1f}", ns(ps)); }
std::string time_cell(const Measurement::Result& of, Time ps)
{
    return std::isnan(of.mean) ? "-" : time_cell(static_cast<double>(ps));
}

// Whose rate a load is.
std::string whose(const FabricSetting& setting)
{
    return setting.senders == setting.endpoints ? "endpoint" : "endpoint that sends";
}

}  // namespace

namespace {

std::string remark_on(const FabricPoint& point, FabricState state)
{
    switch (state) {
    case FabricState::unsettled:
        return "  not steady in the simulated time, but higher loads are steady: --duration was too short";
    case FabricState::saturated:
        if (point.arrival.steady)
            return "  saturated: a link is asked for more than it carries, which so short a run does not show";
        if (std::isnan(point.arrival.mean))
            return fmt::format("  saturated: {:.0f} % had not arrived at the end",
                100 * static_cast<double>(point.arrival.missing) /
                    static_cast<double>(point.arrival.lines + point.arrival.missing));
        if (point.accepted < (1 - Measurement::missing_share) * point.offered)
            return "  saturated: less arrives than is offered";
        return point.held_up == 0
            ? "  saturated: latency grows with time"
            : fmt::format("  saturated: {} sender{} held up", point.held_up, point.held_up == 1 ? " is" : "s are");
    case FabricState::steady: break;
    }
    return "";
}

// Why what senders have beyond saturation is no load that the fabric sustains.
std::string no_load_text(const FabricSaturation& saturation)
{
    if (!saturation.known)
        return "            of none of these loads have all lines arrived, so what links are asked for is not known\n";
    return saturation.kept
        ? fmt::format("            at load {:.4g} senders are held up unequally, so what they have there is none\n",
              saturation.load)
        : fmt::format(
              "            at load {:.4g} traffic to some destinations is held up more than other traffic, so what "
              "senders have there is no load of this pattern\n",
              saturation.load);
}

// Between which loads it lies, where no accepted load tells it.
std::string bounds_text(const FabricSweep& sweep, const FabricSaturation& saturation)
{
    const auto load = [&](double of) {
        return fmt::format("{:.4g} ({:.4g} GB/s per {})", of, of * sweep.setting.capacity_GBps, whose(sweep.setting));
    };
    const bool by_link = !saturation.full_link.empty();
    const std::string above = by_link
        ? fmt::format("load {}, which fills link {}", load(saturation.above), saturation.full_link)
        : fmt::format("load {:.4g}, which is not sustained", saturation.load);
    const std::string tell = "; loads between them tell more\n";
    std::string out = saturation.least > saturation.sustained.value_or(0)
        ? fmt::format("between load {}, which every sender has at load {:.4g}, and {}{}", load(saturation.least),
              saturation.load, !by_link ? "that load, which is not sustained" : above, tell)
        : saturation.sustained
        ? fmt::format("between load {}, which is sustained, and {}{}", load(*saturation.sustained), above, tell)
        : by_link ? fmt::format("at most {}; lower loads tell more\n", above)
                  : fmt::format("below load {}, the lowest of these; lower ones tell more\n", load(saturation.load));
    return out + no_load_text(saturation);
}

// A wider interval than this share of the saturation is told.
constexpr double uncertain = 0.05;

std::string saturation_text(const FabricSweep& sweep)
{
    const FabricSaturation saturation = saturation_of(sweep);
    const auto rate = [&](double accepted) {
        return fmt::format("{:.4f} of load 1 ({:.4g} GB/s per {})", accepted, accepted * sweep.setting.capacity_GBps,
            whose(sweep.setting));
    };
    if (!saturation.reached)
        return fmt::format("saturation  not reached: load 1 is sustained; {} accepted\n", rate(saturation.accepted));
    const bool by_adapter = sweep.full.limit && sweep.full.limit->side == LimitSide::adapter;
    std::string out = "saturation  ";
    if (by_adapter) out += "of an adapter, not of the model behind the adapter: ";
    if (saturation.is_estimate())
        out += fmt::format("{}; load {:.4g} is not sustained, {}\n", rate(saturation.accepted), saturation.load,
            saturation.sustained ? fmt::format("{:.4g} is", *saturation.sustained) : "and no other of these loads is");
    else
        out += bounds_text(sweep, saturation);
    if (saturation.is_estimate() && saturation.by_link)
        out += fmt::format("            which fills link {}; what passes no full link goes on at load {:.4g}, so what "
                           "senders have there is no load of this pattern\n",
            saturation.full_link, saturation.load);
    if (saturation.accepted == 0)
        out += fmt::format("            nothing arrived in the second half of {}: that was too short (--duration)\n",
            format_time_ps(sweep.setting.duration_ps));
    if (saturation.is_estimate() && saturation.half_width > uncertain * saturation.accepted)
        out += fmt::format("            known to +-{:.0f} % only (95 % confidence): {} was too short (--duration)\n",
            100 * saturation.half_width / saturation.accepted, format_time_ps(sweep.setting.duration_ps));
    if (saturation.is_estimate() && saturation.most > 1.005 * saturation.accepted)
        out += fmt::format("throughput  at most {}, at load {:.4g}\n", rate(saturation.most), saturation.most_at);
    if (const auto limit = limit_of(sweep)) out += "limit       at load 1 " + limit->text() + "\n";
    return out;
}

}  // namespace

std::string fabric_text(const FabricSweep& sweep)
{
    const FabricSetting& setting = sweep.setting;
    const FabricSaturation saturation = saturation_of(sweep);
    std::string out = fmt::format("{}: {} endpoints, {} switches, {} links; pattern {}, seed {}\n", setting.system,
        setting.endpoints, setting.switches, setting.links, setting.pattern, setting.seed);
    out += fmt::format(
        "load 1 = {:.4g} GB/s of payload per endpoint, a transaction every {:.3f} ps; {} simulated for each load\n",
        setting.capacity_GBps, static_cast<double>(setting.slot_ps_x1000) * 1e-3, format_time_ps(setting.duration_ps));
    out += capacity_text(setting.capacity) + "\n";
    if (setting.senders < setting.endpoints)
        out += fmt::format("{} of {} endpoints send; accepted, saturation and fairness are theirs\n", setting.senders,
            setting.endpoints);
    out += "   load  accepted   mean ns    +-95%    p50 ns    p99 ns    max ns   Jain\n";
    for (const FabricPoint& point : sweep.points)
        out += fmt::format("{:7.4g} {:9.4f} {:>9} {:>8} {:>9} {:>9} {:>9} {:6.3f}{}\n", point.load, point.accepted,
            time_cell(point.arrival.mean), time_cell(point.arrival.half_width),
            time_cell(point.arrival, point.arrival.p50), time_cell(point.arrival, point.arrival.p99),
            time_cell(point.arrival, point.arrival.max), point.jain, remark_on(point, state_of(point, saturation)));
    for (const double load : sweep.failed) out += fmt::format("{:7.4g} no result\n", load);
    if (sweep.whole()) {
        out += "\n" + saturation_text(sweep);
        out += fmt::format("fairness    Jain index {:.4f} at load 1\n", sweep.full.jain);
    } else {
        out += "\nsaturation  not known: load 1 has no result\n";
    }
    if (!sweep.points.empty() && sweep.points[0].answered) {
        out += "round trip ";
        for (const FabricPoint& point : sweep.points)
            out += fmt::format(" {:.4g}: {}{}", point.load, time_cell(point.round_trip.mean),
                std::isnan(point.round_trip.mean) ? "" : " ns");
        out += "\n";
    }
    return out;
}

std::string fabric_json(const FabricSweep& sweep)
{
    Json out{{"schema", "weft.fabric/1"}, {"system", to_json(sweep.setting)}, {"pattern", sweep.setting.pattern},
        {"seed", sweep.setting.seed}, {"slot_ps", static_cast<double>(sweep.setting.slot_ps_x1000) * 1e-3},
        {"capacity_GBps", sweep.setting.capacity_GBps}, {"duration_ps", sweep.setting.duration_ps}};
    const FabricSaturation saturation = saturation_of(sweep);
    const auto with_state = [&](const FabricPoint& point) {
        Json json = to_json(point);
        json["state"] = name_of(state_of(point, saturation));
        return json;
    };
    out["load_one"] = to_json(sweep.setting.capacity);
    Json points = Json::array();
    for (const FabricPoint& point : sweep.points) points.push_back(with_state(point));
    out["points"] = std::move(points);
    const bool whole = sweep.whole();
    if (whole) out["full_load"] = with_state(sweep.full);
    out["failed_loads"] = sweep.failed;
    const bool estimate = saturation.is_estimate();
    out["saturation"] = whole ? Json(estimate ? saturation.accepted : saturation.at_least()) : Json();
    out["saturation_is"] = whole ? Json(estimate ? "estimate" : "lower bound") : Json();
    out["saturation_ci95"] = whole && estimate ? Json(saturation.half_width) : Json();
    out["saturated_from"] = saturation.reached ? Json(saturation.load) : Json();
    out["sustained"] = saturation.sustained ? Json(*saturation.sustained) : Json();
    out["max_accepted"] = saturation.most;
    const auto limit = limit_of(sweep);
    out["limit"] = saturation.reached && limit ? to_json(*limit) : Json();
    out["jain"] = whole ? Json(sweep.full.jain) : Json();
    out["notices"] = sweep.setting.notices;
    return out.dump(1) + "\n";
}

std::string point_json(const FabricResult& result)
{
    Json out = to_json(result.point);
    out["answered"] = result.point.answered;
    if (result.point.limit) {
        out["limit"] = to_json(*result.point.limit);
    }
    out["created"] = result.point.created;
    out["together"] = result.point.together;
    Json uses = Json::array();
    for (const FabricLinkUse& use : result.point.uses)
        uses.push_back({use.name, use.carried, use.needed, use.lines, use.left});
    out["link_uses"] = std::move(uses);
    const FabricSetting& setting = result.setting;
    out["setting"] = {{"system", setting.system}, {"endpoints", setting.endpoints}, {"switches", setting.switches},
        {"links", setting.links}, {"pattern", setting.pattern}, {"slot", setting.slot_ps_x1000},
        {"capacity", setting.capacity_GBps}, {"duration", setting.duration_ps}, {"seed", setting.seed},
        {"notices", setting.notices}, {"senders", setting.senders}, {"several", setting.several},
        {"load_one", to_json(setting.capacity)}};
    return out.dump(1) + "\n";
}

FabricResult point_from_json(const std::string& text)
{
    try {
        const Json json = Json::parse(text);
        FabricResult out;
        FabricPoint& point = out.point;
        point.load = json.at("load");
        point.offered = json.at("offered");
        point.accepted = json.at("accepted");
        point.accepted_half_width = json.at("accepted_ci95");
        if (json.contains("limit")) point.limit = limit_from(json.at("limit"));
        point.created = json.at("created");
        point.together = json.at("together");
        for (const Json& use : json.at("link_uses"))
            point.uses.push_back({use.at(0), use.at(1), use.at(2), use.at(3), use.at(4)});
        if (json.contains("busiest_link")) {
            point.busiest.emplace();
            point.busiest->side = LimitSide::link;
            point.busiest->name = json.at("busiest_link").at("name");
            point.busiest->share = json.at("busiest_link").at("share");
        }
        point.least = json.at("least_accepted");
        point.held_up = json.at("held_up");
        if (!json.at("held_up_accepted").is_null()) point.held_up_accepted = json.at("held_up_accepted").get<double>();
        point.arrival = latency_from(json.at("latency_ns"));
        point.arrival.steady = json.at("steady");
        point.arrival.lines = json.at("measured_lines");
        point.arrival.missing = json.at("missing_lines");
        point.arrival.dropped =
            static_cast<unsigned>(std::lround(json.at("warm_up_share").get<double>() * Measurement::batches));
        for (const Json& rate : json.at("source_GBps")) point.arrival.by_source.push_back(rate.get<double>() * 1e9);
        point.answered = json.at("answered");
        if (point.answered) point.round_trip = latency_from(json.at("round_trip_ns"));
        point.jain = json.at("jain");
        point.lines = json.at("lines");
        point.hops = json.at("line_hops");
        if (json.contains("links")) point.links = json.at("links").dump();
        const Json& setting = json.at("setting");
        out.setting = {setting.at("system"), setting.at("endpoints"), setting.at("switches"), setting.at("links"),
            setting.at("pattern"), setting.at("slot"), setting.at("capacity"), capacity_from(setting.at("load_one")),
            setting.at("duration"), setting.at("seed"), setting.at("notices").get<std::vector<std::string>>(),
            setting.at("senders"), setting.at("several")};
        return out;
    } catch (const nlohmann::json::exception& problem) {
        throw InputError("", 0, std::string("a load without a result: ") + problem.what(), "");
    }
}

}  // namespace weft
