// A module around a user's block of RTL behind a port map: what DutSwitch and DutLink share.
//
// A line that has arrived waits at its port, by channel, until the port's stream takes it; channels take turns. Its bits
// (line_bits.h), the port that it is for and its channel are on the pins from the first edge of the stream's clock on that is
// not before its arrival. What comes out is put together again from the pins alone, looked up by its tag and compared with
// what went in (flight_table.h); its data go on as they came out. What is wrong ends the run.
//
// The block is clocked from the first arrival until it says that it is idle. One that cannot say so is clocked until it holds nothing and
// nothing has moved for `quiet` clocks of the map. While it is at work it may stand still for any time in which others have something to do. If
// it stands for `quiet` clocks and at least 65,536 while nobody has, it hangs: it is clocked no more, and standing() names it.
// Edges of a clock lie at multiples of its period. Inputs change just after the edge of their clock that has
// consumed what they were: their clock stands high until what the next edge finds is known, and falls then (dut_block.h).
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/dut_block.h"
#include "rtl/modules/flight_table.h"
#include "rtl/modules/pin_shell.h"
#include "rtl/modules/switch_block_spec.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class DutModule : public PinShell {
public:
    bool may_move(Time now) const final { return could_move() && now - moved_at_ <= patience_; }
    bool stands(Time now, bool alone) const final;
    std::string standing() const final;
    // After a run that ended by itself: what the block has not given back, a line each.
    std::vector<std::string> unsettled();

protected:
    // What a port is called where lines go in, and where they come out.
    struct Words {
        const char* in;
        const char* out;
    };

    DutModule(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, unsigned ports, PortMap map,
        std::vector<std::string> files, WaveWindow wave, std::uint64_t seed, Words words);

    // Verilates the block for these channels, and resets it; `clock` is the period switch.clock. Throws InputError.
    void build(BlockChannels channels, Time clock);

    // A line that is at `port` after `delay`.
    void expect(unsigned port, Line& line, LineClass cls, Time delay);
    void arrive(ScheduledItem& item, Time now) override;
    // Something outside has changed: the block is clocked again.
    void input_changed(Time now)
    {
        moved_at_ = now;
        stand(false);
        wake(now);
    }

    unsigned ports() const { return static_cast<unsigned>(ports_.size()); }
    const PortMap& map() const { return map_; }
    DutBlock& block() { return *block_; }
    const DutBlock& block() const { return *block_; }
    const BlockChannels& channels() const { return channels_; }
    unsigned channel_count() const { return static_cast<unsigned>(channels_.vcs.size()); }
    std::string channel_name(unsigned channel) const;
    // The stream by which a line of `channel` goes in at `port`: its place among the block's sources.
    std::size_t source_for(unsigned port, unsigned channel) const;

    // What cannot go on, a line each.
    std::vector<std::string> waiting_lines() const;

private:
    // The port by which a line that goes in leaves.
    virtual unsigned output_of(unsigned input, Line& line, LineClass cls) = 0;
    // Its last beat is inside with this clock.
    virtual void has_entered(std::size_t source, Line& line, LineClass cls) = 0;
    // It is out, and right.
    virtual void has_left(std::size_t sink, Line& line, LineClass cls, unsigned channel, Time now) = 0;
    // A bit for each channel of which `output` can take a line.
    virtual unsigned room(unsigned output) const = 0;
    // Whether lines that have come out wait for others.
    virtual bool held_up() const { return false; }
    // Adds what waits behind an output, for waiting_lines().
    virtual void add_behind(unsigned /*output*/, unsigned /*channel*/, std::vector<std::string>& /*out*/) const {}

    enum class Side : std::uint8_t { in, out, block };
    struct Port {
        std::vector<std::deque<Line*>> arrived;  // by channel
    };
    struct Entry {  // of a source: the line on its pins
        std::uint32_t tag = 0;
        unsigned last_channel = 0;
    };

    void tick(Time now) override;
    void go_on(Time now);
    void stand(bool still);
    // Transactions are inside or in front of it.
    bool holds() const { return flights_ != nullptr && (flights_->inside() > 0 || waiting_ > 0); }
    bool could_move() const { return holds() && !held_up(); }
    bool drive_inputs(unsigned rising, Time now);
    void begin(std::size_t source, Time now);
    void go_in(std::size_t source, Time now);
    void come_out(std::size_t sink, Time now);
    bool beside_bits_are_right(const DutBlock::Sink& from, Time now);
    // The next edge that has not been.
    void wake(Time now) { set_tick(block_->edge(ticked_ && now <= last_tick_ ? last_tick_ + 1 : now)); }
    unsigned order_of(const Line& line, unsigned channel) const;
    bool carries(StreamLines lines, unsigned channel) const;
    void fail(Time now, Side side, unsigned port, const std::string& what);
    void look_at_idle(bool moved, Time now);
    void add_overtaken(const FlightTable::Flight& flight);
    void add_inside(std::vector<std::string>& out) const;

    PortMap map_;
    std::vector<std::string> files_;
    WaveWindow wave_;
    std::uint64_t seed_;
    Words words_;
    std::vector<Port> ports_;
    BlockChannels channels_;
    unsigned vc_sets_ = 1;
    std::unique_ptr<DutBlock> block_;
    std::vector<Entry> entries_;
    std::unique_ptr<FlightTable> flights_;
    RecentLines went_in_;        // by port
    RecentLines came_out_;       // by port
    std::uint32_t waiting_ = 0;  // lines at inputs
    std::uint32_t on_pins_ = 0;  // lines that are going in
    LineOnPins seen_{};
    bool ticked_ = false;
    Time last_tick_ = 0;
    Time moved_at_ = 0;
    Time busy_elsewhere_ = 0;  // when anybody else last had something to do, as far as it was asked
    bool still_ = false;       // its next clock counts as EventQueue::add_standing()
    Time quiet_ = 0;           // `quiet` of the map
    Time patience_ = 0;
    unsigned idle_clocks_ = 0;  // in a row, and nothing moved
};

}  // namespace weft
