#include "sc_models/memory/hbm_activates.h"

#include <algorithm>

namespace weft {

void HbmActivates::drop(std::size_t past)
{
    if (past == 0) return;
    count_ -= past;
    if (more_.empty()) {
        std::copy(few_.begin() + past, few_.begin() + past + count_, few_.begin());
        return;
    }
    more_.erase(more_.begin(), more_.begin() + static_cast<std::ptrdiff_t>(past));
    if (count_ > few_.size()) return;
    std::copy(more_.begin(), more_.end(), few_.begin());
    more_.clear();
}

void HbmActivates::insert(std::size_t place, Time at)
{
    if (more_.empty() && count_ < few_.size()) {
        std::copy_backward(few_.begin() + place, few_.begin() + count_, few_.begin() + count_ + 1);
        few_[place] = at;
    } else {
        if (more_.empty()) more_.assign(few_.begin(), few_.end());
        more_.insert(more_.begin() + static_cast<std::ptrdiff_t>(place), at);
    }
    ++count_;
}

Time HbmActivates::book(Time earliest, Time now)
{
    const Time reach = std::max(rrd_, faw_);
    std::size_t past = 0;
    for (const Time* time = booked(); past < count_ && *time + reach <= now; ++time) ++past;
    drop(past);

    const Time* const booked_at = booked();
    Time at = earliest;
    std::size_t place = 0;  // bookings at or before `at`
    const auto step_to = [&](Time time) {
        at = time;
        while (place < count_ && booked_at[place] <= at) ++place;
    };
    step_to(at);
    for (;;) {
        if (place >= 1 && at < booked_at[place - 1] + rrd_) {
            step_to(booked_at[place - 1] + rrd_);
        } else if (place >= window && at < booked_at[place - window] + faw_) {
            step_to(booked_at[place - window] + faw_);
        } else if (place < count_ && booked_at[place] < at + rrd_) {
            step_to(booked_at[place] + rrd_);
        } else {
            // Each four that would become five with this one among them.
            bool fits = true;
            for (std::size_t before = 0; before < window && fits; ++before) {
                const std::size_t last = place + window - 1 - before;
                if (before > place || last >= count_) continue;
                const Time first = before == 0 ? at : booked_at[place - before];
                fits = booked_at[last] >= first + faw_;
            }
            if (fits) break;
            step_to(std::max(booked_at[place] + rrd_, at + 1));
        }
    }
    insert(place, at);
    return at;
}

}  // namespace weft
