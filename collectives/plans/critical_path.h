// The longest chain of dependent transfers of a schedule, spelled out.
//
// Every data step that reaches another rank counts one, whatever its size; a chain goes along the order of a thread,
// `after`, barriers, signal to wait, packets to their reader. Its length is `steps` of verify().
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/order.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// The transfers of one longest chain, in order: the first of equals. The schedule must pass verify().
std::vector<StepAt> critical_path(const Schedule& schedule);

// "rank 0 -> 1: input 3", "rank 1 <- 0: output 2-3", "ranks 0-3 -> switch -> 0-3: scratch 0"
std::string transfer_text(const Schedule& schedule, StepAt at);

}  // namespace weft
