// Rows of the DRAM that are opened for few lines each, as the reason why a row of the probe stays far below its bound.
#pragma once

#include <string>

#include "base/time.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

struct DramWork {
    double lines = 0;   // through the pins
    double opened = 0;  // rows
    Time time = 0;
};

// "bandwidth.dram_write is at 64 % of its bound: ..."; empty: the row is near its bound, or rows are not the reason.
std::string scarce_banks(const ResolvedSystem& system, const std::string& row, double value, const DramWork& work);

}  // namespace weft
