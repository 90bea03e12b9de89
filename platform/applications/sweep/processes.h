// Many calls of `weft` at once, each a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/console/exit_code.h"

namespace weft {

struct ProcessCall {
    Arguments arguments;     // of this same program
    std::string error_path;  // file for its stderr; its stdout is dropped
};

struct ProcessEnd {
    int code = -1;   // exit code; -1: was not started
    int signal = 0;  // that ended it
};

// Runs all calls, `jobs` at a time, and tells `done` of each one's end in the order in which they end.
// SIGINT and SIGTERM are passed on to the running ones, and no further ones start; true when that happened.
// The files that they have read count as read by this process. Throws InputError when one of those is an output, after the last end, and
// when no process can be made.
bool run_processes(const std::vector<ProcessCall>& calls, unsigned jobs,
    const std::function<void(std::size_t, ProcessEnd)>& done);

// What a call has said on stderr, without notices: those of all calls are the same, and their parent gives them once.
// Throws InputError where `error_path` cannot be read.
std::string errors_of(const std::string& error_path);

}  // namespace weft
