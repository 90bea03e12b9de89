// A switch whose inside is a user's block of RTL behind a port map.
//
// Sockets: as Switch (switch.h). One instance of the block, verilated for the ports of the node.
//
// A line that arrives waits in the buffer of its input and channel until the input's stream takes it; channels take
// turns. Its bits (line_bits.h), the output that the routes name and its channel are on the pins; the slot of the buffer is
// free when its last beat has gone in. What comes out is put together again from the pins alone, looked up by its tag and
// compared with what went in (flight_table.h), and its data go on as they came out. A few lines of each channel
// (output_buffer of the map) wait behind an output for credits and the wire; the block sees no ready while there is
// no room. What is wrong ends the run: problems(). A block that stops moving is not clocked any more, and blocked()
// says what is where.
//
// Timing, with edges of a clock at multiples of its period:
//   arrival, rounded up to an edge of the stream's clock   first clock in which the line is on the pins
//   clock in which the last beat comes out                 first bit on the outgoing link, or later if the wire is busy
// switch.latency and switch.traversal do not count: the block's own clocks do.
//
// Limits: 64 ports, one lane, no pooled credits, the same channels on all ports, no operations on groups.
//
// Statistics: lines forwarded, edges at which the block was evaluated, largest number of lines for one output.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/dut_block.h"
#include "rtl/modules/alarm.h"
#include "rtl/modules/block_host.h"
#include "rtl/modules/flight_table.h"
#include "rtl/modules/recent_lines.h"
#include "rtl/modules/switch_block_spec.h"
#include "tlm_interconnect/route_table.h"
#include "tlm_interconnect/switch_model.h"

namespace weft {

class DutSwitch : public sc_core::sc_module,
                  public Station,
                  public LineInitiator,
                  public LineTarget,
                  public SwitchModel,
                  public BlockHost {
public:
    DutSwitch(sc_core::sc_module_name name, Agenda& agenda, std::string path, const SwitchSpec& spec, unsigned ports,
        RouteTable routes, PortMap map, std::vector<std::string> files, WaveWindow wave = {}, std::uint64_t seed = 1);

    LineTargetSocket& target(unsigned port) override { return *ports_[port].target; }
    LineInitiatorSocket& initiator(unsigned port) override { return *ports_[port].initiator; }
    void set_credits(unsigned port, const BufferSpace& space) override { space_[port] = space; }
    std::uint32_t peak_queue(unsigned port) const override { return ports_[port].peak; }
    std::uint64_t line_hops() const override { return sent_; }
    std::vector<std::string> blocked() const override;
    std::vector<std::string> problems() const override { return problems_; }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    struct Credit {
        Time due;
        std::uint8_t slot;
    };
    struct Waiting {
        Line* line;
        LineClass cls;
        unsigned sink;
    };
    struct Port {
        std::unique_ptr<LineTargetSocket> target;
        std::unique_ptr<LineInitiatorSocket> initiator;
        std::vector<std::deque<Line*>> arrived;  // by channel
        std::vector<std::deque<Waiting>> leaving;
        std::vector<std::uint32_t> credits;
        std::deque<Credit> coming;  // credits on their way
        unsigned last_sent = 0;     // channel
        Time wire_free = 0;
        std::uint32_t queued = 0;  // lines inside for this output, and behind it
        std::uint32_t peak = 0;
        std::unique_ptr<Alarm> alarm;
    };
    struct Entry {  // of a source: the line on its pins
        std::uint32_t tag = 0;
        unsigned last_channel = 0;
    };
    static constexpr std::uint8_t tick_kind = 2;
    static constexpr std::uint8_t send_kind = 3;

    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override { on_credit(port, line, delay); }
    void on_response_credit(unsigned port, Line& line, Time delay) override { on_credit(port, line, delay); }
    void on_credit(unsigned port, const Line& line, Time delay);
    void end_of_elaboration() override;
    void run(AgendaItem& item) override;

    void tick(Time now);
    void begin(std::size_t source, Time now);
    void has_gone_in(std::size_t source, Time now);
    void has_come_out(std::size_t sink, Time now);
    void send(unsigned output, Time now);
    // The next edge that has not been.
    void wake(Time now) { tick_.set(agenda(), *this, block_->edge(ticked_ && now <= last_tick_ ? last_tick_ + 1 : now)); }
    unsigned route(unsigned port, Line& line, LineClass cls);
    unsigned order_of(const Line& line, unsigned channel) const;
    bool carries(StreamLines lines, unsigned channel) const;
    unsigned room(const Port& port) const;
    void fail(Time now, const std::string& place, const std::string& what);
    void look_at_idle(bool moved, Time now);
    void add_overtaken(const FlightTable::Flight& flight);
    void add_inside(std::vector<std::string>& out) const;

    SwitchSpec spec_;
    RouteTable routes_;
    PortMap map_;
    std::vector<std::string> files_;
    WaveWindow wave_;
    std::uint64_t seed_;
    std::vector<Port> ports_;
    std::vector<BufferSpace> space_;
    BlockChannels channels_;
    std::unique_ptr<DutBlock> block_;
    std::vector<Entry> entries_;
    std::unique_ptr<FlightTable> flights_;
    RecentLines went_in_;   // by input
    RecentLines came_out_;  // by output
    std::uint32_t waiting_ = 0;  // lines in the buffers of inputs
    std::uint32_t on_pins_ = 0;  // lines that are going in
    Alarm tick_{tick_kind, 0xfff};
    LineOnPins seen_{};
    bool ticked_ = false;
    Time last_tick_ = 0;
    Time moved_at_ = 0;
    Time patience_ = 0;
    unsigned idle_clocks_ = 0;  // in a row, and nothing moved
    std::uint64_t sent_ = 0;
    std::uint64_t clocks_ = 0;
    std::vector<std::string> problems_;
};

}  // namespace weft
