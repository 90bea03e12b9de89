// When operations find a context of a switch that executes so many at once. As many as it has begin without a wait; each further one
// begins when one of these is over, so that they come in fills, each spread over the time that a fill takes to come.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft {

class ContextWindow {
public:
    struct Pass {
        std::uint64_t begin_ps = 0;  // of the first operation
        std::uint64_t end_ps = 0;    // of the last one
    };

    // Operations that come from `now` on, evenly over `span_ps`: the part of all contexts that they take, and how long each is open;
    // `late_ps`: and for how long before that where it need not wait for a context, since what it needs comes later.
    Pass pass(double part, double open_ps, std::uint64_t now, std::uint64_t span_ps, double late_ps = 0)
    {
        if (open_ps <= 0) return {now, now};
        const auto come = static_cast<double>(now);
        if (come >= begin_ps_ + open_ps_ + late_ps_) *this = {come, open_ps, late_ps};
        if (used_ >= full) next(open_ps);
        const double taken = part * open_ps / open_ps_;
        fills_ += taken;
        until_ps_ = std::max(until_ps_, come + static_cast<double>(span_ps));
        const double begin = place_ps(come);
        for (used_ += taken; used_ > 2 - full;) {
            const double more = used_ - 1;
            next(open_ps);
            used_ = more;
        }
        return {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(std::max(begin, place_ps(come)))};
    }

    ContextWindow() = default;

private:
    static constexpr double full = 1 - 1e-9;

    ContextWindow(double begin_ps, double open_ps, double late_ps)
        : first_ps_(begin_ps), until_ps_(begin_ps), begin_ps_(begin_ps), open_ps_(open_ps), late_ps_(late_ps)
    {
    }

    // When what comes next begins.
    double place_ps(double come) const
    {
        if (begin_ps_ <= first_ps_) return come;
        return std::max(come, begin_ps_ + used_ * spread_ps_);
    }

    void next(double open_ps)
    {
        if (begin_ps_ <= first_ps_) spread_ps_ = std::min(open_ps_, (until_ps_ - first_ps_) / std::max(1.0, fills_));
        begin_ps_ += open_ps_ + late_ps_;
        late_ps_ = 0;
        open_ps_ = open_ps;
        used_ = 0;
    }

    // Since all contexts were free: when, how many fills have come, and until when; of the first fill, over which it came.
    double first_ps_ = 0;
    double fills_ = 0;
    double until_ps_ = 0;
    double spread_ps_ = 0;
    // The last fill: when it begins, how long each of its operations is open, and the part of it that is taken.
    double begin_ps_ = 0;
    double open_ps_ = 0;
    double used_ = 0;
    double late_ps_ = 0;  // more, of the first one
};

}  // namespace weft
