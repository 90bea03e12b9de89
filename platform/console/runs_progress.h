// The line on a terminal's stderr that says how many runs of a command are done, and about how long the others take.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weft {

class RunsProgress {
public:
    // Prints nothing where it is not enabled or stderr is no terminal.
    RunsProgress(std::string who, std::size_t all, bool enabled);
    ~RunsProgress();
    RunsProgress(const RunsProgress&) = delete;
    RunsProgress& operator=(const RunsProgress&) = delete;

    void one_more();

private:
    std::string who_;
    std::size_t all_;
    bool enabled_;
    std::size_t done_ = 0;
    std::size_t shown_ = 0;  // characters of the last text
    std::chrono::steady_clock::time_point started_;
};

// "sweep: 3 of 12 runs done, about 8 s left", after so many seconds. Runs that are to come count like those that are done.
std::string runs_progress_text(const std::string& who, std::size_t done, std::size_t all, double seconds);

}  // namespace weft
