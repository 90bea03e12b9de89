#include "tlm_interconnect/link/link.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "tlm_interconnect/link/packet_answer.h"

namespace weft {

Link::Link(sc_core::sc_module_name name, EventQueue& event_queue, const LinkSpec& spec)
    : LinkShell(spec, name), event_queue_(event_queue), wires_{Wire(spec), Wire(spec)}
{
    check_link(spec);
    const Packetiser packetiser(spec);
    for (unsigned end = 0; end < 2; ++end) {
        Wire& wire = wires_[end];
        wire.event_queue = &event_queue;
        wire.latency = spec.latency;
        wire.free_credits = spec.credit_bytes == 0;
        wire.server.set_rate(spec.bandwidth);
        const bool bare = spec.frame == 0 && spec.bundle == 1 && wire.free_credits;
        wire.simple = bare && packetiser.plain();
        wire.merges = bare && packetiser.only_merges();
        if (wire.simple) continue;
        for (std::uint64_t s = 0; s < spec.bundle; ++s)
            wire.strands.push_back({RateServer(std::max<std::uint64_t>(1, spec.bandwidth / spec.bundle)), packetiser});
        wire.first = &wire.strands.front();
    }
    for (const LineClass cls : {LineClass::request, LineClass::response})
        for (unsigned op = 0; op < line_ops; ++op)
            for (std::uint8_t size = 0; size < SizeField::codes; ++size) {
                const std::uint32_t bytes = SizeField::bytes_of(size);
                const std::uint32_t lines = std::max(1U, bytes / line_bytes);
                cost_[static_cast<unsigned>(cls)][op][size] = static_cast<std::uint16_t>(
                    lines * weft::wire_bytes(spec, static_cast<LineOp>(op), bytes / lines, cls));
            }
}

// What lines of `kind`, such as `line`, have in common.
void Link::look_up(Wire& wire, Alike& alike, std::uint32_t kind, const Line& line, LineClass cls) const
{
    wire.sum_up(alike);
    alike.kind = kind;
    alike.bytes = cost_[static_cast<unsigned>(cls)][static_cast<unsigned>(line.op)][line.size.code()];
    alike.payload = static_cast<std::uint16_t>(payload_bytes(line.op, line.size, cls));
    const bool watched = (line.flags & (LineHeader::poll_flag | LineHeader::traced_flag)) != 0;
    alike.common = (wire.simple || wire.merges) && !watched && !line.wide() ? kind : ~0U;
    if (wire.merges) {
        const Packetiser& packetiser = wire.first->packetiser;
        alike.joined_bytes = static_cast<std::uint16_t>(packetiser.bytes_joined(cls, alike.bytes));
        alike.bytes = static_cast<std::uint16_t>(packetiser.bytes_alone(alike.bytes));
        alike.joined = wire.first->server.duration_of(alike.joined_bytes);
        alike.alone = wire.first->server.duration_of(alike.bytes);
    } else {
        alike.alone = wire.server.duration_of(alike.bytes);
    }
}

Link::Passage Link::carry(Wire& wire, Line& line, LineClass cls, Time delay)
{
    const Time now = event_queue_.now();
    Alike& alike = wire.alike[static_cast<unsigned>(cls)];
    const std::uint32_t kind = kind_of(line, cls);
    if (kind != alike.kind) look_up(wire, alike, kind, line, cls);
    wire.lines += line.lines();
    wire.payload_bytes += alike.payload;
    if (wire.merges && !line.wide()) {
        const std::uint64_t before = wire.wire_bytes;
        const Time sent = carry_adjacent(wire, line, cls, now + delay) - now;
        if ((line.flags & LineHeader::poll_flag) != 0)
            count_flag(wire, cls, static_cast<std::uint32_t>(wire.wire_bytes - before));
        return {sent, sent + wire.latency};
    }
    if (!wire.simple) return carry_in_packets(wire, line, cls, now, now + delay);
    wire.wire_bytes += alike.bytes;
    if ((line.flags & LineHeader::poll_flag) != 0) count_flag(wire, cls, alike.bytes);
    const RateServer::Slot slot = wire.server.book(now + delay, alike.bytes);
    const Time sent = slot.end - now;
    return {sent, (line.wide() ? lead(line, slot, now + delay) - now : sent) + wire.latency};
}

// When the first line of a wide transaction, which came at `arrival`, has left; sets how much later its last one has.
Time Link::lead(Line& line, RateServer::Slot slot, Time arrival)
{
    const Time one = (slot.end - slot.start) / line.lines();
    const Time first = slot.start + one;
    line.tail = static_cast<std::uint32_t>(std::max(slot.end, arrival + line.tail + one) - first);
    return first;
}

Link::Passage Link::carry_in_packets(Wire& wire, Line& line, LineClass cls, Time now, Time arrival)
{
    std::size_t chosen = 0;
    if (wire.strands.size() > 1)
        chosen = spec().bundle_selection == BundleSelection::round_robin ? wire.turn++ % wire.strands.size()
            : spec().paths_by_lines                                      ? line.path_hash % wire.strands.size()
                                    : local_of(line.address) / line_bytes % wire.strands.size();
    Strand& strand = wire.strands[chosen];
    if (!wire.free_credits && chosen == 0) wire.credits.settle(strand.server, arrival);
    const bool gap = arrival > strand.server.free_at();
    const std::uint32_t bytes =
        wire.framer.with_frames(add_to_packets(strand.packetiser, spec(), line, cls, gap, arrival));
    wire.wire_bytes += bytes;
    if ((line.flags & LineHeader::poll_flag) != 0) count_flag(wire, cls, bytes);
    const RateServer::Slot slot = strand.server.book(arrival, bytes);
    Time next = slot.end;
    if (wire.strands.size() > 1) {
        for (const Strand& other : wire.strands) next = std::min(next, other.server.free_at());
        next = std::max(next, arrival);  // those of a busy strand queue there, and hold nobody up
    }
    const Time first = line.wide() ? lead(line, slot, arrival) : slot.end;
    return {next - now, wire.framer.end_of_frame(first) - now + wire.latency};
}

void Link::count_flag(Wire& wire, LineClass cls, std::uint32_t bytes)
{
    if (cls == LineClass::request) ++wire.flag_reads;
    wire.flag_bytes += bytes;
}

Time Link::take_otherwise(unsigned end, Line& line, LineClass cls, Time delay)
{
    Wire& wire = wires_[end];
    const Behind& to = wire.to = behind(1 - end);
    const Passage passage = carry(wire, line, cls, delay);
    if (cls == LineClass::request) {
        if (line.traced()) note(line.breakdown().out, passage.arrival - delay, wire.latency);
        call_forward(*to.requests, line, LinePhase::request, passage.arrival);
    } else {
        if (line.traced()) note(line.breakdown().back, passage.arrival - delay, wire.latency);
        call_backward(*to.responses, line, LinePhase::response, passage.arrival);
    }
    return passage.sent;
}

Time Link::time_of_messages(Wire& wire, const Line& line, Time delay)
{
    Time left = 0;
    for (std::uint32_t credits = line.lines(); credits > 0; --credits)
        left = wire.credits.leave(wire.strands[0].server, wire.framer, event_queue_.now(), delay);
    return left + wire.latency;
}

LinkModel::Direction Link::direction(unsigned end) const
{
    const Wire& wire = wires_[end];
    Direction out;
    out.lines = wire.lines;
    out.wire_bytes = wire.wire_bytes + wire.credits.wire_bytes;
    out.payload_bytes = wire.payload_bytes;
    for (const Alike& alike : wire.alike) {
        out.lines += alike.lines;
        if (wire.simple) out.wire_bytes += alike.lines * alike.bytes;
        out.payload_bytes += alike.lines * alike.payload;
    }
    out.packets = out.lines;
    out.flag_reads = wire.flag_reads;
    out.flag_bytes = wire.flag_bytes;
    out.busy = wire.server.busy();
    out.credit_messages = wire.credits.count;
    if (!wire.simple) {
        out.busy = out.packets = 0;
        for (const Strand& strand : wire.strands) {
            out.busy += strand.server.busy();
            out.packets += strand.packetiser.packets();
        }
        out.busy /= wire.strands.size();
    }
    return out;
}

Time Link::busy_until(unsigned end, Time now) const
{
    const Wire& wire = wires_[end];
    if (wire.simple) return wire.server.busy_until(now);
    Time sum = 0;
    for (const Strand& strand : wire.strands) sum += strand.server.busy_until(now);
    return sum / wire.strands.size();
}

void Link::reset_statistics()
{
    for (Wire& wire : wires_) {
        for (Alike& alike : wire.alike) alike.lines = 0;
        wire.lines = wire.wire_bytes = wire.payload_bytes = wire.credits.count = wire.credits.wire_bytes = 0;
        wire.flag_reads = wire.flag_bytes = 0;
        wire.server.reset_busy();
        for (Strand& strand : wire.strands) {
            strand.server.reset_busy();
            strand.packetiser.reset_statistics();
        }
    }
}

}  // namespace weft
