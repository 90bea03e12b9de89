// Simulated time to and from SystemC, whose resolution is a picosecond in every Weft program.
#pragma once

#include <cstring>

#include <systemc>

#include "base/time.h"

namespace weft {

// sc_time::from_value is a call into the library; on the way of every line it would cost as much as
// the hand-over itself. An sc_time is its count of resolution units and nothing else (time_test
// holds that against from_value).
inline sc_core::sc_time to_sc_time(Time ps)
{
    static_assert(sizeof(sc_core::sc_time) == sizeof(Time), "sc_time holds more than its count");
    sc_core::sc_time time;
    std::memcpy(static_cast<void*>(&time), &ps, sizeof ps);
    return time;
}

inline Time to_ps(const sc_core::sc_time& time) { return time.value(); }

}  // namespace weft
