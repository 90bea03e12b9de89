#include "gpu/operation_log.h"

#include <algorithm>

namespace weft {

void LineLives::add(const LatencyBreakdown& breakdown, Time end)
{
    const Time all = end - breakdown.start;
    const Time queues = breakdown.out.queued + breakdown.out.wire + breakdown.back.queued + breakdown.back.wire;
    const Time waits = breakdown.out.credits + breakdown.back.credits;
    const Time links = breakdown.out.flight + breakdown.back.flight;
    const Time slice = breakdown.answered > breakdown.home ? breakdown.answered - breakdown.home : 0;
    ++lines;
    serialisation += queues;
    credits += waits;
    flight += links;
    memory += slice;
    other += all - std::min(all, queues + waits + links + slice);
}

}  // namespace weft
