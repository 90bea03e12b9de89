// Statistics of replay GPUs: names, units and texts, for the module that writes them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& replay_statistics();

}  // namespace weft
