// The latency of one traced transaction by cause. The modules that it passes fill it in for transactions with
// LineHeader::traced_flag and do not touch it for others.
#pragma once

#include <cstdint>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

struct LatencyBreakdown {
    // Times in ps, summed over the ports and links of one direction.
    struct Leg {
        Time queued = 0;   // behind other lines at ports
        Time credits = 0;  // at ports, while their channel had no credit (where ports are watched; else in `queued`)
        Time wire = 0;     // on wires: own bytes, and what the wire had to send before
        Time flight = 0;   // latency of links
    };

    Time start = 0;            // issued
    Time home = 0;             // arrived at the cache slice of its address
    Time answered = 0;         // left there
    Time since = 0;            // in the queue of a port
    Time stalled = 0;          // how long the channel of that port had been without a credit by then
    Leg out;                   // of the request
    Leg back;                  // of the answer
    std::uint32_t record = 0;  // of the requester

    void begin(Time now)
    {
        *this = LatencyBreakdown{};
        start = now;
    }
};

}  // namespace weft
