// A link whose two ends are clocked blocks with a wire between them: RTL, reference models, or both in lockstep.
//
// Sockets, and credits between the modules at its ends: as Link (link.h). link.model chooses rtl_link, reference_link
// or link_lockstep.
//
// A line becomes bits (line_bits.h) at the pins of its end, the endpoint makes a packet of flits of it, and what
// comes out of the other endpoint is compared with what went in (flight_table.h). The wire is ours: link.latency, and
// wrong bits at link.bit_error_rate from a stream of its own.
//
// Timing: the clock is link.flit over link.bandwidth, rounded to a picosecond. A line is on the pins at the first edge
// that is not over when it arrives, one for each end and clock, channels in turn. link.latency includes the two
// clocks that the endpoints take for themselves; below three clocks it is three. The module that sends is told that the wire is taken for the flits
// of its packet; acknowledges, credits and repeated packets delay what it sends within the buffer in front of the
// endpoint. A slot that is free at the far end is on the pins there at the next edge, and comes back in a packet; the
// module that sends learns of it after link.latency, as of any link.
//
// Packets, CRC and replay are the block's (rtl/link): link.header and what else describes packets of Link do not
// count, nor do merging, frames, bundles and link.retry; link.replay_buffer and link.replay_timeout do.
//
// Statistics, per direction: as Link with retry, and what link_wire_counts.h has. Lines count when they come out;
// packets are those of lines, errors packets of any kind; credit messages are control packets that tell of free slots.
//
// An end that is idle is not clocked, nor is either while all that goes on is on the wires.
//
// Limits: 4095 slots of a channel, 2048 packets that wait for their acknowledge, 8 channels, flits of 8, 16 or 32 B.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rtl/link/link_pins.h"
#include "rtl/link/link_wire.h"
#include "rtl/modules/flight_table.h"
#include "rtl/modules/link_wire_counts.h"
#include "rtl/modules/pin_shell.h"
#include "rtl/modules/switch_block_spec.h"
#include "tlm_interconnect/link/link_shell.h"

namespace weft {

class ClockedLink final : public LinkShell<ClockedLink, PinShell> {
public:
    using Factory = std::function<std::unique_ptr<LinkEndpoint>(const LinkParams&, const std::string& path)>;

    // Throws InputError for parameters that the block cannot have.
    ClockedLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec,
        std::uint64_t seed, const Factory& make);

    Direction direction(unsigned end) const override;
    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;
    std::vector<std::string> problems() const override { return errors(); }
    std::vector<std::string> blocked() const override;

    static Time clock_of(const LinkSpec& spec);  // ps
    // For tests: the wire that carries what end `end` sends.
    LinkWire& wire(unsigned end) { return *ends_[end].wire; }

private:
    struct Credit {
        Time due;
        std::uint8_t slot;
    };
    struct End {
        std::unique_ptr<LinkEndpoint> endpoint;
        std::unique_ptr<LinkWire> wire;                  // of what it sends
        std::unique_ptr<FlightTable> flights;            // of what it sends
        std::vector<std::deque<std::uint32_t>> waiting;  // tags, by channel
        unsigned waiting_lines = 0;
        unsigned turn = 0;           // channel
        std::deque<Credit> credits;  // of slots behind this end
        Time pace = 0;               // wire is taken until then, as the sender was told
        LinkIn in;
        LinkOut out;
        Direction count;  // of lines
        LinkWireCounts sent;
        explicit End(const LinkParams& params) : sent(params) {}
    };

    friend LinkShell<ClockedLink, PinShell>;

    Time take(unsigned end, Line& line, LineClass cls, Time delay);
    Time credit_time(unsigned end, const Line& line, Time delay);
    void arrive(ScheduledItem& item, Time now) override;
    void tick(Time now) override;
    void sleep(Time now);
    void drive(unsigned end, Time now);
    bool collect(unsigned end, Time now);
    void fail(Time now, unsigned end, const std::string& what);

    BlockChannels channels_;
    LinkParams params_;
    std::vector<End> ends_;
    RecentLines came_out_{2};  // by end
};

}  // namespace weft
