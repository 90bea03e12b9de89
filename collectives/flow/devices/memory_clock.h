// The L2 and the memory of an accelerator as servers with a rate: first come, first served. Each slice of the L2 is a server;
// consecutive lines go to consecutive slices.
//
// Times are those at which requests come to the L2; whoever books is as early as a unit is far from it (DeviceCost::to_cache_ps),
// so requests of all kinds are in the order in which they come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "collectives/flow/devices/device_cost.h"

namespace weft {

class MemoryClock {
public:
    explicit MemoryClock(const DeviceCost& cost) : cost_(&cost), slices_(std::max(1U, cost.slices)) {}

    struct Turn {
        std::uint64_t first = 0;  // begins to be served
        std::uint64_t last = 0;   // has been
        std::uint64_t mean_wait = 0;
    };
    // `lines` that come to the L2 from `time` on, the last one `span` later. `at`: number of the first line.
    Turn cache(std::uint64_t time, std::uint64_t span, std::uint32_t lines, std::uint64_t at)
    {
        const double each = cost_->cache_line_ps * static_cast<double>(slices_.size());
        const double step = lines > 1 ? static_cast<double>(span) / (lines - 1) : 0;
        std::uint32_t slice = slice_of(at);
        double first = 0;
        double last = 0;
        double wait = 0;
        for (std::uint32_t line = 0; line < lines; line += cost_->slice_lines) {
            const std::uint32_t together = std::min(cost_->slice_lines, lines - line);
            const double come = static_cast<double>(time) + step * line;
            const double begin = std::max(slices_[slice], come);
            slices_[slice] = begin + each * together;
            first = line == 0 ? begin : std::min(first, begin);
            last = std::max(last, slices_[slice]);
            wait += (begin - come) * together;
            if (++slice == slices_.size()) slice = 0;
        }
        return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last),
            lines > 0 ? static_cast<std::uint64_t>(wait / lines) : 0};
    }
    // The same of reads from memory.
    std::uint64_t memory(std::uint64_t time, double lines)
    {
        drain(static_cast<double>(time));
        return serve(memory_free_, time, lines * cost_->memory_line_ps);
    }
    // Writes to memory that come at `time`. They wait until no read does, or until there are too many of them.
    void write_back(std::uint64_t time, double lines)
    {
        drain(static_cast<double>(time));
        written_ += lines * cost_->memory_line_ps;
    }
    // `lines` that leave the L2 at `time` to make room: when all have a place on their way to memory.
    std::uint64_t displace(std::uint64_t time, double lines)
    {
        memory(time, lines);
        return static_cast<std::uint64_t>(std::max(0.0, memory_free_ - cost_->write_places * cost_->memory_line_ps));
    }
    // How long a request for the line would wait that comes at `time`.
    std::uint64_t cache_wait(std::uint64_t time, std::uint64_t at) const { return wait(slices_[slice_of(at)], time); }
    // The mean over all slices.
    std::uint64_t mean_wait(std::uint64_t time) const
    {
        std::uint64_t sum = 0;
        for (const double free : slices_) sum += wait(free, time);
        return sum / slices_.size();
    }

private:
    // Groups of consecutive lines go one to each slice, rotated by a hash of the group: not the one of sc_models/l2/slice_model.h, which is on
    // a higher floor.
    std::uint32_t slice_of(std::uint64_t line) const
    {
        const std::uint64_t place = line / cost_->slice_lines;
        const std::uint64_t group = (place / slices_.size() + 1) * 0x9e3779b97f4a7c15U;
        return static_cast<std::uint32_t>((place + (group >> 40U)) % slices_.size());
    }
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

    // Writes take the time in which no read was served; those beyond the queue go first.
    void drain(double now)
    {
        if (now > memory_free_) {
            written_ = std::max(0.0, written_ - (now - memory_free_));
            memory_free_ = now;
        }
        const double queued = cost_->queued_writes * cost_->memory_line_ps;
        if (written_ <= queued) return;
        memory_free_ += written_ - queued;
        written_ = queued;
    }

    const DeviceCost* cost_;
    std::vector<double> slices_;  // when each is free
    double memory_free_ = 0;
    double written_ = 0;  // time that writes take which wait
};

}  // namespace weft
