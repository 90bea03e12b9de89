// Custom collectives as Chakra traces, one for each rank, into a Schedule.
//
// A SEND becomes a store into slots of its own at the receiver and a signal, a RECV the wait for it, a COMP that follows
// a RECV the addition of an own term to what arrived, in slots of its own. What a SEND sends is what its parent received or
// added, and the rank's input where it has no such parent: traces do not say it, so the schedule is `custom` and its
// result is not judged. Sizes are those of the traces; the message is as long as the largest of them.
#pragma once

#include <string>

#include "collectives/plans/plan.h"

namespace weft {

// Whether traces PREFIX.0.et, ... exist.
bool is_chakra_prefix(const std::string& prefix);

// Throws InputError. Sends and receives that do not match, unknown parents and cycles are problems of the plan.
Plan read_chakra_plan(const std::string& prefix, const PlanOptions& options = {});

}  // namespace weft
