// Statistics of switches: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& switch_statistics();         // of Switch, those of its parts included
const StatisticTable& group_unit_statistics();     // its part for operations on groups
const StatisticTable& group_leaf_statistics();     // the same at the leaf of a group over two tiers
const StatisticTable& message_stage_statistics();  // its part of a network card
const StatisticTable& crossbar_switch_statistics();

}  // namespace weft
