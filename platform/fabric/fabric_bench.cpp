#include "platform/fabric/fabric_bench.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/diagnostic.h"
#include "platform/system/fabric_modules.h"
#include "platform/system/link_json.h"
#include "platform/system/time_series.h"
#include "tlm_interconnect/packetiser.h"
#include "tlm_interconnect/traffic/traffic_endpoint.h"

namespace weft {

namespace {

// Bytes that the mean line of the mix and its answer take on a wire.
double mean_wire_bytes(const LinkSpec& link, const TrafficSpec& traffic)
{
    const auto both = [&](LineOp op, std::uint32_t size, bool answered) {
        return lone_bytes(link, op, size, LineClass::request) +
               (answered ? lone_bytes(link, op, size, LineClass::response) : 0);
    };
    const double writes = 1 - traffic.reads - traffic.atomics;
    return traffic.reads * both(LineOp::read, traffic.size, true) + traffic.atomics * both(LineOp::atomic, 8, true) +
           writes * both(LineOp::write, traffic.size, !traffic.posted);
}

double mean_payload(const TrafficSpec& traffic)
{
    return traffic.atomics * 8 + (1 - traffic.atomics) * traffic.size;
}

// The slot of the endpoint whose links take longest for a line.
void set_slot(TrafficSpec& traffic, const ResolvedSystem& system, const FabricPlan& plan)
{
    double slowest = 0;
    const auto ports = plan.fabric.ports();
    for (const NodeId node : plan.members) {
        double rate = 0;
        double bytes = 0;
        for (const Fabric::Port& port : ports[node]) {
            if (!plan.used.edges[port.edge]) continue;
            const LinkSpec& link = system.link(port.edge);
            rate += static_cast<double>(link.bandwidth);
            bytes = std::max(bytes, mean_wire_bytes(link, traffic));
        }
        if (rate == 0) continue;
        if (bytes / rate > slowest) {
            slowest = bytes / rate;
            // Thousandths of a byte keep mixes exact enough.
            traffic.slot_bytes = static_cast<std::uint64_t>(std::llround(bytes * 1000));
            traffic.slot_rate = static_cast<std::uint64_t>(rate) * 1000;
        }
    }
    if (slowest == 0) throw InputError(system.file, 0, "no endpoint has a link", "a fabric between endpoints");
}

}  // namespace

FabricResult run_fabric(const ResolvedSystem& system, const ModelRegistry& registry, const FabricOptions& options)
{
    const FabricPlan plan = plan_fabric(system, members_of(system));
    const auto endpoints = static_cast<std::uint32_t>(plan.members.size());
    TrafficSpec traffic = options.traffic;
    traffic.stripe = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, system.routing().stripe / line_bytes));
    traffic.spread = static_cast<SpreadMode>(system.routing().spread);
    set_slot(traffic, system, plan);
    const Pattern pattern(traffic.pattern, endpoints, traffic.seed);
    constexpr std::uint64_t slots = 20'000;
    constexpr Time least = 20'000'000;
    if (traffic.duration == 0) {
        // Long enough for both, but no more than some four million lines at full load.
        const Time most = traffic.slot_time(4'000'000 / endpoints);
        traffic.duration = std::min(std::max(traffic.slot_time(slots), least), std::max<Time>(most, 1'000'000));
    }

    FabricResult result;
    FabricSetting& setting = result.setting;
    setting.system = system.name;
    setting.endpoints = endpoints;
    setting.pattern = pattern_names()[static_cast<std::size_t>(traffic.pattern.kind)];
    setting.slot_ps_x1000 = traffic.slot_time(1000);
    setting.duration_ps = traffic.duration;
    setting.seed = traffic.seed;
    setting.notices = system.notices;
    setting.notices.insert(setting.notices.end(), plan.notices.begin(), plan.notices.end());
    const double slot_seconds = static_cast<double>(traffic.slot_bytes) / static_cast<double>(traffic.slot_rate);
    setting.capacity_GBps = mean_payload(traffic) / slot_seconds * 1e-9;

    Measurement arrivals(traffic.duration, endpoints);
    Measurement round_trips(traffic.duration, endpoints);
    Agenda agenda("agenda");
    LinePool pool;
    Progress progress;
    Checkers checkers(agenda, options.check_protocol);
    FabricModules fabric(system, plan);
    std::vector<std::unique_ptr<TrafficEndpoint>> sources;
    for (std::uint32_t rank = 0; rank < endpoints; ++rank) {
        const std::string& path = plan.fabric.nodes[plan.members[rank]].name;
        sources.push_back(std::make_unique<TrafficEndpoint>(module_name("traffic", path, rank).c_str(), agenda, path, pool,
            rank, fabric.ports(rank), fabric.routes(rank), traffic, pattern, arrivals, round_trips));
    }
    fabric.build(registry, {agenda, pool, progress}, checkers, [&](std::uint32_t rank, unsigned port) {
        TrafficEndpoint& source = *sources[rank];
        FabricModules::End end = FabricModules::End::of(source.out(port), source.in(port), source.output(port));
        end.set_credits = [&source, port](const BufferSpace& space) { source.set_credits(port, space); };
        return end;
    });
    setting.switches = fabric.switches().size();
    setting.links = fabric.links().size();

    // Beyond saturation the source queues hold more than could drain in any useful time.
    const Time end = 3 * traffic.duration + 100'000'000;
    if (options.watch || options.window > 0) fabric.watch();
    std::optional<TimeSeries> series;
    if (options.window > 0) series.emplace(fabric, system.graph(), options.window);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    for (;;) {
        agenda.set_end(series ? std::min(end, series->next() - 1) : end);
        sc_core::sc_start();
        if (!series || agenda.idle() || agenda.stopped() || series->next() > end) break;
        series->close(series->next());
    }

    FabricPoint& point = result.point;
    point.load = traffic.load;
    point.arrival = arrivals.result();
    point.round_trip = round_trips.result();
    point.answered = traffic.reads + traffic.atomics > 0 || !traffic.posted;
    point.accepted = point.arrival.accepted * 1e-9 / (setting.capacity_GBps * endpoints);
    std::vector<double> shares;
    for (std::uint32_t rank = 0; rank < endpoints; ++rank)
        if (pattern.sends(rank)) shares.push_back(point.arrival.by_source[rank]);
    point.jain = jain_index(shares);
    std::uint64_t unfinished = 0;
    for (const auto& source : sources) {
        point.lines += source->sent();
        unfinished += source->waiting();
    }
    point.hops = fabric.line_hops();
    if (agenda.idle() && (unfinished > 0 || pool.live() > 0)) {
        point.blocked = fabric.blocked_chain();
        for (std::string& line : fabric.blocked()) point.blocked.push_back(std::move(line));
        for (const auto& source : sources)
            for (std::string& line : source->blocked()) point.blocked.push_back(std::move(line));
        if (point.blocked.empty()) point.blocked.push_back(std::to_string(pool.live()) + " lines are lost");
    }
    if (agenda.idle() && point.blocked.empty()) checkers.finish();
    point.problems = fabric.problems();
    if (agenda.idle() && !agenda.stopped() && point.blocked.empty() && point.problems.empty()) point.problems = fabric.unsettled();
    point.protocol_problems = checkers.problems() + point.problems.size();
    if (series) {
        series->close(agenda.last());
        point.series = series->csv();
    }
    if (options.watch)
        point.links = links_json(link_results(fabric, system.graph(), agenda.last()), agenda.last()).dump();
    return result;
}

}  // namespace weft
