// The places that a thread's unit has for requests without a response, as a clock: each request holds one for its round trip.
//
// Work is place-time: bytes of requests, each times how long it is without a response. Places for so many bytes do it together, so a
// thread whose requests hold all of them issues as fast as responses come, whatever moves they are of. Nothing waits as long as all
// that is without a response finds places: work of the longest round trip may be open before a request waits for any.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft {

class RequestPlaces {
public:
    using Ps = std::uint64_t;
    struct Delay {
        Ps first = 0;  // of the first request of a move, beyond the time at which it could be issued
        Ps last = 0;   // and of its last one
    };

    // Takes places for requests that are made from `now` on, and tells how late they are. `byte_ps`: their place-time, B x ps.
    // `round_ps`: the longest of their round trips. `places`: the limit, B; 0: there is none. Calls come in the order of `now`.
    Delay take(Ps now, double byte_ps, Ps round_ps, double places)
    {
        if (places <= 0) return {};
        const auto time = static_cast<double>(now);
        if (busy_until_ <= time) {
            busy_until_ = time;
            longest_ = 0;
        }
        longest_ = std::max(longest_, static_cast<double>(round_ps));
        const auto beyond = [&] { return static_cast<Ps>(std::max(0.0, busy_until_ - longest_ - time) + 0.5); };
        Delay out;
        out.first = beyond();
        busy_until_ += byte_ps / places;
        out.last = beyond();
        return out;
    }

private:
    double busy_until_ = 0;  // ps: with all places held from now on
    double longest_ = 0;     // ps: round trip of what they are held for
};

}  // namespace weft
