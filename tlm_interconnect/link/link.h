// A link: a full-duplex wire pair between two modules, end 0 and end 1.
//
// Sockets: target[e] takes requests from the module at end e, initiator[e] delivers requests to it.
// The wire of a direction is shared by the requests of one end and its responses to the other.
//
// Timing: a line occupies the wire for its bytes (packetiser.h) / bandwidth (remainders carried, rate_server.h) and
// arrives `latency` after its last bit has left. A pass-through: it books its wire, adds the time to the
// call's delay and hands on; the answer to the sender says when the wire is free again. A sender that
// does not wait is served first come, first served.
//
// A wide transaction takes the wire for all of its packets, and is delivered `latency` after its first line has left.
//
// Frames (framer.h): a line is delivered `latency` after the end of the frame in which its last byte travels: the check
// sum covers all of it.
//
// Credits travel against the lines with `latency`; with credit_bytes they take that wire (credit_messages.h), of a
// bundle the first.
//
// Bundle: `bundle` physical links of bandwidth / bundle each. A line takes one of them as a whole: by its number
// (lines: one address stays in order) or in turn. The sender may send when one is free; a line for another one queues there.
//
// Not modelled here: lane encoding (state a bandwidth without it), bit errors (replay_link.h), skew between lanes.
//
// Statistics, per direction: lines, packets, wire and payload bytes, flag reads and their bytes, credit messages, busy
// time.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tlm_interconnect/link/credit_messages.h"
#include "tlm_interconnect/link/link_shell.h"
#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class Link final : public LinkShell<Link, sc_core::sc_module> {
public:
    // Throws InputError when the parameters contradict each other.
    Link(sc_core::sc_module_name name, EventQueue& event_queue, const LinkSpec& spec);

    Direction direction(unsigned end) const override;
    Time busy_until(unsigned end, Time now) const override;
    void reset_statistics() override;

private:
    friend LinkShell<Link, sc_core::sc_module>;

    struct Strand {  // one physical link of a bundle, one direction
        RateServer server;
        Packetiser packetiser;
    };
    // Lines of a class like the one before them: most are alike.
    struct Alike {
        std::uint32_t common = ~0U;      // class, op, size and some flags of those that take() passes on by itself
        std::uint32_t kind = ~0U;        // of the last line, whoever has passed it on
        std::uint16_t bytes = 0;         // of a line that is a packet by itself
        std::uint16_t joined_bytes = 0;  // of one that goes on with a packet; where adjacent lines merge
        std::uint16_t payload = 0;
        std::uint64_t lines = 0;  // passed on by take(), and not in the sums below yet
        RateServer::Duration alone;
        RateServer::Duration joined;
    };
    // One direction; what every line needs comes first.
    struct alignas(64) Wire {
        std::array<Alike, line_classes> alike;
        Time latency = 0;
        Behind to;
        const EventQueue* event_queue = nullptr;
        Strand* first = nullptr;  // not simple
        bool free_credits = true;
        bool simple = true;   // one strand, every line a packet by itself, no frames, free credits
        bool merges = false;  // the same, but for adjacent lines that merge
        RateServer server;
        std::uint64_t lines = 0;
        std::uint64_t wire_bytes = 0;
        std::uint64_t payload_bytes = 0;
        std::uint64_t flag_reads = 0;
        std::uint64_t flag_bytes = 0;
        std::vector<Strand> strands;  // not simple
        Framer framer;                // not simple
        std::uint64_t turn = 0;
        CreditMessages credits;  // not simple

        explicit Wire(const LinkSpec& spec) : framer(spec), credits(spec) {}
        void sum_up(Alike& of)
        {
            lines += of.lines;
            if (simple) wire_bytes += of.lines * of.bytes;
            payload_bytes += of.lines * of.payload;
            of.lines = 0;
        }
    };
    struct Passage {
        Time sent;     // after now: the sender may send the next line
        Time arrival;  // after now
    };

    Time take(unsigned end, Line& line, LineClass cls, Time delay);
    // What a line costs depends on, and what is watched on it.
    static std::uint32_t kind_of(const Line& line, LineClass cls);
    Time take_otherwise(unsigned end, Line& line, LineClass cls, Time delay);
    void look_up(Wire& wire, Alike& alike, std::uint32_t kind, const Line& line, LineClass cls) const;
    Passage carry(Wire& wire, Line& line, LineClass cls, Time delay);
    static Time carry_adjacent(Wire& wire, Line& line, LineClass cls, Time arrival);
    Passage carry_in_packets(Wire& wire, Line& line, LineClass cls, Time now, Time arrival);
    static void note(LatencyBreakdown::Leg& leg, Time passage, Time latency)
    {
        leg.wire += passage - latency;
        leg.flight += latency;
    }
    static Time lead(Line& line, RateServer::Slot slot, Time arrival);
    static void count_flag(Wire& wire, LineClass cls, std::uint32_t bytes);
    Time credit_time(unsigned end, const Line& line, Time delay);
    Time time_of_messages(Wire& wire, const Line& line, Time delay);

    EventQueue& event_queue_;
    std::array<Wire, 2> wires_;
    // Wire bytes by class, op and code of the size, so that the hot path looks up instead of computing.
    std::array<std::array<std::array<std::uint16_t, SizeField::codes>, line_ops>, line_classes> cost_{};
};

inline std::uint32_t Link::kind_of(const Line& line, LineClass cls)
{
    const auto flags = static_cast<std::uint32_t>(line.flags & (LineHeader::poll_flag | LineHeader::traced_flag));
    return flags << 24 | static_cast<std::uint32_t>(cls) << 16 | static_cast<std::uint32_t>(line.op) << 8 |
        line.size.code();
}

// When the wire is free again. Of a line that is like the one before it.
inline Time Link::carry_adjacent(Wire& wire, Line& line, LineClass cls, Time arrival)
{
    Strand& strand = *wire.first;
    const Alike& alike = wire.alike[static_cast<unsigned>(cls)];
    const bool joins = strand.packetiser.join_adjacent(line, cls, arrival > strand.server.free_at());
    wire.wire_bytes += joins ? alike.joined_bytes : alike.bytes;
    return strand.server.book(arrival, joins ? alike.joined : alike.alone).end;
}

// Most lines are like the one of their class before them: nothing but their time on the wire is left to be found out. Inlined, so that
// such a line passes without another call.
[[gnu::always_inline]] inline Time Link::take(unsigned end, Line& line, LineClass cls, Time delay)
{
    Wire& wire = wires_[end];
    Alike& alike = wire.alike[static_cast<unsigned>(cls)];
    if (kind_of(line, cls) != alike.common) return take_otherwise(end, line, cls, delay);
    ++alike.lines;
    const Time now = wire.event_queue->now();
    const Time sent =
        (wire.merges ? carry_adjacent(wire, line, cls, now + delay) : wire.server.book(now + delay, alike.alone).end) -
        now;
    if (cls == LineClass::request) {
        call_forward(*wire.to.requests, line, LinePhase::request, sent + wire.latency);
    } else {
        call_backward(*wire.to.responses, line, LinePhase::response, sent + wire.latency);
    }
    return sent;
}

// When a credit that goes out from `end` arrives, from now.
inline Time Link::credit_time(unsigned end, const Line& line, Time delay)
{
    Wire& wire = wires_[end];
    return wire.free_credits ? delay + wire.latency : time_of_messages(wire, line, delay);
}

}  // namespace weft
