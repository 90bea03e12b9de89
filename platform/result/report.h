// A RunResult for machines and for people.
#pragma once

#include <string>

#include "platform/result/run_result.h"

namespace weft {

// The object of the contract, schema "weft.result/1". With `timing` false the wall-clock keys are 0, so that
// two runs can be compared byte for byte.
std::string result_json(const RunResult& result, bool timing = true);

// Time, bandwidth, the busiest links, what ranks waited for; at most a screen.
std::string result_summary(const RunResult& result);

}  // namespace weft
