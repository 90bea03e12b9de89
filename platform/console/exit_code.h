// What a process of `weft` is given, and how it ends.
#pragma once

#include <string>
#include <vector>

namespace weft {

using Arguments = std::vector<std::string>;

// Of the process, for every command.
enum ExitCode : int {
    exit_good = 0,
    exit_wrong = 1,    // finished, but a result is wrong
    exit_refused = 2,  // bad input or usage
    exit_stuck = 3,    // the system cannot progress
    exit_interrupted = 130
};

}  // namespace weft
