#include "sc_models/hbm_activates.h"

#include <algorithm>

namespace weft {

Time HbmActivates::book(Time earliest, Time now)
{
    const Time reach = std::max(rrd_, faw_);
    std::size_t past = 0;
    while (past < booked_.size() && booked_[past] + reach <= now) ++past;
    booked_.erase(booked_.begin(), booked_.begin() + static_cast<std::ptrdiff_t>(past));

    Time at = earliest;
    std::size_t place = 0;  // bookings at or before `at`
    const auto step_to = [&](Time time) {
        at = time;
        while (place < booked_.size() && booked_[place] <= at) ++place;
    };
    step_to(at);
    for (;;) {
        if (place >= 1 && at < booked_[place - 1] + rrd_) {
            step_to(booked_[place - 1] + rrd_);
        } else if (place >= window && at < booked_[place - window] + faw_) {
            step_to(booked_[place - window] + faw_);
        } else if (place < booked_.size() && booked_[place] < at + rrd_) {
            step_to(booked_[place] + rrd_);
        } else {
            // Each four that would become five with this one among them.
            bool fits = true;
            for (std::size_t before = 0; before < window && fits; ++before) {
                const std::size_t last = place + window - 1 - before;
                if (before > place || last >= booked_.size()) continue;
                const Time first = before == 0 ? at : booked_[place - before];
                fits = booked_[last] >= first + faw_;
            }
            if (fits) break;
            step_to(std::max(booked_[place] + rrd_, at + 1));
        }
    }
    booked_.insert(booked_.begin() + static_cast<std::ptrdiff_t>(place), at);
    return at;
}

}  // namespace weft
