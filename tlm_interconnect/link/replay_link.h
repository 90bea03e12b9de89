// A link with bit errors that repeats what was lost: sequence numbers, check sums, acknowledges, a replay buffer.
//
// Sockets, wire, latency and credits as Link (link.h); here every line is an event at both ends. Model of a direction:
//   sender    numbers lines, keeps them until they are acknowledged (those of at most replay_buffer packets, as `merge`
//             joins them; beyond that it pauses), and sends the next one when the wire is free. Lines without a byte on
//             the wire ride with the one before them: they ask for no acknowledge, and only a frame's hit loses them
//   wire      a line is hit with chance 1 - (1 - bit_error_rate)^(8 bytes), from a stream of its own
//   receiver  delivers the number it expects, at once; drops what is hit (its check sum says so) and what is out of
//             sequence; acknowledges by number
//   timeout   [NVLink] a packet that is not acknowledged replay_timeout after its first bit was sent is sent again,
//             and all after it
//   go_back_n [UALink] a packet that is hit makes the receiver ask for its number, once until it comes; the sender goes
//             back to it; the timeout stays as a safeguard
// Acknowledges and replay requests take ack_bytes of the opposite wire before anything else that waits there (0: they
// ride in headers) and are not hit themselves (they are sent several times, or the next one covers them). One covers
// ack_every packets; when nothing can be sent on the wire back, as many as there are: not before the sender there has had its turn in the
// instant in which the wire is free. Of a packet of several lines those
// are sent again that follow the hit, without a header of their own.
//
// Goodput under saturation, p = chance that a packet is hit, T = its time on the wire, W = packets sent in vain for an
// error, itself included:
//   efficiency = (1 - p) / (1 - p + p W)
//   go_back_n  W = ceil((T + 2 latency + ack) / T)        ack = time of a replay request on the wire back
//   timeout    W = replay_timeout / T, rounded up; at least as many as the replay buffer allows for
//
// The sender of lines is never refused: what it hands over waits in the transmit queue, bounded by its credits. The
// answer to it is the time after which the wire would be free without further errors.
//
// Frames: a hit loses all packets that end in the frame; p and T are the frame's, W counts frames and one more, since
// an error waits for the next boundary. Packets fill frames anew when they are sent again. An acknowledge in headers
// leaves with the end of a frame.
//
// Not modelled: bundles together with retry (refused), errors in credits and acknowledges, retraining.
//
// Statistics, per direction: as Link; packets hit, times gone back, bytes repeated.
#pragma once

#include <deque>

#include "tlm_interconnect/link/credit_messages.h"
#include "tlm_interconnect/link/link_shell.h"
#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/kernel/rate_server.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace weft {

class ReplayLink final : public LinkShell<ReplayLink> {
public:
    ReplayLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec,
        std::uint64_t seed);

    Direction direction(unsigned end) const override;
    Time busy_until(unsigned end, Time now) const override { return wires_[end].server.busy_until(now); }
    void reset_statistics() override;
    std::vector<std::string> blocked() const override;

    // For tests: the next packet from `end` arrives twice.
    void duplicate_next(unsigned end) { wires_[end].duplicate = true; }

private:
    struct Packet {
        Line* line;
        Time sent = 0;  // first bit, of the last time
        std::uint32_t bytes;
        LineClass cls;
        bool begins;           // a packet; else it joins the one before
        std::uint64_t begun;   // packets with bytes up to this line
        bool arrived = false;  // the line is no longer ours
    };
    struct Flight {
        Time due;
        std::uint64_t number;  // of the packet, or what an acknowledge covers
        enum class Kind : std::uint8_t { packet, hit, acknowledge, request } kind;
    };
    struct Wire {
        RateServer server;
        Packetiser packetiser;
        Framer framer;
        RandomStream random;
        std::deque<Packet> packets;  // from `base` on
        std::uint64_t base = 0;      // the oldest that is not acknowledged
        std::uint64_t next = 0;      // to be sent
        std::uint64_t highest = 0;   // ever sent, plus one
        std::uint64_t begun = 0;     // packets with bytes
        std::uint64_t waiting_bytes = 0;
        std::deque<Flight> flight;
        std::uint64_t expected = 0;           // receiver at the far end
        std::uint64_t uncovered = 0;          // lines delivered there and not acknowledged
        std::uint64_t uncovered_packets = 0;  // that they begin
        bool asked = false;                   // a replay request is out
        bool request_waits = false;
        bool duplicate = false;
        Time frame_due = 0;  // arrival of the frame that was sent last
        bool frame_hit = false;
        CreditMessages credits;
        Direction count;
        Time idle_at = 0;  // when nothing was there to be sent but acknowledges that are not due
        ScheduledItem idle_item;
        ScheduledItem free_item;
        ScheduledItem flight_item;
        ScheduledItem timer_item;

        explicit Wire(const LinkSpec& spec, std::uint64_t seed, std::uint64_t number)
            : server(spec.bandwidth), packetiser(spec), framer(spec), random(seed, number), credits(spec)
        {
        }
    };
    static constexpr std::uint8_t accept_request_kind = 0;
    static constexpr std::uint8_t accept_response_kind = 1;
    static constexpr std::uint8_t free_kind = 2;
    static constexpr std::uint8_t flight_kind = 3;
    static constexpr std::uint8_t timer_kind = 4;
    static constexpr std::uint8_t idle_kind = 5;

    friend LinkShell<ReplayLink>;

    void run(ScheduledItem& item) override;

    Time take(unsigned end, Line& line, LineClass cls, Time delay);
    void accept(unsigned end, Line& line, LineClass cls);
    // Whether a line waits that the replay buffer lets go. One without bytes has no place there.
    bool sends(const Wire& wire) const
    {
        if (wire.next == wire.base + wire.packets.size()) return false;
        const Packet& packet = wire.packets[wire.next - wire.base];
        if (packet.bytes == 0) return true;
        auto oldest = wire.packets.begin();
        while (oldest->bytes == 0) ++oldest;
        return packet.begun - oldest->begun < spec().replay_buffer;
    }
    void serve(unsigned end);
    void send_packet(unsigned end, Time now);
    bool send_answer(unsigned end, Time now);
    void send_early_answer(unsigned end);
    void answer(unsigned end, Time now);
    void fly(unsigned end, Flight flight);
    void land(unsigned end, const Flight& flight);
    void deliver(unsigned end, Packet& packet);
    void acknowledged(unsigned end, std::uint64_t number);
    static void drop_silent(Wire& wire);
    static void count_uncovered(Wire& wire, const Packet& packet);
    void go_back(unsigned end);
    void watch(unsigned end);
    bool hit(Wire& wire, std::uint32_t bytes, Time due);
    Time credit_time(unsigned end, const Line& line, Time delay);

    double survives_;  // chance of one byte
    std::array<Wire, 2> wires_;
};

}  // namespace weft
