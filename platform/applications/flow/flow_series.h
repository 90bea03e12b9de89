// Links over time at flow fidelity, with the columns of --series.
#pragma once

#include <string>

#include "collectives/flow/links/link_series.h"
#include "platform/applications/flow/flow_fabric.h"

namespace weft {

// Up to `end`, or the end of the last transfer. The rows of a link add up to its totals, and none is busy for longer than its window.
// At most LinkSeries::most_cells rows: else
// windows get longer.
std::string flow_series(const FlowFabric& fabric, LinkSeries& series, Time end);

}  // namespace weft
