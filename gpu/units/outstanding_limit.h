// How many requests of a compute unit may be without a response, and for how long it has been at that limit.
//
// A wide transaction counts as many as it has lines, and may begin while there is room for one.
//
// Owns: the count and the time, ps. Called by: the unit, for each request sent and each response. Stall accounts read the time.
#pragma once

#include <cstdint>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class OutstandingLimit {
public:
    explicit OutstandingLimit(std::uint64_t limit) : limit_(limit) {}

    bool full() const { return count_ >= limit_; }
    void add(Time now, std::uint32_t lines = 1)
    {
        count_ += lines;
        if (full()) full_since_ = now;
    }
    void remove(Time now, std::uint32_t lines = 1)
    {
        if (full()) full_ += now - full_since_;
        count_ -= lines;
        if (full()) full_since_ = now;
    }
    Time time_full(Time now) const { return full_ + (full() ? now - full_since_ : 0); }

private:
    std::uint64_t limit_;
    std::uint64_t count_ = 0;
    Time full_since_ = 0;
    Time full_ = 0;  // until then
};

}  // namespace weft
