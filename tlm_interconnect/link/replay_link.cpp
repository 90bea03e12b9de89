#include "tlm_interconnect/link/replay_link.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "tlm_interconnect/link/packet_answer.h"

namespace weft {

ReplayLink::ReplayLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec,
    std::uint64_t seed)
    : LinkShell(spec, name, event_queue, std::move(path)),
      survives_(std::pow(1 - static_cast<double>(spec.bit_error_rate) * 1e-18, 8)),
      wires_{Wire(spec, seed, stream_of(this->path())), Wire(spec, seed, ~stream_of(this->path()))}
{
    check_link(spec);
    for (unsigned end = 0; end < 2; ++end) {
        wires_[end].free_item.kind = free_kind;
        wires_[end].flight_item.kind = flight_kind;
        wires_[end].timer_item.kind = timer_kind;
        wires_[end].idle_item.kind = idle_kind;
    }
}

Time ReplayLink::take(unsigned end, Line& line, LineClass cls, Time delay)
{
    const Time now = event_queue().now();
    if (delay > 0) {
        line.kind = cls == LineClass::request ? accept_request_kind : accept_response_kind;
        event_queue().schedule(line, *this, now + delay, end);
    } else {
        accept(end, line, cls);
    }
    Wire& wire = wires_[end];
    const Time busy = std::max(wire.server.free_at(), now + delay) - now;
    return busy + (wire.waiting_bytes * 1'000'000'000'000 + spec().bandwidth - 1) / spec().bandwidth;
}

void ReplayLink::accept(unsigned end, Line& line, LineClass cls)
{
    Wire& wire = wires_[end];
    const Time now = event_queue().now();
    const bool gap = wire.next == wire.base + wire.packets.size() && wire.server.free_at() < now;
    const std::uint64_t before = wire.packetiser.packets();
    const std::uint32_t bytes = wire.framer.with_frames(add_to_packets(wire.packetiser, spec(), line, cls, gap, now));
    const bool begins = wire.packetiser.packets() > before;
    wire.begun += begins && bytes > 0 ? 1 : 0;
    if ((line.flags & LineHeader::poll_flag) != 0) {
        wire.count.flag_reads += cls == LineClass::request ? 1 : 0;
        wire.count.flag_bytes += bytes;
    }
    wire.packets.push_back({&line, 0, bytes, cls, begins, wire.begun});
    wire.waiting_bytes += bytes;
    serve(end);
}

// Packets of one frame have one fate.
bool ReplayLink::hit(Wire& wire, std::uint32_t bytes, Time due)
{
    if (spec().bit_error_rate == 0) return false;
    if (spec().frame > 0 && wire.frame_due == due) return wire.frame_hit;
    const std::uint64_t covered = spec().frame > 0 ? spec().frame : bytes;
    wire.frame_due = due;
    wire.frame_hit = wire.random.uniform() >= std::pow(survives_, static_cast<double>(covered));
    if (wire.frame_hit) ++wire.count.errors;
    return wire.frame_hit;
}

// Sends while the wire is free, which lines without bytes leave it, and comes back when it is free again.
void ReplayLink::serve(unsigned end)
{
    Wire& wire = wires_[end];
    const Time now = event_queue().now();
    wire.credits.settle(wire.server, now);
    while (wire.server.free_at() <= now) {
        const bool more = sends(wire);
        if (send_answer(end, now)) continue;
        if (!more) break;
        send_packet(end, now);
    }
    const bool waits = sends(wire);
    const bool answers = wires_[1 - end].request_waits || wires_[1 - end].uncovered > 0;
    if ((waits || answers) && wire.server.free_at() > now && !wire.free_item.scheduled)
        event_queue().schedule(wire.free_item, *this, wire.server.free_at(), end);
}

void ReplayLink::send_packet(unsigned end, Time now)
{
    Wire& wire = wires_[end];
    Packet& packet = wire.packets[wire.next - wire.base];
    packet.sent = now;
    const Time sent = wire.server.book(now, packet.bytes).end;
    wire.count.wire_bytes += packet.bytes;
    wire.count.packets += packet.begins ? 1 : 0;
    if (wire.next < wire.highest) {
        wire.count.repeated_bytes += packet.bytes;
    } else {
        wire.highest = wire.next + 1;
        wire.waiting_bytes -= packet.bytes;
    }
    const Time due = wire.framer.end_of_frame(sent) + spec().latency;
    const bool bad = hit(wire, packet.bytes, due);
    fly(end, {due, wire.next, bad ? Flight::Kind::hit : Flight::Kind::packet});
    if (wire.duplicate) {
        wire.duplicate = false;
        fly(end, {due, wire.next, Flight::Kind::packet});
    }
    ++wire.next;
    watch(end);
}

// Acknowledges, by this wire, what the other one has brought here. With ack_bytes it waits for its turn.
bool ReplayLink::send_answer(unsigned end, Time now)
{
    Wire& heard = wires_[1 - end];
    Wire& wire = wires_[end];
    if (!heard.request_waits && heard.uncovered == 0) return false;
    const bool idle = !sends(wire);
    // Lines that join a packet count for none. Each is told where that costs nothing; else they wait for the next packet.
    const bool each = spec().ack_every == 1 && spec().ack_bytes == 0;
    const bool due = heard.request_waits || each || heard.uncovered_packets >= spec().ack_every;
    if (!due && !idle) return false;
    if (!due && spec().ack_every > 1 && spec().ack_bytes > 0) {
        // The sender at this end may hand over its next line in this very instant: it knows when the wire is free.
        if (!wire.idle_item.scheduled) {
            wire.idle_at = now;
            event_queue().schedule(wire.idle_item, *this, now + 1, end);
        }
        return false;
    }
    answer(end, now);
    return spec().ack_bytes > 0;
}

// The instant is over. What was not due leaves as if in it, if the wire is still idle.
void ReplayLink::send_early_answer(unsigned end)
{
    const Wire& wire = wires_[end];
    if (wires_[1 - end].uncovered > 0 && wire.server.free_at() <= wire.idle_at && !sends(wire))
        answer(end, wire.idle_at);
    serve(end);
}

void ReplayLink::answer(unsigned end, Time now)
{
    Wire& heard = wires_[1 - end];
    Wire& wire = wires_[end];
    // In a header it goes with whatever is on the wire.
    Time sent = std::max(now, wire.server.free_at());
    if (spec().ack_bytes > 0) {
        const std::uint32_t bytes = wire.framer.with_frames(static_cast<std::uint32_t>(spec().ack_bytes));
        sent = wire.server.book(now, bytes).end;
        wire.count.wire_bytes += bytes;
    }
    fly(end,
        {wire.framer.end_of_frame(sent) + spec().latency, heard.expected,
            heard.request_waits ? Flight::Kind::request : Flight::Kind::acknowledge});
    heard.request_waits = false;
    heard.uncovered = heard.uncovered_packets = 0;
}

void ReplayLink::fly(unsigned end, Flight flight)
{
    Wire& wire = wires_[end];
    wire.flight.push_back(flight);
    if (!wire.flight_item.scheduled) event_queue().schedule(wire.flight_item, *this, wire.flight.front().due, 8 + end);
}

void ReplayLink::land(unsigned end, const Flight& flight)
{
    Wire& wire = wires_[end];
    const unsigned here = 1 - end;  // the end that it arrives at
    switch (flight.kind) {
    case Flight::Kind::acknowledge: acknowledged(here, flight.number); return;
    case Flight::Kind::request:
        acknowledged(here, flight.number);
        go_back(here);
        return;
    case Flight::Kind::hit:
        if (spec().retry == RetryKind::go_back_n && !wire.asked) {
            wire.asked = wire.request_waits = true;
        }
        break;
    case Flight::Kind::packet:
        if (flight.number == wire.expected) {
            Packet& packet = wire.packets[flight.number - wire.base];
            ++wire.expected;
            count_uncovered(wire, packet);
            wire.asked = wire.request_waits = false;
            deliver(end, packet);
            drop_silent(wire);
        } else if (flight.number < wire.base) {
            ++wire.count.duplicates;
            ++wire.uncovered;
            ++wire.uncovered_packets;
        } else if (flight.number < wire.expected) {
            ++wire.count.duplicates;
            count_uncovered(wire, wire.packets[flight.number - wire.base]);  // its acknowledge was late: say it again
        }
        break;
    }
    // In headers: no turn to wait for.
    if (spec().ack_bytes == 0) send_answer(here, event_queue().now());
    serve(here);
    serve(end);  // lines without bytes that have arrived make room
}

void ReplayLink::deliver(unsigned end, Packet& packet)
{
    Wire& wire = wires_[end];
    packet.arrived = true;
    ++wire.count.lines;
    wire.count.payload_bytes += payload_bytes(packet.line->op, packet.line->size, packet.cls);
    hand_over(1 - end, *packet.line, packet.cls);
}

void ReplayLink::acknowledged(unsigned end, std::uint64_t number)
{
    Wire& wire = wires_[end];
    while (wire.base < number) {
        wire.packets.pop_front();
        ++wire.base;
    }
    drop_silent(wire);
    serve(end);
}

// Lines without bytes are known to have arrived when all before them are.
void ReplayLink::drop_silent(Wire& wire)
{
    for (; wire.base < wire.expected && wire.packets.front().bytes == 0; ++wire.base) wire.packets.pop_front();
    wire.next = std::max(wire.next, wire.base);
}

void ReplayLink::count_uncovered(Wire& wire, const Packet& packet)
{
    if (packet.bytes == 0) return;
    ++wire.uncovered;
    if (packet.begins) ++wire.uncovered_packets;
}

void ReplayLink::go_back(unsigned end)
{
    Wire& wire = wires_[end];
    if (wire.next == wire.base) return;
    ++wire.count.replays;
    wire.next = wire.base;
    serve(end);
}

// The timer follows the oldest packet that is out.
void ReplayLink::watch(unsigned end)
{
    Wire& wire = wires_[end];
    if (wire.next > wire.base && !wire.timer_item.scheduled)
        event_queue().schedule(wire.timer_item, *this, wire.packets.front().sent + spec().replay_timeout, 16 + end);
}

void ReplayLink::run(ScheduledItem& item)
{
    const unsigned end = item.input & 1U;
    Wire& wire = wires_[end];
    const Time now = event_queue().now();
    switch (item.kind) {
    case accept_request_kind:
    case accept_response_kind:
        accept(end, Line::of(item), item.kind == accept_request_kind ? LineClass::request : LineClass::response);
        return;
    case free_kind: serve(end); return;
    case idle_kind: send_early_answer(end); return;
    case flight_kind:
        while (!wire.flight.empty() && wire.flight.front().due <= now) {
            const Flight flight = wire.flight.front();
            wire.flight.pop_front();
            land(end, flight);
        }
        if (!wire.flight.empty() && !wire.flight_item.scheduled)
            event_queue().schedule(wire.flight_item, *this, wire.flight.front().due, 8 + end);
        return;
    default: break;
    }
    if (wire.next > wire.base && wire.packets.front().sent + spec().replay_timeout <= now)
        go_back(end);
    else
        event_queue().without_effect();  // what it was set for has been acknowledged since
    watch(end);
}

// When a credit that goes out from `end` arrives, from now.
Time ReplayLink::credit_time(unsigned end, const Line&, Time delay)
{
    Wire& wire = wires_[end];
    return wire.credits.leave(wire.server, wire.framer, event_queue().now(), delay) + spec().latency;
}

std::vector<std::string> ReplayLink::blocked() const
{
    std::vector<std::string> out;
    for (unsigned end = 0; end < 2; ++end) {
        const Wire& wire = wires_[end];
        const std::uint64_t inside = wire.base + wire.packets.size() - wire.expected;
        if (inside == 0) continue;
        out.push_back(path() + ": " + std::to_string(inside) + " transactions from end " + std::to_string(end) +
            " have not come out; " + std::to_string(wire.base + wire.packets.size() - wire.next) +
            " of them wait for the wire; " + std::to_string(wire.next - wire.base) + " sent and not acknowledged");
    }
    return out;
}

LinkModel::Direction ReplayLink::direction(unsigned end) const
{
    Direction out = wires_[end].count;
    out.busy = wires_[end].server.busy();
    out.credit_messages = wires_[end].credits.count;
    out.wire_bytes += wires_[end].credits.wire_bytes;
    return out;
}

void ReplayLink::reset_statistics()
{
    for (Wire& wire : wires_) {
        wire.count = {};
        wire.credits.count = wire.credits.wire_bytes = 0;
        wire.server.reset_busy();
    }
}

}  // namespace weft
