#include "platform/plotting/plot_axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

// A step of 1, 2 or 5 times a power of ten that cuts `span` into at most `most` parts.
double step_for(double span, double most)
{
    const double raw = span / most;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw) return factor * power;
    return 10 * power;
}

}  // namespace

PlotAxis::PlotAxis(Kind kind, const Range& range) : kind_(kind)
{
    double least = range.least;
    double most = range.most;
    if (kind == Kind::words) {
        low_ = least - 0.5;
        high_ = most + 0.5;
    } else if (kind == Kind::logarithmic) {
        const double margin = most > least ? std::pow(most / least, 0.04) : 2;
        low_ = least / margin;
        high_ = range.end.value_or(most * margin);
    } else {
        if (range.zero) {
            least = std::min(least, 0.0);
            most = std::max(most, 0.0);
        }
        const bool far = least > 0.6 * most && most > 0;
        low_ = far || least < 0 ? least : 0;
        high_ = range.end.value_or(most + 0.05 * (most - low_));
        if (low_ != 0 && high_ > low_) {
            low_ -= 0.05 * (high_ - low_);
            // A start that can be read off.
            const double step = step_for(high_ - low_, 6);
            const double floor = std::floor(low_ / step) * step;
            if (std::isfinite(floor)) low_ = far ? std::max(0.0, floor) : floor;
        }
    }
    if (!(high_ > low_)) high_ = low_ + (low_ == 0 ? 1 : std::abs(low_));
}

double PlotAxis::place(double value) const
{
    if (kind_ == Kind::logarithmic) return std::log(std::max(value, low_) / low_) / std::log(high_ / low_);
    return (value - low_) / (high_ - low_);
}

bool PlotAxis::takes(double value) const { return std::isfinite(value) && (kind_ != Kind::logarithmic || value > 0); }

std::vector<PlotTick> PlotAxis::ticks(double most) const
{
    std::vector<PlotTick> out;
    const auto add = [&](double at) { out.push_back({at, fmt::format("{:.6g}", at)}); };
    if (kind_ == Kind::logarithmic) {
        const bool between = high_ / low_ < 1000;
        for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10)
            for (const double factor : {1.0, 2.0, 5.0})
                if ((between || factor == 1) && factor * power >= low_ && factor * power <= high_) add(factor * power);
        if (out.size() >= 2) return out;
        out.clear();
    }
    const double step = step_for(high_ - low_, most);
    // Through 0 as 0, not as a rest of rounding.
    for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ * 1.0001; ++i) add(i == 0 ? 0 : i * step);
    return out;
}

std::string PlotAxis::note() const
{
    if (kind_ == Kind::logarithmic) return "log scale";
    if (kind_ == Kind::words || low_ <= 0) return "";
    return fmt::format("starts at {:.6g}", low_);
}

}  // namespace weft
