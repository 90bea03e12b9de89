// What the wavefront zero of a workgroup waits for, and for how long.
//
// Owns: the present cause, since when it holds, and the sums by cause, ps. One account for each wavefront; only that of
// wavefront zero counts. Called by: whatever makes a wavefront wait or go on. Operation log and statistics read it.
//
// Timing: time of cause `issue` during which the unit was at its limit of requests in flight counts as `outstanding`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gpu/units/outstanding_limit.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

// Why a wavefront does not issue. Kept for wavefront zero, which stands for its workgroup: it does what no other one
// does and its share of the moves.
enum class StallCause : std::uint8_t {
    none,         // it issues
    issue,        // another one has the issue slot
    registers,    // as many instructions in flight as it has registers for
    loads,        // everything is issued; the last data are on their way
    outstanding,  // the unit has as many requests in flight as it may
    fence,        // acknowledges of stores
    flag,
    barrier,
    compute,
    queued  // the workgroup waits for a unit
};
constexpr unsigned stall_causes = 10;
const char* name_of(StallCause cause);

using StallTimes = std::array<Time, stall_causes>;

class StallAccount {
public:
    // A wavefront starts now, after it was queued for so long. Unless `counts`, nothing is ever accounted for.
    void begin(Time now, Time queued, bool counts)
    {
        cause_ = StallCause::none;
        counts_ = counts;
        since_ = now;
        spent_.fill(0);
        spent_[index(StallCause::queued)] = queued;
    }

    // From now on it waits for `cause`; `limit` is that of its unit.
    void set(StallCause cause, const OutstandingLimit& limit, Time now)
    {
        if (!counts_ || cause == cause_) return;
        const Time full = limit.time_full(now);
        account(spent_, full, now);
        cause_ = cause;
        since_ = now;
        full_before_ = full;
    }

    // It has just issued and does not wait before its issue slot ends at `until`.
    void issues_until(Time until, Time now)
    {
        if (!counts_ || since_ != now || cause_ == StallCause::none || until <= now) return;
        spent_[index(StallCause::none)] += until - now;
        since_ = until;
    }

    // The run ends now, with the cause as it is.
    void cut_off(const OutstandingLimit& limit, Time now)
    {
        if (!counts_) return;
        const Time full = limit.time_full(now);
        account(spent_, full, now);
        since_ = now;
        full_before_ = full;
    }

    // Up to the latest change of the cause, or the end of the run.
    const StallTimes& spent() const { return spent_; }
    // Up to now.
    StallTimes spent(const OutstandingLimit& limit, Time now) const
    {
        StallTimes out = spent_;
        account(out, limit.time_full(now), now);
        return out;
    }

private:
    static constexpr std::size_t index(StallCause cause) { return static_cast<std::size_t>(cause); }

    // Adds the time since the cause began.
    void account(StallTimes& spent, Time full, Time now) const
    {
        if (now < since_) {  // its instruction was thought to issue until then
            spent[index(StallCause::none)] -= since_ - now;
            return;
        }
        Time span = now - since_;
        if (cause_ == StallCause::issue) {
            const Time at_limit = std::min(span, full - full_before_);
            spent[index(StallCause::outstanding)] += at_limit;
            span -= at_limit;
        }
        spent[index(cause_)] += span;
    }

    StallCause cause_ = StallCause::none;
    bool counts_ = false;
    Time since_ = 0;
    Time full_before_ = 0;  // time the unit had been at its limit when the cause began
    StallTimes spent_{};
};

}  // namespace weft
