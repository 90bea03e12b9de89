// The report of a run as one HTML page.
#pragma once

#include <string>

#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"

namespace weft {

// `result` of a run with RunOptions::follow and a window; what it lacks is left out, and the page says so. Wall time is not in it: two
// runs give the same bytes.
std::string run_page(const RunResult& result, const ResolvedSystem& system);

}  // namespace weft
