// The known name closest to a misspelt one, for "did you mean" in diagnostics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Smallest edit distance (ties: first in `known`); empty when nothing is reasonably close.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace weft
