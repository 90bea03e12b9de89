// A switch whose inside is a user's block of RTL behind a port map.
//
// Sockets: as Switch (switch.h). One instance of the block, verilated for the ports of the node.
//
// A line that arrives waits in the buffer of its input and channel until the input's stream takes it; channels take
// turns. Its bits (line_bits.h), the output that the routes name and its channel are on the pins; the slot of the
// buffer is free when its last beat has gone in. What comes out is put together again from the pins alone, looked up
// by its tag and compared with what went in (flight_table.h), and its data go on as they came out. A few lines of
// each channel (output_buffer of the map) wait behind an output for credits and the wire; the block sees no ready
// while there is no room. What is wrong ends the run: problems(). What it holds when nothing
// moves any more is in blocked().
//
// Timing, with edges of a clock at multiples of its period:
//   arrival, rounded up to an edge of the stream's clock   first clock in which the line is on the pins
//   clock in which the last beat comes out                 first bit on the outgoing link, or later if the wire is busy
// switch.latency and switch.traversal do not count: the block's own clocks do.
//
// Limits: 64 ports, one VC set, no pooled credits, the same channels on all ports, no operations on groups.
//
// Statistics: lines forwarded, edges at which the block was evaluated, largest number of lines for one output.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/dut_module.h"
#include "tlm_interconnect/switch/switch_shell.h"

namespace weft {

class DutSwitch final : public SwitchShell<DutSwitch, DutModule> {
public:
    DutSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
        unsigned ports, RouteTable routes, PortMap map, std::vector<std::string> files, WaveWindow wave = {},
        std::uint64_t seed = 1);

    void set_credits(unsigned port, const BufferSpace& space) override { space_[port] = space; }
    std::uint32_t peak_queue(unsigned port) const override { return outputs_[port].load.peak; }
    std::uint64_t line_hops() const override { return sent_; }
    bool accounts_for_credits() const override { return true; }
    std::uint32_t credits_out(unsigned port, std::uint8_t vc) const override;
    std::vector<std::string> unsettled() override { return DutModule::unsettled(); }
    std::vector<std::string> blocked() const override { return waiting_lines(); }
    std::vector<std::string> problems() const override { return errors(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    friend SwitchShell<DutSwitch, DutModule>;

    struct Credit {
        Time due;
        std::uint8_t slot;
    };
    struct Waiting {
        Line* line;
        LineClass cls;
        unsigned sink;
    };
    struct Output {
        std::vector<std::deque<Waiting>> leaving;  // by channel
        std::vector<std::uint32_t> credits;
        std::deque<Credit> coming;  // credits on their way
        unsigned last_sent = 0;     // channel
        Time wire_free = 0;
        OutputLoad load;  // lines inside for this output, and behind it
        std::unique_ptr<Alarm> alarm;
    };
    static constexpr std::uint8_t send_kind = 3;

    void arrive(unsigned port, Line& line, LineClass cls, Time delay) { expect(port, line, cls, delay); }
    void credited(unsigned port, std::uint8_t vc, Time due);
    void end_of_elaboration() override;
    void arrive(ScheduledItem& item, Time now) override;

    unsigned output_of(unsigned input, Line& line, LineClass cls) override;
    void has_entered(std::size_t source, Line& line, LineClass cls) override;
    void has_left(std::size_t sink, Line& line, LineClass cls, unsigned channel, Time now) override;
    unsigned room(unsigned output) const override;
    bool held_up() const override;
    void add_behind(unsigned output, unsigned channel, std::vector<std::string>& out) const override;
    void serve(unsigned output, Time now);

    SwitchSpec spec_;
    std::vector<Output> outputs_;
    std::vector<BufferSpace> space_;
    std::uint64_t sent_ = 0;
};

}  // namespace weft
