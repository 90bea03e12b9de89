// A switch whose inside is a clocked block behind pins: RTL, its reference model, or both in lockstep.
//
// Sockets: as Switch (switch.h). Models rtl_switch, reference_switch, switch_lockstep.
//
// Every line becomes bits (line_bits.h) at the pins of its input, with the outputs that the routes name and its
// channel; what appears at the pins of an output is looked up by its tag, compared bit for bit with what went in
// (flight_table.h), and its data go on as they came out. The first thing that is wrong ends the run: problems().
//
// Timing, on clock edges (multiples of switch.clock from time 0):
//   arrival, rounded up to an edge       clock in which the line is on the pins of its input, one line for each input
//   + switch.latency, in whole clocks    first clock in which it takes part in the matching
//   match + switch.traversal             first bit on the outgoing link, or later if the wire is not free
// An output is ready where its wire will be free then. The credit of an input slot leaves in the clock of the match;
// credits from the next hop are on the pins at the first edge after they arrive, one for each channel and clock, and
// count from the next clock on. This is model `crossbar` with transfer = clock and credit_delay = clock.
//
// Operations on groups (switch.multicast_groups above 0, split channels) end in a unit at a port of its own inside the
// block: it makes lines for the members, combines what they hold, one operand a clock, and answers. Each member is
// behind a port of its own. At most 64 contexts of switch.group_contexts; switch.reduce_rate does not count.
//
// The block is not clocked while it is idle, nor when nothing has moved for long enough that only an arrival or a
// credit can change anything.
//
// Limits: 64 ports (63 with groups); one VC set; no pooled credits; the same channels on all ports; up to 1023 lines
// for each channel.
//
// Statistics: lines forwarded, clocks in which the block was evaluated, largest number of lines for one output.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rtl/common/clocked_block.h"
#include "rtl/group_switch/group_switch_pins.h"
#include "rtl/modules/flight_table.h"
#include "rtl/modules/group_traffic.h"
#include "rtl/modules/pin_shell.h"
#include "rtl/modules/switch_block_spec.h"
#include "tlm_interconnect/switch/switch_shell.h"

namespace weft {

class ClockedSwitch final : public SwitchShell<ClockedSwitch, PinShell> {
public:
    using Block = ClockedBlock<SwitchIn, SwitchOut>;
    // Makes the block when its parameters are known: one that knows groups where the fabric allows for them.
    struct Factory {
        std::function<std::unique_ptr<Block>(const SwitchBlockParameters&, const std::string& path)> plain;
        std::function<std::unique_ptr<GroupSwitchBlock>(const GroupSwitchParameters&, const std::string& path)> grouped;
    };

    ClockedSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
        unsigned ports, RouteTable routes, Factory factory);

    void set_credits(unsigned port, const BufferSpace& space) override { space_[port] = space; }
    void add_group(const SwitchGroup& group, LinePool& pool) override;
    bool overdue(Time now) const override;
    std::uint32_t peak_queue(unsigned port) const override { return ports_[port].load.peak; }
    std::uint64_t line_hops() const override { return sent_; }
    bool accounts_for_credits() const override { return true; }
    std::uint32_t credits_out(unsigned port, std::uint8_t vc) const override { return ports_[port].credits_out[vc]; }
    std::vector<std::string> blocked() const override;
    std::vector<std::string> problems() const override { return errors(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    const Block& block() const { return *block_; }

private:
    friend SwitchShell<ClockedSwitch, PinShell>;

    struct Credit {
        Time due;
        std::uint8_t slot;
    };
    struct Port {
        ScheduledItem* first = nullptr;  // arrived, not yet on the pins
        ScheduledItem* last = nullptr;
        std::deque<Credit> credits;  // likewise
        std::array<std::uint32_t, max_vcs> credits_out{};
        Time wire_free = 0;
        OutputLoad load;            // lines inside for this output
        std::uint32_t leaving = 0;  // tag of the line of this input that leaves in this clock
    };

    void arrive(unsigned port, Line& line, LineClass cls, Time delay);
    void credited(unsigned port, std::uint8_t vc, Time due);
    void end_of_elaboration() override;
    void arrive(ScheduledItem& item, Time now) override;
    void tick(Time now) override;

    unsigned output_for(unsigned port, Line& line, LineClass cls);
    void drive(Time now);
    void enter(unsigned port, Time now);
    void collect(Time now);
    bool collect_line(unsigned output, Time now);
    void answer(unsigned output, Time now);
    void free_slot(unsigned input, Time now);
    void send_at(Time now, unsigned output, Line& line, LineClass cls);
    void fail(Time now, const std::string& what);
    void add_recent(unsigned port);
    void fail_at(Time now, const char* side, unsigned port, const std::string& what);

    const Time traversal_;
    SwitchSpec spec_;
    Factory factory_;
    std::vector<Port> ports_;
    std::vector<BufferSpace> space_;
    BlockChannels channels_;
    SwitchBlockParameters parameters_;
    std::unique_ptr<Block> block_;
    GroupSwitchBlock* grouped_ = nullptr;  // the block, if it knows groups
    std::unique_ptr<GroupTraffic> groups_;
    std::vector<SwitchGroup> early_groups_;
    LinePool* pool_ = nullptr;
    std::uint64_t leaving_ = 0;  // inputs of which an ordinary line leaves in this clock
    std::unique_ptr<SwitchIn> in_;
    std::unique_ptr<SwitchOut> out_;
    std::unique_ptr<FlightTable> flights_;
    RecentLines went_in_;         // by input
    RecentLines came_out_;        // by output
    std::uint64_t arrived_ = 0;   // ports with lines that are not yet on the pins
    std::uint64_t credited_ = 0;  // ports with credits that are not yet on the pins
    std::uint64_t pulsed_ = 0;    // outputs whose credit pins are set
    std::uint64_t sent_ = 0;
    std::uint64_t made_ = 0;
};

}  // namespace weft
