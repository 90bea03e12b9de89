// Points of tables that are the same though their keys are in another order, or a value is written otherwise.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/applications/compare/facts.h"

namespace weft {

// What {x: 1us, bytes: 2KiB} and {bytes: 2048, x: 1000ns} have in common: names sorted, sizes, times, rates, frequencies and numbers as their value in the
// base unit. The result identifies a point; it is not for people.
std::string point_identity(std::vector<std::pair<std::string, std::string>> parameters);

// `b` with the names that `a` has for the same points. Of several points of `a` with one identity, that of the same name is taken,
// else the first that is still free.
Facts with_names_of(const Facts& a, Facts b);

}  // namespace weft
