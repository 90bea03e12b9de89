// Runs of the program over processes of mpirun.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "testbenches/process/process.h"

namespace weft::testing {

// Empty when there is an mpirun and a module for it; otherwise what is missing.
std::string missing_launcher();

// The arguments of mpirun for `weft ARGUMENTS` over so many processes.
std::vector<std::string> launch(unsigned processes, const std::vector<std::string>& arguments,
    const std::string& program = WEFT_PROGRAM);

// The outcome. mpirun's own remarks on an exit code are left out of `err`.
commands_test::Outcome call_processes(unsigned processes, const std::vector<std::string>& arguments,
    const std::string& program = WEFT_PROGRAM);
std::string without_remarks(const std::string& err);

// Processes below `parent` whose program is weft, by their numbers among all processes of the run.
std::vector<pid_t> processes_below(pid_t parent, unsigned processes);
bool alive(pid_t process);

}  // namespace weft::testing
