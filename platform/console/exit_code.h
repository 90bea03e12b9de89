// Arguments and exit codes of a process of `weft`.
#pragma once

#include <string>
#include <vector>

namespace weft {

using Arguments = std::vector<std::string>;

// The exit code of the process, for every command.
enum ExitCode : int {
    exit_good = 0,
    exit_wrong = 1,    // finished, but a result is wrong
    exit_refused = 2,  // bad input or usage
    exit_stuck = 3,    // the system cannot progress
    exit_interrupted = 130
};

}  // namespace weft
