// The causes of waiting at an adapter: the adapter's own limits, or the foreign module behind it.
//
// A bench that measures a foreign module asks every adapter: throughput that the adapter's threads or buffer set says
// nothing about the module. All threads in calls are no sign of that yet: behind a module that is saturated they are, too. What tells
// the two apart is how long transactions take there. Where N of them take as long as one by itself, more than N would pass more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

// Time in which a condition holds.
class HeldTime {
public:
    void set(bool holds, Time now)
    {
        if (holds == holds_) return;
        if (holds_) total_ += now - since_;
        holds_ = holds;
        since_ = now;
    }
    Time total(Time now) const { return total_ + (holds_ ? now - since_ : 0); }

private:
    bool holds_ = false;
    Time since_ = 0;
    Time total_ = 0;
};

// How long transactions were with what is behind an adapter, and for how long if none had waited there: each for as long as the
// shortest of its kind so far.
class ServiceTime {
public:
    static constexpr unsigned kinds = 32;

    void note(unsigned kind, Time took)
    {
        Time& least = least_[std::min(kind, kinds - 1)];
        least = std::min(least, took);
        ++transactions_;
        taken_ += took;
        alone_ += least;
    }
    std::uint64_t transactions() const { return transactions_; }
    Time taken() const { return taken_; }
    Time alone() const { return alone_; }

private:
    static std::array<Time, kinds> unknown()
    {
        std::array<Time, kinds> out;
        out.fill(~Time{0});
        return out;
    }

    std::array<Time, kinds> least_ = unknown();
    std::uint64_t transactions_ = 0;
    Time taken_ = 0;
    Time alone_ = 0;
};

struct AdapterLimit {
    std::string name;  // of the adapter
    std::string what;  // "all 64 threads were in blocking calls while lines waited"
    bool own =
        true;  // a bound of the adapter, unless `service` says that transactions wait behind it; else the foreign module's doing
    Time held = 0;        // ps so far in which it held
    ServiceTime service;  // so far
};

class AdapterLimits {
public:
    virtual ~AdapterLimits() = default;
    // Of the time until `now`.
    virtual std::vector<AdapterLimit> limits(Time now) const = 0;
};

}  // namespace weft
