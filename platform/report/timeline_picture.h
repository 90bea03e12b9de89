// When collectives ran, what their critical paths waited for, and what each rank did.
#pragma once

#include <string>

#include "platform/report/activity.h"
#include "platform/result/run_result.h"

namespace weft {

// Its rows: collectives, critical paths, then ranks, each part of the time in the colour of what most of the rank's workgroups did.
std::string timeline_svg(const RunResult& result, const RunActivity& activity);

// The frame of a picture over time: labels at the left, an inner picture whose view is a span of microseconds, an axis below the title.
class TimedPicture {
public:
    explicit TimedPicture(std::string title, double end_us) : title_(std::move(title)), end_us_(end_us) {}

    static constexpr double row_height = 20;

    void row(const std::string& label);
    // In the present row; `title` is shown for a pointer on it. Without a title: background.
    void span(double from_us, double to_us, const std::string& colour, const std::string& title);
    std::string svg() const;

private:
    std::string title_;
    double end_us_;
    std::size_t rows_ = 0;
    std::string labels_;
    std::string inside_;
};

}  // namespace weft
