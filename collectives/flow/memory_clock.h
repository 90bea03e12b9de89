// The L2 and the memory of an accelerator as servers with a rate: first come, first served.
//
// Times are those at which requests come to the L2; whoever books is as early as a unit is far from it (DeviceCost::to_cache_ps),
// so requests of all kinds are in the order in which they come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "collectives/flow/device_cost.h"

namespace weft {

class MemoryClock {
public:
    explicit MemoryClock(const DeviceCost& cost) : cost_(&cost) {}

    // When the L2 begins to serve `lines` that come at `time`.
    std::uint64_t cache(std::uint64_t time, double lines) { return serve(cache_free_, time, lines * cost_->cache_line_ps); }
    // The same of memory.
    std::uint64_t memory(std::uint64_t time, double lines)
    {
        memory_lines_ += lines;
        return serve(memory_free_, time, lines * cost_->memory_line_ps);
    }
    double memory_lines() const { return memory_lines_; }
    // How long a request that comes at `time` would wait.
    std::uint64_t cache_wait(std::uint64_t time) const { return wait(cache_free_, time); }

private:
    static std::uint64_t wait(double free, std::uint64_t time)
    {
        const auto now = static_cast<double>(time);
        return free > now ? static_cast<std::uint64_t>(free - now) : 0;
    }
    static std::uint64_t serve(double& free, std::uint64_t time, double length)
    {
        const double begin = std::max(free, static_cast<double>(time));
        free = begin + length;
        return static_cast<std::uint64_t>(begin);
    }

    const DeviceCost* cost_;
    double cache_free_ = 0;
    double memory_free_ = 0;
    double memory_lines_ = 0;
};

}  // namespace weft
