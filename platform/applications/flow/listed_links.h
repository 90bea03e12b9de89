// Which links of a run the result lists, and those that were busy for longer than it took.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "platform/result/link_result.h"

namespace weft {

// All of them; of more than 10,000 the busiest of those whose names differ by numbers alone, which a notice tells.
std::vector<LinkResult> listed_links(std::vector<LinkResult> links, std::vector<std::string>& notices);

// Adds a notice if links were busy for longer than `simulated_ps`, which no wire can be: the time is too short by what the busiest of them
// lacks. For runs that have ended; others have booked links ahead.
void tell_overfull(const std::vector<LinkResult>& links, Time simulated_ps, std::vector<std::string>& notices);

}  // namespace weft
