// The longest chain of dependent transfers of a schedule, spelled out.
//
// Every data step that reaches another rank counts one, whatever its size; a chain goes along the order of a thread,
// `after`, barriers, signal to wait, packets to their reader. Its length is `steps` of verify().
#pragma once

#include <string>
#include <vector>

#include "collectives/plans/plan.h"
#include "collectives/schedule/order.h"

namespace weft {

// The transfers of one longest chain, in order; of equal chains one that comes from other ranks. The schedule must pass
// verify().
std::vector<StepAt> longest_chain(const Schedule& schedule);

// "rank 0 -> 1: input 3", "rank 1 <- 0: output 2-3", "rank 2 -> 3: input 1 + what arrived", "ranks 0-3 -> switch -> 0-3:
// scratch 0"
std::string transfer_text(const Plan& plan, StepAt at);

}  // namespace weft
