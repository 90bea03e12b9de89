// Lines that threads of collectives of one accelerator have stored at peers, and that are not acknowledged: how many each unit has.
//
// Links serve lines of all threads in turn, transfers of flow one after the other. So each acknowledge counts for all units that have
// stored something, each by the places that it has taken by that, no more than its limit. What is beyond waits in the unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace weft {

class StoresInFlight {
public:
    using Ps = std::uint64_t;
    static constexpr Ps never = ~Ps{0};

    StoresInFlight(std::uint32_t units, double limit) : of_(units), limit_(limit) {}

    double of(std::uint32_t unit) const { return of_[unit].lines; }
    // `requests`: that the unit issues for each line, loads included.
    void hold(std::uint32_t unit, double lines, double requests)
    {
        if (lines <= 0) return;
        if (of_[unit].lines <= 0) used_.push_back(unit);
        of_[unit].lines += lines;
        of_[unit].requests = requests;
    }
    void acknowledged(double lines, Ps until) { returns_.push({until, lines}); }
    Ps next() const { return returns_.empty() ? never : returns_.top().until; }
    // Acknowledges up to now: `before(unit, lines, requests)`, so many of it are to go.
    template <class Before>
    void collect(Ps now, const Before& before)
    {
        for (; next() <= now; returns_.pop()) {
            double left = returns_.top().lines;
            while (left > least && !used_.empty()) left -= share(left, before);
        }
    }

private:
    struct Return {
        Ps until = 0;
        double lines = 0;
        bool operator<(const Return& other) const { return until > other.until; }
    };
    struct Stored {
        double lines = 0;
        double requests = 1;
    };
    static constexpr double least = 1e-6;

    double places(std::uint32_t unit) const { return std::min(of_[unit].lines, limit_); }
    template <class Before>
    double share(double lines, const Before& before)
    {
        double all = 0;
        for (const std::uint32_t unit : used_) all += places(unit);
        const double part = std::min(1.0, lines / all);
        std::size_t kept = 0;
        for (const std::uint32_t unit : used_) {
            const double go = part * places(unit);
            before(unit, go, of_[unit].requests);
            of_[unit].lines -= go;
            if (of_[unit].lines < least) {
                of_[unit].lines = 0;
            } else {
                used_[kept++] = unit;
            }
        }
        used_.resize(kept);
        return part * all;
    }

    std::vector<Stored> of_;
    std::vector<std::uint32_t> used_;
    double limit_;
    std::priority_queue<Return> returns_;
};

}  // namespace weft
