// One DRAM bank: which row is open, and from when on which command may come.
//
// Nothing happens in a bank by itself: the closing of an idle row and refreshes are worked out when the
// bank is next looked at.
#pragma once

#include "sc_models/memory/hbm_activates.h"
#include "sc_models/memory/hbm_timing.h"

namespace weft {

class HbmBank {
public:
    enum class Access : std::uint8_t { hit, closed, conflict };

    bool open(std::uint32_t row) const { return open_ && row_ == row; }
    std::uint32_t row() const { return row_; }

    // A line has moved since the row was opened.
    bool used() const { return first_access_ == Access::hit; }

    // Closes a row that has been used and is kept for nobody, as the row policy says.
    void close_idle(const HbmTiming& timing, Time now)
    {
        if (!open_ || !used() || timing.spec.row_policy == RowPolicy::open) return;
        const bool at_once = timing.spec.row_policy == RowPolicy::closed;
        const Time expires = at_once ? last_use_ : last_use_ + timing.spec.row_idle;
        if (at_once || expires < now) close(std::max(ready_, expires) + timing.spec.t_rp);
    }

    // From when on a refresh may begin: the row closed, the bank at rest.
    Time rests_at(const HbmTiming& timing) const { return open_ ? ready_ + timing.spec.t_rp : ready_; }
    // Closes the row; the bank may be activated again at `time`.
    void close(Time time)
    {
        open_ = false;
        ready_ = time;
    }

    // Opens `row`, after a precharge if another one is open. Returns from when on column commands may come.
    Time activate(std::uint32_t row, const HbmTiming& timing, HbmActivates& activates, Time now)
    {
        const Time ready = std::max(now, ready_) + (open_ ? timing.spec.t_rp : 0);
        const Time at = activates.book(ready, now);
        first_access_ = open_ ? Access::conflict : Access::closed;
        open_ = true;
        row_ = row;
        ready_ = at + timing.spec.t_ras;
        last_use_ = at;
        return at + timing.spec.t_rcd;
    }

    // A line is read or written with its first column command now. Returns how it found its row.
    Access access(bool write, const HbmTiming& timing, Time now)
    {
        const Time free = write ? now + timing.spec.t_wl + timing.data + timing.spec.t_wr
                                : now + timing.last_column + timing.spec.t_rtp;
        ready_ = std::max(ready_, free);
        last_use_ = now;
        const Access access = first_access_;
        first_access_ = Access::hit;
        return access;
    }

private:
    bool open_ = false;
    Access first_access_ = Access::closed;  // of the next line: who made the row open
    std::uint32_t row_ = 0;
    Time ready_ = 0;  // for a precharge while a row is open, else for an activate
    Time last_use_ = 0;
};

// When something that has to be refreshed every t_refi is due.
class HbmRefresh {
public:
    HbmRefresh(const HbmTiming& timing, Time first)
        : period_(timing.spec.t_refi), takes_(timing.spec.t_rfc), due_(first)
    {
    }

    Time due() const { return due_; }

    // What fell due up to `now` (at least one) of something that rests from `rests_at` on: returns when the
    // last one ends. Earlier ones were over by then.
    Time catch_up(Time now, Time rests_at)
    {
        const std::uint64_t count = (now - due_) / period_ + 1;
        const Time last = due_ + (count - 1) * period_;
        due_ = last + period_;
        refreshed_ += count * takes_;
        return std::max(last, rests_at) + takes_;
    }

    Time refreshed() const { return refreshed_; }  // ps
    void reset() { refreshed_ = 0; }

private:
    Time period_;
    Time takes_;
    Time due_;
    Time refreshed_ = 0;
};

}  // namespace weft
