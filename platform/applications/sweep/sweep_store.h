// Results of points that outlive the sweep: a sweep that was cut short goes on, and several processes share one.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/sweep/processes.h"

namespace weft {

// A folder with three files for each point, named after the arguments of its run: NAME.json is the result, NAME.txt its
// messages, and NAME.done, written last, its exit code and the files that it has read. Processes on several machines may
// share the folder: each point is written by the process that runs it.
class SweepStore {
public:
    // Makes the folder. Throws InputError when it cannot.
    explicit SweepStore(std::string folder);

    struct Point {
        std::string json_path;
        std::string error_path;
        std::string inputs_path;
        std::string done_path;
    };
    Point point(const Arguments& run) const;

    static constexpr const char* never = "not run yet";

    struct Kept {
        bool done = false;
        int code = 0;     // of a point that is done
        std::string why;  // of a point that is not: "not run yet", "system.yaml has changed"
    };
    // A point is done when its run ended with a result, and program, arguments and files are those of now.
    Kept find(const Arguments& run) const;

    // The files that a point has read which is done count as read by this process. Throws InputError for one that is an output.
    void note_inputs(const Arguments& run) const;

    // Before the run: what an earlier one left.
    void clear(const Arguments& run) const;
    // After the run has ended. A run without a result (bad input, a signal) is not done.
    void keep(const Arguments& run, ProcessEnd end) const;

private:
    std::string folder_;
};

}  // namespace weft
