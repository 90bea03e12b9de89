// The line on stderr that a long run keeps up to date: simulated time, lines moved, rate, estimate; or what is priced.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/time.h"

namespace weft {

class ProgressLine {
public:
    // `expected_lines` 0: unknown, no estimate. `who` counts them, "process 0 of 4: "; empty: the run.
    ProgressLine(bool enabled, std::uint64_t expected_lines, std::string who = "");
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // Time counts from now on, not from when the line was made: building blocks of RTL moves no transactions.
    void restart();
    // Whether it is time to print; cheap enough to be asked often.
    bool due();
    void print(Time simulated, std::uint64_t lines);
    // Another text, and how long it has been going on.
    void show(const std::string& text);
    double seconds() const;

private:
    using Clock = std::chrono::steady_clock;

    std::string who_;
    bool enabled_;
    bool terminal_;
    bool printed_ = false;
    std::size_t shown_ = 0;  // characters of the last text
    std::uint64_t expected_;
    Clock::time_point started_;
    Clock::time_point next_;
};

}  // namespace weft
