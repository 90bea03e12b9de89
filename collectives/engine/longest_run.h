// The longest simulated time.
#pragma once

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/engine/executor.h"

namespace weft {

// Leaves room for everything that is added to a time, without overflow.
constexpr Picoseconds longest_run = ~Picoseconds{0} / 4 * 3;

// Throws InputError where a wait of `duration` from `from` on goes beyond it.
inline void require_time_left(Picoseconds from, Picoseconds duration)
{
    if (duration > longest_run || from > longest_run - duration)
        throw InputError("", 0, "a wait of " + format_time_ps(duration) + " goes beyond the longest simulated time",
            "runs of less than " + format_time_ps(longest_run));
}

}  // namespace weft
