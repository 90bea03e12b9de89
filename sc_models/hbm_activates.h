// The activate commands of one channel: any two are t_rrd apart, any five span t_faw.
//
// Activates are booked ahead and in any order: one that waits for its bank does not hold up another bank's.
#pragma once

#include <vector>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class HbmActivates {
public:
    HbmActivates(Time t_rrd, Time t_faw) : rrd_(t_rrd), faw_(t_faw) {}

    // The first free time from `earliest` on, which is taken. Nothing is booked before `now` any more.
    Time book(Time earliest, Time now);

private:
    static constexpr std::size_t window = 4;

    Time rrd_;
    Time faw_;
    std::vector<Time> booked_;  // ascending; what can still hold up something, and a little more
};

}  // namespace weft
