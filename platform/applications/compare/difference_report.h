// The differences of two results, for people and for machines.
#pragma once

#include <string>

#include "platform/applications/compare/difference.h"

namespace weft {

// Alike differences are one line; of each group the largest changes first, `most` lines of it.
std::string comparison_text(const ResultComparison& comparison, std::size_t most);
// {schema: "weft.comparison/1", a, b, of, judged, compared, beyond, differences: [{name, group, element, field, unit, a, b, change_pct,
//  tolerance_pct, beyond}], notices}; what one result lacks is null.
std::string comparison_json(const ResultComparison& comparison);

}  // namespace weft
