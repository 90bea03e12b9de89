// Statistics of the parts of accelerators: names, units and texts, for the modules that write them, `weft models` and results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& compute_unit_statistics();
const StatisticTable& network_statistics();  // of the ends of the on-die network and of a mesh
const StatisticTable& copy_engine_statistics();
const StatisticTable& bulk_engine_statistics();
const StatisticTable& fabric_port_statistics();
const StatisticTable& replay_statistics();

}  // namespace weft
