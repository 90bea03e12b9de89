// Is a schedule well formed: every rank, chunk, semaphore and step that it names exists, every step has
// the operands of its kind. What may run is another question (verify.h).
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

// One line per problem, at most `most`; empty when the schedule is well formed.
std::vector<std::string> malformed_parts(const Schedule& schedule, std::size_t most);

}  // namespace weft
