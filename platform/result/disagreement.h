// Figures of one collective that are three times apart: the estimate it was chosen by, alpha-beta and the simulated time.
#pragma once

#include <string>
#include <vector>

#include "platform/result/run_result.h"

namespace weft {

constexpr double most_apart = 3;

// A sentence with the reason for each pair of figures that differ by more than `most_apart` times; of a single collective that has
// finished.
std::vector<std::string> disagreements(const RunResult& result);

}  // namespace weft
