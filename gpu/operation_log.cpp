#include "gpu/operation_log.h"

#include <algorithm>

namespace weft {

void LineLives::add(const Journey& journey, Time end)
{
    const Time all = end - journey.start;
    const Time queues = journey.out.queued + journey.out.wire + journey.back.queued + journey.back.wire;
    const Time waits = journey.out.credits + journey.back.credits;
    const Time links = journey.out.flight + journey.back.flight;
    const Time slice = journey.answered > journey.home ? journey.answered - journey.home : 0;
    ++lines;
    serialisation += queues;
    credits += waits;
    flight += links;
    memory += slice;
    other += all - std::min(all, queues + waits + links + slice);
}

}  // namespace weft
