// The first thing that was wrong at a clocked block.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace weft {

struct BlockFault {
    std::vector<std::string> instances;  // blocks that have to do with it, as waveforms are asked for
    Time at = 0;                         // clock edge, ps
    Time clock = 0;                      // ps
};

}  // namespace weft
