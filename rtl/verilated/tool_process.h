// Runs the programs that build blocks: Verilator and the C++ compiler.
//
// A tool and all that it starts form a process group of their own. The group ends with this process, however that ends:
// a guard between the two kills it when its parent is gone. While a tool runs, Ctrl-C and SIGTERM end this process at once.
#pragma once

#include <string>

namespace weft {

// By `sh -c`, without standard input; standard output and standard error go to `log`. The exit status; 128 + N where
// signal N ended it. Throws InputError when no process can be made.
int run_tool(const std::string& command, const std::string& log);

// What `command` writes to its standard output, up to the end of the first line; empty where it fails.
std::string tool_output(const std::string& command);

}  // namespace weft
