// The workload of the spine benchmark: a ring of delay lines, latencies spread from 1 ns to 1 us, with lines going
// round for ever.
#pragma once

#include <cstdint>

namespace weft::bench {

struct Measured {
    double hops = 0;     // lines handed from one timed component to the next
    double seconds = 0;  // CPU time of it, elaboration apart
    double lines = 0;    // issued by endpoints; 0 where there are none
};

// One simulation per process. `lines` is at most `components`.
Measured ring_of_events(unsigned components, unsigned lines, std::uint64_t hops);
Measured ring_under_event_queue(unsigned components, unsigned lines, std::uint64_t hops);

}  // namespace weft::bench
