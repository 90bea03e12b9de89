// Statistics of caches and memory: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& l2_slice_statistics();     // of L2Slice, also as a slice of a memory-side cache
const StatisticTable& slice_flags_statistics();  // the part of it that any slice has for waits
const StatisticTable& hbm_statistics();

}  // namespace weft
