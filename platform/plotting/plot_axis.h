// An axis of a picture: from values to places between 0 and 1, its ticks, and what its reader must know of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft {

struct PlotTick {
    double at = 0;
    std::string text;
};

class PlotAxis {
public:
    enum class Kind : unsigned char { linear, logarithmic, words };

    struct Range {
        double least = 1;
        double most = 1;
        std::optional<double> end;  // where the axis ends; beyond `most` unless given
        bool zero = false;          // 0 is on the axis, whatever the values
    };

    // Linear axes start at 0 unless all values lie far from it. Words stand at 0, 1, 2, ...
    PlotAxis(Kind kind, const Range& range);

    double place(double value) const;
    double low() const { return low_; }
    double high() const { return high_; }
    bool takes(double value) const;

    // At least two, at most about `most` on a linear axis.
    std::vector<PlotTick> ticks(double most) const;
    // "log scale", "starts at 240"; empty for an axis that starts at 0, or below, and for words.
    std::string note() const;

private:
    Kind kind_;
    double low_ = 0;
    double high_ = 1;
};

}  // namespace weft
