// Costs of one rank and of one link, from their parameters.
#include "platform/choice/cost_graph_of.h"

#include <algorithm>

#include "base/line_size.h"
#include "platform/choice/latencies.h"
#include "platform/choice/split_links.h"
#include "sc_models/memory/hbm_timing.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

// Payload that one packet of a stream carries.
std::uint64_t longest_payload(const LinkSpec& spec)
{
    switch (spec.merge) {
    case MergeKind::none: return line_bytes;
    case MergeKind::adjacent: return adjacent_block(spec);
    case MergeKind::destination: return std::uint64_t{destination_lines(spec)} * line_bytes;
    }
    return line_bytes;
}

// How much longer a load takes if its line is not in the near part of a divided L2.
Time far_time(const ResolvedSystem& system, NodeId node)
{
    const L2Spec& l2 = system.l2(node);
    if (l2.separate()) return 2 * system.memory_side(node).hop + system.memory_side(node).latency;
    return l2.mirrored() ? l2.latency + 2 * l2.far_latency : 0;
}

}  // namespace

std::uint64_t wavefronts_of_workgroup(const EngineSpec& engine, const GpuSpec& gpu)
{
    return std::min(engine.wavefronts, gpu.wavefronts_per_unit);
}

CostRank rank_cost_of(const ResolvedSystem& system, NodeId node)
{
    const GpuSpec& gpu = system.gpu(node);
    const EngineSpec& engine = system.engine();
    CostRank rank;
    rank.load_ps = gpu.unit_to_l2 + system.l2(node).latency + gpu.l2_to_unit;
    if (system.l2(node).mirrored()) rank.refill_ps = rank.load_ps + far_time(system, node);
    rank.cold_ps = idle_read(system.hbm(node));
    const L2Spec& l2 = system.l2(node);
    // What its L2 lacks comes by way of the memory-side cache.
    if (l2.separate()) rank.cold_behind_ps = far_time(system, node);
    const Time flag = flag_time(system, node);
    rank.own_flag_ps = gpu.unit_to_l2 + (flag + home_time(system, node)) / 2;
    const Time period = gpu.unit_to_l2 + flag + gpu.l2_to_unit + gpu.spin_interval;
    if (gpu.wait_policy != WaitPolicy::waiting_atomic) rank.poll_period_ps = period;
    rank.notice_ps = gpu.l2_to_unit + (flag - home_time(system, node)) / 2 + rank.poll_period_ps / 2;
    // Flags are polled at the point of coherence, which can be farther than the own cache.
    rank.poll_ps = gpu.unit_to_l2 + flag + gpu.l2_to_unit;
    if (l2.mirrored()) rank.poll_far_ps = flag - home_time(system, node);
    rank.poll_slot_ps = ps_per_s / gpu.clock;
    rank.poll_lanes = static_cast<std::uint32_t>(engine.poll_lanes);
    // What peers have stored is in the own half of a mirrored cache or in the other one; private parts of a cache see it at once.
    rank.packets.ask_ps = gpu.unit_to_l2 + l2.latency;
    rank.packets.answer_ps = gpu.l2_to_unit;
    rank.packets.between_ps = gpu.spin_interval;
    rank.packets.cold_ps = rank.cold_ps + rank.cold_behind_ps;
    if (l2.mirrored()) {
        rank.packets.far_ps = far_time(system, node);
        rank.packets.far_run = static_cast<double>(l2.slices / l2.partitions * l2.line);
    }
    rank.fence_ps = gpu.fence_latency;
    rank.launch_ps = gpu.launch_latency;
    const std::uint64_t wavefronts = wavefronts_of_workgroup(engine, gpu);
    rank.registers = static_cast<double>(wavefronts * engine.unroll * gpu.lanes * engine.vector);
    rank.sets = static_cast<double>(engine.unroll);
    rank.wavefronts = static_cast<double>(wavefronts);
    rank.outstanding = static_cast<double>(gpu.outstanding * line_bytes);
    rank.issue_ps_per_byte =
        static_cast<double>(ps_per_s) / static_cast<double>(gpu.clock) / static_cast<double>(gpu.coalesce);
    rank.units = static_cast<std::uint32_t>(gpu.compute_units);
    const auto engines = [](Time start, std::uint64_t rate, std::uint64_t lines, std::uint64_t count,
                             std::uint64_t lists) {
        return CopyCost{start, static_cast<double>(ps_per_s) / static_cast<double>(rate),
            static_cast<double>(lines * line_bytes), static_cast<std::uint32_t>(count),
            static_cast<std::uint32_t>(lists)};
    };
    const CopySpec& copy = system.copy(node);
    const BulkSpec& bulk = system.bulk(node);
    rank.copy = engines(copy.start, copy.rate, copy.in_flight, copy.engines, copy.engines * copy.queues);
    rank.bulk = engines(bulk.start, bulk.rate, bulk.in_flight, gpu.compute_units, gpu.compute_units * bulk.queue);
    rank.copy.poll_period_ps = rank.poll_ps + copy.poll_interval;
    rank.copy_notice_ps = gpu.l2_to_unit + (flag - home_time(system, node)) / 2 + rank.copy.poll_period_ps / 2;
    const std::uint64_t by_wavefronts = gpu.wavefronts_per_unit / std::max<std::uint64_t>(1, wavefronts);
    rank.threads = static_cast<std::uint32_t>(
        gpu.compute_units * std::max<std::uint64_t>(1, std::min(gpu.workgroups_per_unit, by_wavefronts)));
    return rank;
}

CostLink link_cost_of(const ResolvedSystem& system, EdgeId edge, bool by_card, double split)
{
    const LinkSpec& spec = system.link(edge);
    const double ps = static_cast<double>(ps_per_s) / static_cast<double>(spec.bandwidth) / line_bytes;
    const std::uint64_t run = bytes_in_a_row(system.routing());
    const auto stream = [&](LineOp op, LineClass cls, bool of_group) {
        const double whole = stream_bytes(spec, op, cls, of_group, by_card);
        if (split <= 0) return whole * ps;
        return ((1 - split) * whole + split * stream_bytes(spec, op, cls, of_group, by_card, run)) * ps;
    };
    CostLink out;
    out.ps_per_byte = stream(LineOp::write, LineClass::request, false);
    out.back_ps_per_byte = stream(LineOp::write, LineClass::response, false);
    out.group_ps_per_byte = stream(LineOp::write, LineClass::request, true);
    out.group_back_ps_per_byte = stream(LineOp::write, LineClass::response, true);
    out.push_more_ps_per_byte = stream(LineOp::reduce, LineClass::request, true) - out.group_ps_per_byte;
    out.buffer = static_cast<double>(spec.request_credits * line_bytes);
    out.answer_credits = static_cast<double>(spec.response_credits + spec.pool_credits);
    out.answer_round_ps = static_cast<double>(2 * spec.latency);
    const double byte_ps = static_cast<double>(ps_per_s) / static_cast<double>(spec.bandwidth);
    const bool messages = by_card && destination_lines(spec) > 0;
    if (messages) {
        out.packet_payload = static_cast<double>(std::uint64_t{destination_lines(spec)} * line_bytes);
        out.packet_ps = static_cast<double>(spec.packet_overhead) * byte_ps;
        out.message_ps = static_cast<double>(spec.message_header) * byte_ps;
        out.answer_ps = static_cast<double>(spec.packet_overhead + spec.message_answer) * byte_ps;
    }
    const std::uint64_t longest = longest_payload(spec);
    out.packet_time_ps = out.ps_per_byte * static_cast<double>(split < 1 ? longest : std::min(longest, run));
    out.signal_ps = lone_bytes(spec, LineOp::atomic, signal_bytes, LineClass::request, messages) * byte_ps;
    out.signal_back_ps = lone_bytes(spec, LineOp::atomic, signal_bytes, LineClass::response, messages) * byte_ps;
    if (spec.merge == MergeKind::destination && !messages)
        out.shared_packet_ps = static_cast<double>(spec.packet_overhead) * byte_ps;
    return out;
}

}  // namespace weft
