// Mixed runs, each in a process of its own.
#pragma once

#include <string>

#include "testbenches/platform/runs.h"

namespace weft::testing {

// As run() of runs.h, at mixed fidelity with `lines` by transactions; empty: all of it by lines; "flow": none.
Json mixed_run(const RunSetup& setup, const std::string& lines);

RunSetup on(const std::string& document, const std::string& lines);

}  // namespace weft::testing
