#include "rtl/modules/switch_block_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

namespace {

void refuse(bool wrong, const std::string& what, const std::string& expected)
{
    if (wrong) throw InputError("", 0, what, expected);
}

constexpr std::uint64_t most_clocks = 1023;
constexpr std::uint64_t most_iterations = 16;

std::uint64_t clocks_of_latency(const SwitchSpec& spec)
{
    return std::max<std::uint64_t>(1, (spec.latency + spec.clock - 1) / spec.clock);
}

void check(const SwitchSpec& spec)
{
    const std::uint64_t clocks = clocks_of_latency(spec);
    refuse(clocks > most_clocks,
        fmt::format("a clocked switch whose switch.latency of {} is {} clocks of switch.clock = {}",
            format_time_ps(spec.latency), clocks, format_time_ps(spec.clock)),
        fmt::format("at most {} clocks: a longer switch.clock or a shorter switch.latency", most_clocks));
    refuse(spec.iterations > most_iterations,
        fmt::format("a clocked switch with switch.iterations = {}", spec.iterations),
        fmt::format("at most {}", most_iterations));
    const auto queues = spec.queues;
    const auto allocator = spec.allocator;
    refuse(queues == QueueKind::channel, "a clocked switch with switch.queues=channel", "voq or fifo");
    refuse(allocator != AllocatorKind::islip && allocator != AllocatorKind::round_robin,
        "this switch.allocator with a clocked switch", "islip or round_robin");
    refuse(spec.vc_stage != VcStage::combined, "a clocked switch with a separate stage for the allocation of channels",
        "switch.vc_stage=combined");
    refuse(spec.input_speedup != 1, "a clocked switch with switch.input_speedup", "1");
    refuse(spec.output_buffer != 0, "a clocked switch with output buffers", "switch.output_buffer=0");
    refuse(spec.transfer > spec.clock, "a clocked switch whose crossbar is held for more than one clock",
        "switch.transfer of at most one clock");
    refuse(spec.credit_delay > spec.clock, "a clocked switch in which credits take several clocks",
        "switch.credit_delay of at most one clock");
    refuse(spec.message != 0, "a clocked switch that makes messages", "switch.message=0, or model switch");
}

}  // namespace

SwitchBlockParameters block_parameters(const SwitchSpec& spec, const std::vector<BufferSpace>& space,
    BlockChannels& channels)
{
    check(spec);
    for (const BufferSpace& port : space) {
        refuse(port.vc_sets() > 1, "a clocked switch on links with more than one VC set", "link.vc_sets=1");
        refuse(port.shared > 0, "a clocked switch on links whose channels share credits", "link.pool_credits=0");
        refuse(port.split != space.front().split, "a clocked switch between links with shared and with split channels",
            "the same link.vcs everywhere");
    }
    SwitchBlockParameters out;
    out.ports = static_cast<unsigned>(space.size());
    channels.vcs.clear();
    unsigned most = 1;
    for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
        std::uint32_t lines = 0;
        for (const BufferSpace& port : space) lines = std::max(lines, port.lines[vc]);
        if (lines == 0) continue;
        most = std::max(most, lines);
        channels.slot_of[vc] = static_cast<std::uint8_t>(channels.vcs.size());
        channels.vcs.push_back(vc);
    }
    refuse(most > 1023, fmt::format("a clocked switch before a buffer for {} transactions of a channel", most),
        "at most 1023: link.request_credits and link.response_credits (by default enough for a round trip, with "
        "switch.latency), which count for all channels together");
    out.vcs = static_cast<unsigned>(channels.vcs.size());
    out.depth = most;
    out.max_credits = most;
    for (const BufferSpace& port : space)
        for (const std::uint8_t vc : channels.vcs) out.credits.push_back(static_cast<std::uint16_t>(port.lines[vc]));
    out.latency = static_cast<unsigned>(clocks_of_latency(spec));
    out.traversal = 0;
    out.iterations = static_cast<unsigned>(spec.iterations);
    out.islip = spec.allocator == AllocatorKind::islip;
    out.one_queue = spec.queues == QueueKind::fifo;
    out.check();
    return out;
}

bool can_have_groups(const SwitchSpec& spec, const SwitchBlockParameters& block, const std::vector<BufferSpace>& space)
{
    return spec.multicast_groups > 0 && block.ports < 64 && block.vcs == vc_classes && space.front().split;
}

GroupSwitchParameters group_parameters(const SwitchSpec& spec, const SwitchBlockParameters& block,
    const BlockChannels& channels)
{
    const auto slot = [&](VcClass cls) { return unsigned{channels.slot_of[vc_of(cls, 0)]}; };
    GroupSwitchParameters out;
    out.outside = block;
    out.groups = static_cast<unsigned>(std::min<std::uint64_t>(spec.multicast_groups, 1024));
    out.contexts = static_cast<unsigned>(std::min(spec.group_contexts, most_block_contexts));
    out.slots = std::min(64U, block.max_credits);
    out.vc_read = slot(VcClass::request);
    out.vc_write = slot(VcClass::write);
    out.vc_group = slot(VcClass::atomic);
    out.vc_response = slot(VcClass::response);
    out.check();
    return out;
}

}  // namespace weft
