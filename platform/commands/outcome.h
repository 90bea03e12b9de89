// Runs a command the way `weft` and `weft_demo` do: errors are printed to stderr and decide the exit code.
#pragma once

#include "platform/console/exit_code.h"

namespace weft {

// Runs `command`; prints what it throws; returns its exit code, or that of a refusal. Ctrl-C ends simulations in order.
int outcome_of(int (*command)(const Arguments&), const Arguments& arguments);

}  // namespace weft
