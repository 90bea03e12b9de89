// The shell of everything clocked: what a module around a block behind pins has alike, whatever the pins are.
//
// The module is woken at clock edges (multiples of the clock from time 0), after all that arrives in that instant, and only when
// something wants it. What is wrong is told once, with the clock, the place and the last lines of that place, and ends the run.
//
// A module fills in what differs: tick() for one clock, arrive() for its items of other kinds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rtl/modules/alarm.h"
#include "rtl/modules/block_host.h"
#include "rtl/modules/recent_lines.h"
#include "tlm_interconnect/kernel/timed_module.h"

namespace weft {

class PinShell : public TimedModule, public BlockHost {
public:
    Time clock() const { return clock_; }  // 0: the block has several
    bool ok() const { return errors_.empty(); }
    // What is wrong, one line each.
    const std::vector<std::string>& errors() const { return errors_; }

protected:
    PinShell(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, Time clock)
        : TimedModule(name, event_queue, std::move(path)), clock_(clock)
    {
    }

    // An item of another kind than the clock's is due.
    virtual void arrive(ScheduledItem& item, Time now) = 0;
    virtual void tick(Time now) = 0;

    Time edge(Time time) const { return (time + clock_ - 1) / clock_ * clock_; }
    // The first edge that is still to come.
    Time next_edge() const { return next_edge_; }
    void wake_at(Time time) { set_tick(std::max(edge(time), next_edge_)); }
    void set_tick(Time time) { tick_.set(event_queue(), *this, time); }
    // In tick(): this edge is taken, and the block evaluated.
    void take_edge(Time now) { next_edge_ = now + clock_; }
    void count_clock() { ++clocks_; }
    std::uint64_t clocks() const { return clocks_; }
    void reset_clocks() { clocks_ = 0; }

    // Whether anything has moved in this clock; quiet: nothing has for so long that only an arrival can change anything.
    void note_moved(bool moved) { still_ = moved ? 0 : still_ + 1; }
    void set_quiet_limit(std::uint64_t clocks) { quiet_limit_ = clocks; }
    bool quiet() const { return still_ > quiet_limit_; }

    // Ends the run. `tail` goes on from the module and the clock: ", input 3: what", or ": what". A fault is of `instances` of
    // the block, as waveforms are asked for; none: of this module alone. `period`: of the clock, where there are several.
    void tell(Time now, const std::string& tail, std::vector<std::string> instances = {}, Time period = 0);
    // Behind what is wrong: the last lines of a place.
    void tell_recent(const RecentLines& lines, unsigned place, const std::string& what);
    void tell_more(std::string line) { errors_.push_back(std::move(line)); }

private:
    void run(ScheduledItem& item) final;

    static constexpr std::uint8_t tick_kind = 0xff;

    const Time clock_;
    Alarm tick_{tick_kind, 0xfff};  // last of the instant: lines that arrive in it come before
    Time next_edge_ = 0;
    std::uint64_t still_ = 0;  // clocks in which nothing has moved
    std::uint64_t quiet_limit_ = ~std::uint64_t{0};
    std::uint64_t clocks_ = 0;
    std::vector<std::string> errors_;
};

}  // namespace weft
