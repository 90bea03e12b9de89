// What became of one line on its way, for whoever wants to know: kept up by the modules that it passes for lines with
// LineHeader::followed_flag, not touched for others.
#pragma once

#include <cstdint>

#include "tlm_interconnect/time.h"

namespace weft {

struct Journey {
    // Times in ps, summed over the ports and links of one direction.
    struct Leg {
        Time queued = 0;   // behind other lines at ports
        Time credits = 0;  // at ports, without a credit (where ports are watched; else in `queued`)
        Time wire = 0;     // on wires: own bytes, and what the wire had to send before
        Time flight = 0;   // latency of links
    };

    Time start = 0;     // issued
    Time home = 0;      // arrived at the cache slice of its address
    Time answered = 0;  // left there
    Time since = 0;     // in the queue of a port
    Leg out;            // of the request
    Leg back;           // of the answer
    std::uint32_t record = 0;  // of the requester

    void begin(Time now)
    {
        *this = Journey{};
        start = now;
    }
};

}  // namespace weft
