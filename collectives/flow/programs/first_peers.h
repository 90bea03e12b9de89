// Which peers the threads of a program store to first.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/flow/programs/flow_program.h"

namespace weft {

struct FirstPeers {
    // By rank: it stores to several others, and all its threads that store begin with the same one.
    std::vector<bool> alike;
    // So it is for most of the ranks, and they begin with one and the same rank.
    bool crowded = false;
};

FirstPeers first_peers_of(const FlowProgram& program);

}  // namespace weft
