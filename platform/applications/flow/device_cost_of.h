// Figures of an accelerator's units, caches and memory for flow fidelity, from the parameters of the line model.
#pragma once

#include "collectives/flow/devices/device_cost.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Lines that have left its L2 and are not in memory yet, for which there is room on the way.
double write_places_of(const ResolvedSystem& system, NodeId node);
DeviceCost device_cost_of(const ResolvedSystem& system, NodeId node);

}  // namespace weft
