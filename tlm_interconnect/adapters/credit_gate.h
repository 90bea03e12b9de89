// Credits of one class at a sender: how many lines it may still send, and when those returned arrive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class CreditGate {
public:
    static constexpr Time never = ~Time{0};

    // `limit` lines at once; 0: no limit.
    explicit CreditGate(std::uint32_t limit) : limited_(limit != 0), free_(limit) {}

    // When the next credit can be used, `never` if none is on its way.
    Time next(Time now) const
    {
        if (!limited_ || free_ > 0) return now;
        return returning_.empty() ? never : std::max(now, returning_.front());
    }

    // Uses a credit; only when next(now) == now.
    void take()
    {
        if (!limited_) return;
        if (free_ > 0) {
            --free_;
        } else {
            returning_.pop_front();
        }
    }

    // Slots of a receive buffer are given back in order.
    void give(Time due)
    {
        if (limited_) returning_.push_back(returning_.empty() ? due : std::max(due, returning_.back()));
    }

private:
    bool limited_;
    std::uint32_t free_;
    std::deque<Time> returning_;
};

}  // namespace weft
