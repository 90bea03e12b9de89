// Statistics of links: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& link_statistics();  // of both directions: forward_ is from the first end to the second

// `table` for each direction.
StatisticTable both_directions(const StatisticTable& table);

}  // namespace weft
