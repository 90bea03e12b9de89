#include "platform/applications/fabric/fabric_bench.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/applications/fabric/fabric_idle.h"
#include "platform/assembly/fabric_modules.h"
#include "platform/result/link_json.h"
#include "tlm_interconnect/kernel/module_errors.h"
#include "platform/simulation/time_series.h"
#include "platform/workload/machine_memory.h"
#include "tlm_interconnect/traffic/traffic_endpoint.h"

namespace weft {

namespace {

// How alike senders fare, and who is held up.
void judge_senders(FabricPoint& point, const Pattern& pattern, double capacity_GBps)
{
    std::vector<double> shares;
    double held_up = 0;
    for (std::uint32_t rank = 0; rank < point.arrival.by_source.size(); ++rank) {
        if (!pattern.sends_to_others(rank)) continue;
        const double accepted = point.arrival.by_source[rank] * 1e-9 / capacity_GBps;
        shares.push_back(point.arrival.by_source[rank]);
        point.least = shares.size() == 1 ? accepted : std::min(point.least, accepted);
        const bool waits_for_answers = !point.round_trip.held_up.empty() && point.round_trip.held_up[rank];
        if (!point.arrival.held_up[rank] && !waits_for_answers) continue;
        ++point.held_up;
        held_up += accepted;
    }
    if (point.held_up > 0) point.held_up_accepted = held_up / point.held_up;
    point.jain = jain_index(shares);
}

}  // namespace

FabricResult run_fabric(const ResolvedSystem& system, const ModelRegistry& registry, const FabricOptions& options)
{
    const FabricPlan plan = plan_fabric(system, members_of(system));
    const auto endpoints = static_cast<std::uint32_t>(plan.members.size());
    TrafficSpec traffic = options.traffic;
    traffic.stripe = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, system.routing().stripe / line_bytes));
    traffic.path_selection = system.routing().path_selection;
    const Pattern pattern(traffic.pattern, endpoints, traffic.seed);
    const FabricCapacity capacity = capacity_of(system, plan, traffic, pattern);
    traffic.slot_bytes = capacity.slot_bytes;
    traffic.slot_rate = capacity.slot_rate;
    constexpr std::uint64_t slots = 20'000;
    constexpr Time least = 20'000'000;
    if (traffic.duration == 0) {
        // Long enough for both, but no more than some four million lines at full load.
        const Time most = traffic.slot_time(4'000'000 / endpoints);
        traffic.duration = std::min(std::max(traffic.slot_time(slots), least), std::max<Time>(most, 1'000'000));
    }

    if (traffic.duration < traffic.slot_time(Measurement::batches))
        throw InputError("", 0,
            fmt::format("{} of traffic are fewer than {} lines of an endpoint at load 1",
                format_time_ps(traffic.duration), Measurement::batches),
            "--duration of at least " + format_time_ps(traffic.slot_time(Measurement::batches)));

    FabricResult result;
    FabricSetting& setting = result.setting;
    setting.system = system.name;
    setting.endpoints = endpoints;
    for (std::uint32_t rank = 0; rank < endpoints; ++rank) setting.senders += pattern.sends_to_others(rank) ? 1 : 0;
    if (setting.senders == 0)
        throw InputError("", 0,
            fmt::format("pattern {} for {} endpoints, where nobody sends to anybody else",
                pattern_names()[static_cast<std::size_t>(traffic.pattern.kind)], endpoints),
            "more endpoints, or another pattern");
    setting.pattern = pattern_names()[static_cast<std::size_t>(traffic.pattern.kind)];
    setting.several = traffic.pattern.kind == PatternKind::uniform || traffic.pattern.kind == PatternKind::hot_spot ||
        traffic.pattern.kind == PatternKind::all_to_all;
    setting.slot_ps_x1000 = traffic.slot_time(1000);
    setting.duration_ps = traffic.duration;
    setting.seed = traffic.seed;
    setting.notices = system.notices;
    setting.notices.insert(setting.notices.end(), plan.notices.begin(), plan.notices.end());
    for (std::string& notice : idle_in_fabric(system)) setting.notices.push_back(std::move(notice));
    for (std::string& notice : other_formats(system, plan)) setting.notices.push_back(std::move(notice));
    setting.capacity_GBps = capacity.GBps;
    setting.capacity = capacity;

    Measurement arrivals(traffic.duration, endpoints);
    Measurement round_trips(traffic.duration, endpoints);
    EventQueue event_queue("event_queue");
    LinePool pool;
    Progress progress;
    Checkers checkers(event_queue, options.check_protocol);
    checkers.keep_problems();
    ModuleTree tree;
    FabricModules fabric(system, plan, tree);
    std::vector<std::unique_ptr<TrafficEndpoint>> sources;
    for (std::uint32_t rank = 0; rank < endpoints; ++rank) {
        const std::string& path = plan.fabric.nodes[plan.members[rank]].name;
        sources.push_back(tree.at(path, [&](const std::string& name) {
            return std::make_unique<TrafficEndpoint>(name.c_str(), event_queue, path, pool, rank, fabric.ports(rank),
                fabric.routes(rank), traffic, pattern, arrivals, round_trips);
        }));
    }
    if (!options.check_protocol) fabric.watch_others();
    fabric.build(registry, RunContext{event_queue, pool, progress}, checkers, [&](std::uint32_t rank, unsigned port) {
        TrafficEndpoint& source = *sources[rank];
        FabricModules::End end = FabricModules::End::of(source.out(port), source.in(port), source.output(port));
        end.set_credits = [&source, port](const BufferSpace& space) { source.set_credits(port, space); };
        return end;
    });
    setting.switches = fabric.stated_switches();
    setting.links = fabric.links().size();

    // Where throughput is counted, too.
    const LimitProbe limit(event_queue, fabric, system.graph(), traffic.duration / 2, traffic.duration);

    // Beyond saturation the source queues hold more than could drain in any useful time.
    const Time end = 3 * traffic.duration + 100'000'000;
    if (options.watch || options.window > 0) fabric.watch();
    std::optional<TimeSeries> series;
    if (options.window > 0) {
        const MachineMemory memory = machine_memory();
        series.emplace(fabric, system.graph(), options.window, memory.total > 0 ? memory.available : ~std::uint64_t{0});
    }
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    throw_fatal_errors();
    for (;;) {
        keep_errors(event_queue, [&] { event_queue.run_kernel(series ? std::min(end, series->next() - 1) : end); });
        if (!series || event_queue.idle() || event_queue.stopped() || series->next() > end) break;
        series->close(series->next());
    }

    FabricPoint& point = result.point;
    point.load = traffic.load;
    const double together = std::max(1.0, traffic.burst) * traffic.message;
    point.round_trip = round_trips.result(together);
    point.arrival = arrivals.result(together, point.round_trip.mean);
    point.answered = traffic.reads + traffic.atomics > 0 || !traffic.posted;
    const bool has_round_trips = point.round_trip.lines + point.round_trip.missing > 0;
    point.arrival.steady = point.arrival.steady && (!has_round_trips || point.round_trip.steady);
    const double full = setting.capacity_GBps * static_cast<double>(setting.senders);
    point.accepted = point.arrival.accepted * 1e-9 / full;
    point.accepted_half_width = point.arrival.accepted_half_width * 1e-9 / full;
    point.offered = point.arrival.offered * 1e-9 / full;
    if (traffic.load >= 1) point.limit = limit.result();
    if (point.arrival.steady)
        point.busiest = busiest_link(fabric, system.graph(), event_queue.last_effect(), traffic.duration);
    judge_senders(point, pattern, setting.capacity_GBps);
    std::uint64_t unfinished = 0;
    for (const auto& source : sources) {
        point.lines += source->sent();
        unfinished += source->waiting();
    }
    const bool all_arrived = event_queue.idle() && unfinished == 0 && pool.live() == 0;
    point.uses = limit.uses(all_arrived ? std::optional<Time>(event_queue.last_effect()) : std::nullopt);
    point.together = together;
    point.created = static_cast<double>(point.lines) * static_cast<double>(setting.slot_ps_x1000) * 1e-3 /
        (static_cast<double>(traffic.duration) * static_cast<double>(setting.senders));
    point.hops = fabric.line_hops();
    if (event_queue.idle() && event_queue.failures().empty() && (unfinished > 0 || pool.live() > 0)) {
        point.blocked = fabric.blocked_chain();
        for (std::string& line : fabric.blocked()) point.blocked.push_back(std::move(line));
        for (const auto& source : sources)
            for (std::string& line : source->blocked()) point.blocked.push_back(std::move(line));
        if (point.blocked.empty()) point.blocked.push_back(std::to_string(pool.live()) + " transactions are lost");
    }
    if (event_queue.idle() && point.blocked.empty()) checkers.finish();
    point.problems = checkers.kept();
    for (const std::string& failure : event_queue.failures()) point.problems.push_back(failure);
    for (std::string& problem : fabric.problems()) point.problems.push_back(std::move(problem));
    if (event_queue.idle() && !event_queue.stopped() && point.blocked.empty() && point.problems.empty())
        point.problems = fabric.unsettled();
    point.wrong_at = event_queue.last_effect();
    point.protocol_problems = checkers.problems();
    if (series) {
        series->close(event_queue.last_effect());
        point.series = series->take_csv();
    }
    if (options.watch)
        point.links =
            links_json(link_results(fabric, system.graph(), event_queue.last_effect()), event_queue.last_effect())
                .dump();
    return result;
}

}  // namespace weft
