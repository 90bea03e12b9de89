// Statistics of modules with a clocked block inside: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& clocked_switch_statistics();
const StatisticTable& clocked_slice_statistics();
const StatisticTable& clocked_link_statistics();
// Of blocks of a user's own.
const StatisticTable& dut_switch_statistics();
const StatisticTable& dut_link_statistics();

}  // namespace weft
