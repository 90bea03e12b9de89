// A resource that takes so many bytes (or cycles) per second, exactly.
//
// A duration that is no whole number of picoseconds is rounded down and its remainder carried to
// the next one as long as the resource stays busy, so that a million lines take exactly the time they
// should. An idle gap drops the remainder: the next line starts on a whole picosecond.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class RateServer {
public:
    // rate > 0 in units per second; amounts up to 2^24 units.
    explicit RateServer(std::uint64_t rate = 1) { set_rate(rate); }

    void set_rate(std::uint64_t rate)
    {
        rate_ = rate;
        remainder_ = 0;
        last_amount_ = 0;
        last_ = {0, 0};
    }

    struct Slot {
        Time start;
        Time end;
    };

    // How long an amount takes: whole picoseconds, and what is left of one in units of 1 ps / rate.
    struct Duration {
        Time quotient = 0;
        std::uint64_t remainder = 0;
    };
    // 2^24 units times 1e12 fits 64 bits.
    Duration duration_of(std::uint64_t amount) const { return {amount * ps_per_s / rate_, amount * ps_per_s % rate_}; }

    // Books `amount` at `arrival` or when the resource is free, whichever is later.
    Slot book(Time arrival, std::uint32_t amount)
    {
        if (amount != last_amount_) {
            last_ = duration_of(amount);
            last_amount_ = amount;
        }
        return book(arrival, last_);
    }
    // The same of an amount whose duration is known. Written so that the host need not guess whether the resource is free.
    Slot book(Time arrival, const Duration& amount)
    {
        const std::uint64_t busy = std::uint64_t{arrival > free_at_} - 1;  // all bits or none
        const Time start = (free_at_ & busy) | (arrival & ~busy);
        Time duration = amount.quotient;
        remainder_ = (remainder_ & busy) + amount.remainder;
        if (remainder_ >= rate_) {
            remainder_ -= rate_;
            ++duration;
        }
        free_at_ = start + duration;
        busy_ += duration;
        return {start, free_at_};
    }

    Time free_at() const { return free_at_; }
    Time busy() const { return busy_; }
    // Of it, what is not booked for later than `now`.
    Time busy_until(Time now) const { return busy_ - std::min(busy_, free_at_ - std::min(free_at_, now)); }
    void reset_busy() { busy_ = 0; }
    std::uint64_t rate() const { return rate_; }

private:
    static constexpr std::uint64_t ps_per_s = 1'000'000'000'000;

    // Within a cache line what every booking takes.
    std::uint64_t rate_ = 1;
    std::uint64_t remainder_ = 0;
    Duration last_;  // of last_amount_: most resources serve one amount only
    Time free_at_ = 0;
    Time busy_ = 0;
    std::uint32_t last_amount_ = 0;
};

}  // namespace weft
