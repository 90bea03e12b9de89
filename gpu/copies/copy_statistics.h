// Statistics of copy engines and bulk copies: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& copy_engine_statistics();
const StatisticTable& bulk_engine_statistics();

}  // namespace weft
