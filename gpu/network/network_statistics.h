// Statistics of the on-die network and of fabric ports: names, units and texts, for the modules that write them, `weft models` and
// results.
#pragma once

#include "base/statistic_table.h"

namespace weft {

const StatisticTable& network_statistics();  // of its ends and of a mesh
const StatisticTable& fabric_port_statistics();

}  // namespace weft
