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
// (lines: one address stays in order) or in turn. The sender may send when its line has begun and one is free.
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
    void reset_statistics() override;

private:
    friend LinkShell<Link, sc_core::sc_module>;

    struct Strand {  // one physical link of a bundle, one direction
        RateServer server;
        Packetiser packetiser;
    };
    // One direction; what every line needs comes first.
    struct alignas(64) Wire {
        Time latency = 0;
        std::uint64_t lines = 0;
        std::uint64_t wire_bytes = 0;
        std::uint64_t payload_bytes = 0;
        std::uint64_t flag_reads = 0;
        std::uint64_t flag_bytes = 0;
        std::uint32_t last_kind = ~0U;  // class, op and size of the last line: most are alike
        std::uint16_t last_bytes = 0;
        std::uint16_t last_payload = 0;
        bool free_credits = true;
        bool simple = true;   // one strand, every line a packet by itself, no frames, free credits
        bool merges = false;  // the same, but for adjacent lines that merge
        RateServer server;
        std::vector<Strand> strands;  // not simple
        Framer framer;                // not simple
        std::uint64_t turn = 0;
        CreditMessages credits;  // not simple

        explicit Wire(const LinkSpec& spec) : framer(spec), credits(spec) {}
    };
    struct Passage {
        Time sent;     // after now: the sender may send the next line
        Time arrival;  // after now
    };

    Time take(unsigned end, Line& line, LineClass cls, Time delay);
    Passage carry(Wire& wire, Line& line, LineClass cls, Time delay);
    Passage carry_adjacent(Wire& wire, Line& line, LineClass cls, Time now, Time arrival);
    Passage carry_in_packets(Wire& wire, Line& line, LineClass cls, Time now, Time arrival);
    static void note(LatencyBreakdown::Leg& leg, Time passage, Time latency)
    {
        leg.wire += passage - latency;
        leg.flight += latency;
    }
    static Time lead(Line& line, RateServer::Slot slot, Time arrival);
    static void count_flag(Wire& wire, LineClass cls, std::uint32_t bytes);
    Time credit_time(unsigned end, const Line& line, Time delay);

    EventQueue& event_queue_;
    std::array<Wire, 2> wires_;
    // Wire bytes by class, op and code of the size, so that the hot path looks up instead of computing.
    std::array<std::array<std::array<std::uint16_t, SizeField::codes>, line_ops>, line_classes> cost_{};
};

}  // namespace weft
