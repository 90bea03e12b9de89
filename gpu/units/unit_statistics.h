// Statistics of compute units: names, units and texts, for `NODE.units`, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& compute_unit_statistics();

}  // namespace weft
