#include "platform/workload/theory.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/theory/theory.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/choice/latencies.h"
#include "platform/choice/link_shares.h"
#include "platform/choice/split_links.h"
#include "platform/workload/link_bytes.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

// Bytes on the wire of every link direction (2e: from edge e's a to its b), by the routes of the system.
class LinkLoads {
public:
    LinkLoads(const ResolvedSystem& system, const FabricPlan& plan)
        : system_(system), shares_(plan, system.routing()), by_card_(has_cards(system, plan)),
          run_(bytes_in_a_row(system.routing())), bytes_(shares_.directions(), 0.0)
    {
    }

    // `lines` whole lines from one endpoint to another, and what goes back for them: acknowledges, or the requests
    // of a get.
    void add(std::uint32_t from, std::uint32_t to, double lines, bool get)
    {
        const LineOp op = get ? LineOp::read : LineOp::write;
        shares_.for_each(from, to, get, lines, [&](std::uint32_t edge, bool forward, double share) {
            const LinkSpec& spec = system_.link(edge);
            const std::uint64_t run = is_split(share, lines) ? run_ : std::numeric_limits<std::uint64_t>::max();
            const double there =
                stream_bytes(spec, op, get ? LineClass::response : LineClass::request, false, by_card_, run);
            const double back =
                stream_bytes(spec, op, get ? LineClass::request : LineClass::response, false, by_card_, run);
            bytes_[2 * edge + (forward ? 0 : 1)] += share * there;
            bytes_[2 * edge + (forward ? 1 : 0)] += share * back;
        });
    }

    struct Busiest {
        std::uint64_t wire_bytes = 0;
        std::uint64_t bandwidth = 1;
    };
    Busiest busiest() const
    {
        Busiest out;
        double longest = 0;
        for (std::size_t c = 0; c < bytes_.size(); ++c) {
            if (bytes_[c] <= 0) continue;
            const std::uint64_t bandwidth = system_.link(static_cast<EdgeId>(c / 2)).bandwidth;
            const double time = bytes_[c] / static_cast<double>(bandwidth);
            if (time <= longest) continue;
            longest = time;
            out = {static_cast<std::uint64_t>(bytes_[c]), bandwidth};
        }
        return out;
    }

private:
    const ResolvedSystem& system_;
    LinkShares shares_;
    bool by_card_;
    std::uint64_t run_;  // bytes in a row on one of several paths
    std::vector<double> bytes_;
};

// The parts of one step between two ranks.
struct StepTime {
    Time start = 0;
    Time load = 0;
    Time put = 0;
    Time answer = 0;
    Time signal = 0;
    Time notice = 0;
    Time get = 0;  // in place of load, put and answer
    Time total() const { return start + load + put + answer + signal + notice + get; }
    std::string text() const
    {
        const std::string flag = fmt::format("signal {} + detect {}", format_time_ps(signal), format_time_ps(notice));
        const std::string begin = start > 0 ? fmt::format("start {} + ", format_time_ps(start)) : "";
        if (get > 0) return begin + flag + " + get " + format_time_ps(get);
        if (signal == 0)
            return fmt::format("load {} + put {} + detect {}", format_time_ps(load), format_time_ps(put),
                format_time_ps(notice));
        return begin +
            fmt::format("load {} + put {} + response {} + ", format_time_ps(load), format_time_ps(put),
                format_time_ps(answer)) +
            flag;
    }
};

// Whether the schedule loads from other ranks rather than storing to them.
bool gets(const Schedule& schedule)
{
    for (const Thread& thread : schedule.ranks[0].threads)
        for (const Step& step : thread.steps)
            for (const ChunkRef& source : step.sources)
                if (source.rank != 0) return true;
    return false;
}

// Data from `from` to `to`, and a flag: behind the data of a put, ahead of those of a get.
StepTime step_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to,
    bool with_data, bool get, bool copies)
{
    const GpuSpec& sender = system.gpu(plan.members[from]);
    const GpuSpec& home = system.gpu(plan.members[to]);
    const L2Spec& near = system.l2(plan.members[from]);
    const Time far_home = home_time(system, plan.members[to]);
    const auto mover = system.engine().mover;
    StepTime step;
    if (with_data && mover == Mover::copy_engine) step.start = system.copy(plan.members[from]).start;
    if (copies && mover == Mover::bulk) step.start = system.bulk(plan.members[from]).start;
    if (get) {
        step.get = home.unit_to_port + path_time(system, plan, to, from, LineOp::read, line_bytes, LineClass::request) +
            sender.port_to_l2 + home_time(system, plan.members[from]) + sender.l2_to_port +
            back_time(system, plan, to, from, LineOp::read, line_bytes) + home.port_to_unit;
    } else if (with_data) {
        step.load = sender.unit_to_l2 + near.latency + sender.l2_to_unit;
        step.put = sender.unit_to_port +
            path_time(system, plan, from, to, LineOp::write, line_bytes, LineClass::request) + home.port_to_l2 +
            far_home;
        step.answer =
            home.l2_to_port + back_time(system, plan, from, to, LineOp::write, line_bytes) + sender.port_to_unit;
    }
    step.signal = sender.unit_to_port + path_time(system, plan, from, to, LineOp::atomic, 8, LineClass::request) +
        home.port_to_l2 + far_home;
    if (mover != Mover::copy_engine) step.signal += sender.fence_latency;
    const Time flag = flag_time(system, plan.members[to]);
    step.notice = home.l2_to_unit + (flag - far_home) / 2;
    if (with_data && system.engine().protocol != Protocol::simple) {
        // The flags come with the data, and are looked at without end.
        step.answer = step.signal = 0;
        step.notice = rank_cost_of(system, plan.members[to]).packets.mean_ps();
        return step;
    }
    const bool list = mover == Mover::copy_engine;
    const Time interval = list ? system.copy(plan.members[to]).poll_interval : home.spin_interval;
    if (list || home.wait_policy != WaitPolicy::waiting_atomic)
        step.notice += (home.unit_to_l2 + flag + home.l2_to_unit + interval) / 2;
    return step;
}

constexpr std::uint32_t most_ranks_for_all_pairs = 128;

// Whether a step has so many sources.
bool has_step(const Schedule& schedule, std::size_t least, std::size_t most)
{
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (step.sources.size() >= least && step.sources.size() <= most) return true;
    return false;
}
bool copies(const Schedule& schedule) { return has_step(schedule, 1, 1); }
bool reduces(const Schedule& schedule) { return has_step(schedule, 2, ~std::size_t{0}); }

}  // namespace

std::optional<std::vector<double>> link_payload(const FabricPlan& plan, const RoutingSpec& routing,
    const CollectiveRequest& request, const Schedule& schedule)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps)
                if (in_switch(step.kind)) return std::nullopt;
    const Traffic traffic = traffic_of(schedule, Layout(schedule, request.bytes, size_of(request.type)));
    const LinkShares shares(plan, routing);
    std::vector<double> out(shares.directions(), 0.0);
    for (std::uint32_t from = 0; from < traffic.ranks; ++from)
        for (std::uint32_t to = 0; to < traffic.ranks; ++to)
            if (const std::uint64_t bytes = traffic.between(from, to); from != to && bytes > 0)
                shares.for_each(request.members[from], request.members[to], gets(schedule), static_cast<double>(bytes),
                    [&](std::uint32_t edge, bool forward, double share) {
                        out[2 * edge + (forward ? 0 : 1)] += share;
                    });
    return out;
}

std::optional<AlphaBeta> alpha_beta(const ResolvedSystem& system, const FabricPlan& plan,
    const CollectiveRequest& request, const Schedule& schedule)
{
    if (schedule.size() < 2) return std::nullopt;
    const auto protocol = system.engine().protocol;
    const PacketFormat format = protocol == Protocol::simple ? PacketFormat::none : format_of(protocol);
    const bool staged = system.engine().staging == StagingMode::fifo;
    if (system.engine().channel == EngineChannel::port) return std::nullopt;
    if ((system.engine().slices > 1 || staged) && format == PacketFormat::none) return std::nullopt;
    // Steps that go back and forth between copy engines and units have no formula, and steps that partly begin with a bulk copy's start.
    const auto mover = system.engine().mover;
    const bool with_copies = format == PacketFormat::none && copies(schedule);
    if (mover == Mover::copy_engine && reduces(schedule)) return std::nullopt;
    if (mover == Mover::bulk && with_copies && reduces(schedule)) return std::nullopt;
    TheoryCase theory;
    theory.op = schedule.op;
    theory.algorithm = schedule.name;
    theory.ranks = schedule.size();
    theory.bytes = request.bytes;
    theory.element_bytes = size_of(request.type);
    theory.root = request.options.root;
    theory.pipeline = request.options.pipeline;
    theory.rings = request.options.rings;
    theory.orders = request.options.orders;
    theory.dimensions = request.options.dimensions;
    theory.scheduling = request.options.scheduling;
    // Nor have steps that a switch carries out, which shares and copies what pairs would exchange.
    const AlgorithmInfo* info = algorithm_info(schedule.op, schedule.name);
    if (!info || info->carrier == Carrier::in_switch) return std::nullopt;

    const bool with_data = schedule.op != CollectiveOp::barrier;
    const bool get = gets(schedule);
    StepTime slowest;
    LinkLoads loads(system, plan);
    AlphaBeta out;
    try {
        out.steps = theory_steps(theory);
        const bool all_pairs = theory.ranks <= most_ranks_for_all_pairs;
        const std::uint32_t senders = all_pairs ? theory.ranks : 1;
        const std::vector<std::uint64_t> pairs = all_pairs ? theory_bytes_pairs(theory) : std::vector<std::uint64_t>{};
        for (std::uint32_t from = 0; from < senders; ++from) {
            for (std::uint32_t to = 0; to < theory.ranks; ++to) {
                if (to == from) continue;
                const std::uint64_t payload =
                    all_pairs ? pairs[from * theory.ranks + to] : theory_bytes_between(theory, from, to);
                if (with_data && payload == 0) continue;
                if (!with_data && to != (from + 1) % theory.ranks) continue;
                const std::uint64_t lines = (packet_bytes(format, payload) + line_bytes - 1) / line_bytes;
                loads.add(from, to, static_cast<double>(lines), get);
                const StepTime step = step_time(system, plan, from, to, with_data, get, with_copies);
                if (step.total() > slowest.total()) slowest = step;
            }
        }
    } catch (const InputError&) {  // no formula for this algorithm
        return std::nullopt;
    }
    LinkLoads::Busiest busiest = loads.busiest();
    if (has_cards(system, plan) && with_data) {  // what a message costs depends on its size
        const Layout layout(schedule, request.bytes, size_of(request.type));
        for (const LinkBytes& link : link_bytes(system, plan, schedule, layout))
            if (static_cast<double>(link.wire) / static_cast<double>(link.rate) >
                static_cast<double>(busiest.wire_bytes) / static_cast<double>(busiest.bandwidth))
                busiest = {link.wire, link.rate};
    }
    out.wire_bytes = busiest.wire_bytes;
    out.rate = busiest.bandwidth;
    out.alpha_ps = slowest.total();
    out.time_ps =
        system.gpu(plan.members[0]).launch_latency + alpha_beta_ps(out.steps, out.alpha_ps, out.wire_bytes, out.rate);
    out.explanation = slowest.text();
    return out;
}

}  // namespace weft
