// The compute units of an accelerator as kernels and collectives share them at flow fidelity: room for workgroups, issue slots, the
// limit of lines in flight.
//
// Workgroups go to the units round robin, further ones wait in order. Lines of kernels wait for room among the lines in flight, in
// order. Threads of a collective do not wait in this queue: their wavefronts take turns with those that wait in it, a line each. So do
// those that wait for a place when the limit is reached: of each line that comes back the queue gets its part.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "collectives/flow/devices/device_cost.h"

namespace weft {

struct DeviceUnit {
    using Ps = std::uint64_t;
    struct Held {  // lines of collectives in flight, up to then
        Ps until = 0;
        double lines = 0;
        bool operator<(const Held& other) const { return until > other.until; }
    };

    std::uint32_t resident = 0;
    std::uint32_t wavefronts = 0;
    double issue_free = 0;
    std::uint32_t issuing = 0;  // wavefronts that issue up to then
    double network_free = 0;
    double math_free = 0;
    double l1_free = 0;
    double in_flight = 0;             // lines, but for what collectives store at peers
    double held_lines = 0;            // of them, those of collectives
    Ps round_ps = 0;                  // of the last lines of a kernel: from their issue to their data
    bool serving = false;             // its queue is looked through
    bool woken = false;               // it is looked through again at a time that is set
    bool blocked = false;             // the first in its queue waits for a line to return
    std::uint32_t waiting = 0;        // wavefronts in the queue
    double turns = 0;                 // lines that those in the queue may send though the limit is reached
    std::deque<std::uint32_t> queue;  // streams of workgroups
    std::priority_queue<Held> held;

    // So many lines return, when `before` were in flight: those in the queue take turns with the wavefronts of a collective.
    void returned(const DeviceCost& cost, double before, double lines)
    {
        const double beyond = before - cost.outstanding;
        if (waiting == 0 || beyond <= 0) return;
        const double others = std::clamp(std::ceil(beyond / cost.instruction_lines), 1.0, 0.0 + cost.thread_wavefronts);
        turns += lines * waiting / (waiting + others);
    }
    // `stored`: what collectives have stored at peers.
    void release_held(const DeviceCost& cost, double stored, Ps now)
    {
        while (!held.empty() && held.top().until <= now) {
            returned(cost, in_flight + stored, held.top().lines);
            in_flight -= held.top().lines;
            held_lines -= held.top().lines;
            held.pop();
        }
    }
    void hold(double lines, Ps until)
    {
        in_flight += lines;
        held_lines += lines;
        held.push({until, lines});
    }
};

class DeviceUnits {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit DeviceUnits(const DeviceCost& cost) : cost_(&cost), units_(cost.units) {}

    DeviceUnit& operator[](std::uint32_t unit) { return units_[unit]; }
    const DeviceUnit& at(std::uint32_t unit) const { return units_[unit]; }

    // The unit of a workgroup with so many wavefronts; none: it waits, as `who`.
    std::uint32_t place(std::uint32_t wavefronts, std::uint64_t who)
    {
        wavefronts = std::min(wavefronts, cost_->wavefronts);
        for (std::uint32_t step = 0; step < cost_->units && waiting_.empty(); ++step) {
            const std::uint32_t unit = (next_ + step) % cost_->units;
            if (!fits(unit, wavefronts)) continue;
            next_ = (unit + 1) % cost_->units;
            take(unit, wavefronts);
            return unit;
        }
        waiting_.push_back({who, wavefronts});
        return none;
    }
    // A workgroup has ended; `placed(who, unit)` for those that come in its place.
    template <class Placed>
    void leave(std::uint32_t unit, std::uint32_t wavefronts, const Placed& placed)
    {
        --units_[unit].resident;
        units_[unit].wavefronts -= std::min(wavefronts, cost_->wavefronts);
        while (!waiting_.empty() && fits(unit, waiting_.front().wavefronts)) {
            const Waiting next = waiting_.front();
            waiting_.pop_front();
            take(unit, next.wavefronts);
            placed(next.who, unit);
        }
    }

private:
    struct Waiting {
        std::uint64_t who = 0;
        std::uint32_t wavefronts = 0;
    };

    bool fits(std::uint32_t unit, std::uint32_t wavefronts) const
    {
        return units_[unit].resident < cost_->groups && units_[unit].wavefronts + wavefronts <= cost_->wavefronts;
    }
    void take(std::uint32_t unit, std::uint32_t wavefronts)
    {
        ++units_[unit].resident;
        units_[unit].wavefronts += wavefronts;
    }

    const DeviceCost* cost_;
    std::vector<DeviceUnit> units_;
    std::deque<Waiting> waiting_;
    std::uint32_t next_ = 0;
};

}  // namespace weft
