#include "platform/choice/wide_errors.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/line_size.h"
#include "base/units.h"
#include "platform/assembly/wide_transactions.h"
#include "platform/choice/split_links.h"
#include "sc_models/memory/hbm_timing.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

constexpr double not_known = std::numeric_limits<double>::infinity();

struct WideError {
    double percent = 0;  // of the time at 64 B, at most
    std::string part;    // the worst one
    std::string effect;
};

// "5.2 %", "700 %"
std::string text_of(double percent) { return fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0); }

using Reason = WideError (*)(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain);

// How long a line that has arrived stays in the buffer of a node at least, ps.
double stay(const ResolvedSystem& system, const FabricPlan& plan, NodeId node)
{
    const bool member = plan.fabric.nodes[node].endpoint >= 0;
    double out = 0;
    if (!member || plan.used.transit[node]) out = static_cast<double>(system.switch_of(node).latency);
    if (!member) return out;
    const GpuSpec& gpu = system.gpu(node);
    const NetworkSpec& network = system.network(node);
    const std::uint64_t across = network.mesh() ? (network.columns + network.rows - 2) * network.hop_latency : 0;
    return std::max(out, static_cast<double>(std::max(gpu.port_to_l2, gpu.port_to_unit) + across));
}

WideError of_credits(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
{
    const auto lines = static_cast<double>(grain / line_bytes);
    WideError out;
    std::size_t links = 0;
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge]) continue;
        const LinkSpec& link = system.link(edge);
        const FabricEdge& ends = plan.fabric.edges[edge];
        const double trip =
            2 * static_cast<double>(link.latency) + std::max(stay(system, plan, ends.a), stay(system, plan, ends.b));
        const double wanted = static_cast<double>(link.bandwidth) * 1e-12 * trip / line_bytes;
        const bool answers = link.response_credits < link.request_credits;
        const std::uint64_t there = answers ? link.response_credits : link.request_credits;
        const auto credits = static_cast<double>(there);
        if (credits < lines) continue;  // refused
        const double percent = 100 * (std::min(wanted, credits) / (credits - (lines - 1)) - 1);
        if (percent <= 0) continue;
        ++links;
        if (percent <= out.percent) continue;
        out.percent = percent;
        out.part = fmt::format("{} = {} of {}", answers ? "link.response_credits" : "link.request_credits", there,
            edge_name(system.graph(), edge));
        out.effect = fmt::format("a channel sends once {} of them are there, so times are up to {} longer than at 64 B",
            lines, text_of(percent));
    }
    if (links > 1) out.part += fmt::format(" and {} more", links - 1);
    return out;
}

WideError of_limits(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
{
    const auto more = static_cast<double>(grain / line_bytes - 1);
    WideError out;
    for (const NodeId node : plan.members) {
        if (system.role(node) == NodeRole::memory) continue;
        for (const FlightLimit& limit : flight_limits(system, node)) {
            const double percent = 100 * more / (static_cast<double>(limit.lines) + more);
            if (percent <= out.percent) continue;
            out.percent = percent;
            out.part = fmt::format("{} = {} of {}", limit.parameter, limit.lines, plan.fabric.nodes[node].name);
            out.effect = fmt::format("up to {} lines more are in flight, so times are up to {} shorter than at 64 B",
                more, text_of(percent));
        }
    }
    return out;
}

WideError of_paths(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
{
    const std::uint64_t stripe = system.routing().stripe;
    if (stripe >= grain) return {};
    std::vector<std::uint32_t> endpoints(plan.members.size());
    std::iota(endpoints.begin(), endpoints.end(), 0U);
    const SplitLinks split(system, plan, endpoints);
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge] || (split.share(edge, true) <= 0 && split.share(edge, false) <= 0)) continue;
        const LinkSpec& link = system.link(edge);
        if (link.merge != MergeKind::adjacent || adjacent_block(link) <= stripe) continue;
        return {not_known,
            fmt::format("routing.stripe = {} B, equal paths and packets of up to {} B on {}", stripe,
                adjacent_block(link), edge_name(system.graph(), edge)),
            fmt::format("lines in a row take different paths at 64 B, and here one path and fewer packets; 64 B with "
                        "routing.stripe={}B is nearest to this",
                grain)};
    }
    return {};
}

// Of the lines of a wide access that one channel serves as one part.
double lines_of_part(const L2Spec& l2, const HbmSpec& hbm, std::uint64_t grain)
{
    if (l2.holds_contents()) return 1;  // fills and write-backs are lines
    const std::uint64_t lines = grain / line_bytes;
    const std::uint64_t channels = std::max<std::uint64_t>(1, hbm.channels / l2.slices);
    const std::uint64_t parts = lines < 4 ? 1 : std::min(channels, lines / 2);
    return static_cast<double>((lines + parts - 1) / parts);
}

// What bounds the lines of a DRAM channel besides its pins, ps a line: at 64 B, and in parts of several lines.
struct ChannelBound {
    std::string part;
    std::string effect;
    double lines_ps;
    double parts_ps;
};

// By the formulas of docs/models/hbm.md, for lines that each are in another row than the one before.
std::vector<ChannelBound> channel_bounds(const HbmTiming& timing, double part)
{
    const HbmSpec& spec = timing.spec;
    const auto ps = [](std::uint64_t time) { return static_cast<double>(time); };
    const double read_cycle = ps(std::max(spec.t_ras, spec.t_rcd + timing.last_column + spec.t_rtp) + spec.t_rp);
    const double write_cycle = ps(std::max(spec.t_ras, spec.t_rcd + spec.t_wl + timing.data + spec.t_wr) + spec.t_rp);
    const auto rows = [&](const std::string& what, double each) {
        return ChannelBound{what, fmt::format("{} lines open one row, where each may open its own at 64 B", part), each,
            each / part};
    };
    const auto queue = [&](const char* name, double cycle, std::uint64_t seen) {
        return ChannelBound{fmt::format("{} = {}", name, seen), fmt::format("up to {} lines more are seen", part - 1),
            cycle / ps(seen), cycle / (ps(seen) + part - 1)};
    };
    const double pins = ps(timing.line);
    const double turn = ps(spec.t_cl + spec.t_rtw + spec.t_wtr) / 2;
    const double turned = ps(timing.high - timing.low);
    return {rows("hbm.t_rrd = " + format_time_ps(spec.t_rrd), ps(spec.t_rrd)),
        rows("hbm.t_faw = " + format_time_ps(spec.t_faw), ps(spec.t_faw) / 4),
        rows(fmt::format("hbm.bank_groups x hbm.banks = {}", timing.banks), read_cycle / timing.banks),
        queue("hbm.read_queue", read_cycle, spec.read_queue), queue("hbm.write_queue", write_cycle, spec.write_queue),
        {fmt::format("hbm.write_high - hbm.write_low = {}", turned),
            fmt::format("turns have up to {} lines more", part - 1), pins + turn / turned,
            pins + turn / (turned + part - 1)}};
}

// How many times as long as on the pins a line may take where rows are kept open as in the systems of the page: there these bounds are
// up to 1.4 times the pins' time (B200), and what the page says of errors holds.
double times_of_page(const HbmSpec& spec)
{
    const HbmSpec usual;
    const bool kept = spec.row >= usual.row && spec.age_limit >= usual.age_limit &&
        spec.row_policy != RowPolicy::closed && (spec.row_policy == RowPolicy::open || spec.row_idle >= usual.row_idle);
    return kept ? 1.5 : 1;
}

WideError of_memories(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
{
    WideError out;
    for (const NodeId node : plan.members) {
        if (!system.hbm(node).ours()) continue;
        const double part = lines_of_part(system.l2(node), system.hbm(node), grain);
        const HbmTiming timing(system.hbm(node));
        const double least = times_of_page(timing.spec) * static_cast<double>(timing.line);
        for (const ChannelBound& bound : channel_bounds(timing, part)) {
            const double percent = 100 * (1 - std::max(least, bound.parts_ps) / std::max(least, bound.lines_ps));
            if (percent <= out.percent) continue;
            out.percent = percent;
            out.part = bound.part + " of " + plan.fabric.nodes[node].name;
            out.effect = fmt::format("{}, so times are up to {} shorter than at 64 B", bound.effect, text_of(percent));
        }
    }
    return out;
}

// What moves as packets of a protocol stays lines. Only how addresses are divided among paths and slices changes with the grain.
WideError of_packets(const ResolvedSystem& system, const FabricPlan&, std::uint64_t)
{
    const Protocol protocol = system.engine().protocol;
    if (system.workload.kind != Workload::Kind::collective || protocol == Protocol::simple) return {};
    return {not_known, fmt::format("engine.protocol = {}", name_of(protocol)),
        "its packets stay lines, so nothing is saved, and times differ from those at 64 B by an amount that is not "
        "known"};
}

constexpr Reason reasons[] = {of_credits, of_limits, of_paths, of_memories, of_packets};

double percent_of_page(std::uint64_t grain)
{
    for (const GrainError& error : grain_errors())
        if (error.grain == grain) return error.percent;
    return 0;
}

// The widest below `grain` for which this reason is within what the page has.
std::uint64_t enough(Reason reason, const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
{
    do grain /= 2;
    while (grain > line_bytes && reason(system, plan, grain).percent > percent_of_page(grain));
    return grain;
}

}  // namespace

const std::vector<GrainError>& grain_errors()
{
    static const std::vector<GrainError> errors{{64, 0}, {128, 1.6}, {256, 3.5}, {512, 3.5}};
    return errors;
}

void require_within(const ResolvedSystem& system, const FabricPlan& plan, double percent)
{
    const std::uint64_t grain = system.engine().grain;
    if (grain == line_bytes) return;
    for (const Reason reason : reasons)
        if (const WideError error = reason(system, plan, grain); error.percent > percent)
            throw wide_refused(system, fmt::format("engine.grain = {} B with {}: {}", grain, error.part, error.effect),
                "a grain of 64 B");
}

std::vector<std::string> wide_error_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint64_t grain = system.engine().grain;
    std::vector<std::string> out;
    if (grain == line_bytes) return out;
    for (const Reason reason : reasons) {
        const WideError error = reason(system, plan, grain);
        if (error.percent <= percent_of_page(grain)) continue;
        out.push_back(fmt::format("engine.grain = {} B with {}: {}", grain, error.part, error.effect));
        if (error.percent == not_known) continue;
        const std::uint64_t finer = enough(reason, system, plan, grain);
        out.back() += finer == line_bytes ? "; only 64 B is nearer"
                                          : fmt::format("; {} B is within {} %", finer, percent_of_page(finer));
    }
    return out;
}

}  // namespace weft
