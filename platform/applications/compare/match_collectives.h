// Collectives of traces that are the same, whatever the order in which they started.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/compare/facts.h"

namespace weft {

// `b` with the numbers that `a` has for the same collectives: those of one operation, group and ranks, of them first those with one name and
// size, then those of one size, then the others, each in the order in which they started. Others of `b` are collective.B.N.
// `notices` says which have no partner. Results that do not know the groups keep their numbers.
Facts with_collectives_of(const Facts& a, Facts b, std::vector<std::string>& notices);

}  // namespace weft
