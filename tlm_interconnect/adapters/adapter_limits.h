// The causes of waiting at an adapter: the adapter's own limits, or the foreign module behind it.
//
// A bench that measures a foreign module asks every adapter: throughput that the adapter's threads or buffer set says
// nothing about the module.
#pragma once

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

struct AdapterLimit {
    std::string name;  // of the adapter
    std::string what;  // "all 64 threads were in blocking calls while lines waited"
    bool own = true;   // a bound of the adapter; else the foreign module's doing
    Time held = 0;     // ps so far in which it held
};

class AdapterLimits {
public:
    virtual ~AdapterLimits() = default;
    // Of the time until `now`.
    virtual std::vector<AdapterLimit> limits(Time now) const = 0;
};

}  // namespace weft
