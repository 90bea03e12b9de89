// The activate commands of one channel: any two are t_rrd apart, any five span t_faw.
//
// Activates are booked ahead and in any order: one that waits for its bank does not hold up another bank's.
#pragma once

#include <array>
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

    const Time* booked() const { return more_.empty() ? few_.data() : more_.data(); }
    void drop(std::size_t past);
    void insert(std::size_t place, Time at);

    Time rrd_;
    Time faw_;
    // Ascending; what can still hold up something, and a little more.
    std::size_t count_ = 0;
    std::array<Time, 8> few_{};
    std::vector<Time> more_;  // all of them, if they are more than a few
};

}  // namespace weft
