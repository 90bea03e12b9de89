#include "rtl/dut/dut_link.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "rtl/modules/line_pins.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/packetiser.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

namespace {

BlockChannels channels_of(const LinkSpec& spec)
{
    const BufferSpace space = buffer_space(spec);
    BlockChannels out;
    for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
        if (space.lines[vc] == 0) continue;
        out.slot_of[vc] = static_cast<std::uint8_t>(out.vcs.size());
        out.vcs.push_back(vc);
    }
    return out;
}

LatencyBreakdown::Leg& leg_of(Line& line, LineClass cls)
{
    return cls == LineClass::request ? line.breakdown().out : line.breakdown().back;
}

}  // namespace

DutLink::DutLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec,
    PortMap map, std::vector<std::string> files, WaveWindow wave, std::uint64_t seed)
    : LinkShell(spec, name, event_queue, std::move(path), 2U, std::move(map), std::move(files), std::move(wave), seed,
          Words{"end", "end"})
{
    if (spec.bit_error_rate > 0)
        throw InputError("", 0, "bit errors on a link that is a block of RTL",
            "link.bit_error_rate=0; the block makes its own bit errors");
    build(channels_of(spec), 0);
    taken_until_.resize(block().sources().size());
}

Time DutLink::take(unsigned end, Line& line, LineClass cls, Time delay)
{
    expect(end, line, cls, delay);
    const Time now = event_queue().now();
    if (line.traced()) line.breakdown().since = now + delay;
    const std::size_t by = source_for(end, channels().slot_of[line.vc]);
    taken_until_[by] =
        std::max(taken_until_[by], now + delay) + beats(by, line, cls) * block().period(block().sources()[by]);
    Time next = taken_until_[by];
    for (std::size_t i = 0; i < taken_until_.size(); ++i)
        if (block().sources()[i].port == end) next = std::min(next, taken_until_[i]);
    return next > now ? next - now : 0;
}

unsigned DutLink::beats(std::size_t source, const Line& line, LineClass cls) const
{
    LineBits header;
    header_of(line, cls, 0, header);
    return block().sources()[source].channel->beats(header);
}

void DutLink::has_entered(std::size_t source, Line& line, LineClass cls)
{
    const DutBlock::Source& from = block().sources()[source];
    const unsigned count = beats(source, line, cls);
    const std::uint64_t bytes = std::uint64_t{count} * from.channel->beat_bytes();
    Direction& counts = count_[from.port];
    counts.wire_bytes += bytes;
    counts.busy += count * block().period(from);
    if (line.traced()) {
        const Time now = event_queue().now();
        leg_of(line, cls).wire += now - line.breakdown().since;
        line.breakdown().since = now;
    }
    if ((line.flags & LineHeader::poll_flag) == 0) return;
    if (cls == LineClass::request) ++counts.flag_reads;
    counts.flag_bytes += bytes;
}

void DutLink::has_left(std::size_t sink, Line& line, LineClass cls, unsigned channel, Time now)
{
    const DutBlock::Sink& from = block().sinks()[sink];
    Direction& counts = count_[1 - from.port];
    ++counts.lines;
    ++counts.packets;
    counts.payload_bytes += payload_bytes(line.op, line.size, cls);
    if (line.traced()) leg_of(line, cls).flight += now - line.breakdown().since;
    from.channel->freed(channel);
    hand_over(from.port, line, cls);
}

LinkModel::Direction DutLink::direction(unsigned end) const
{
    Direction out = count_[end];
    const std::vector<DutBlock::Source>& all = block().sources();
    out.busy /= static_cast<Time>(
        std::count_if(all.begin(), all.end(), [&](const DutBlock::Source& source) { return source.port == end; }));
    return out;
}

std::vector<Statistic> DutLink::statistics() const
{
    std::vector<Statistic> out = LinkModel::statistics();
    StatisticWriter write(dut_link_statistics(), out);
    write("clocks", clocks());
    return out;
}

void DutLink::reset_statistics()
{
    for (Direction& counts : count_) counts = {};
    reset_clocks();
}

}  // namespace weft
