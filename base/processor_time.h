// CPU seconds of this process: what a run costs, whatever else the machine does.
#pragma once

#include <ctime>

namespace weft {

inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace weft
