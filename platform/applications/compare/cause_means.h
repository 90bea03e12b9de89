// Means over the ranks of what they spent their time on.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/compare/facts.h"

namespace weft {

// Adds "causes.mean.CAUSE" to both lists. Where a result does not know the causes of some of its ranks, the means are over
// those ranks whose causes both know, and a notice says so; where there are none, there are no means.
void add_cause_means(const Facts& of_a, const Facts& of_b, std::vector<Fact>& a, std::vector<Fact>& b,
    std::vector<std::string>& notices);

}  // namespace weft
