// Models with a clocked block inside: its RTL, its twin, or both in lockstep.
#pragma once

#include "platform/system/model_registry.h"

namespace weft {

// switch: rtl_switch, switch_twin, switch_lockstep.
void add_rtl_models(ModelRegistry& registry);

}  // namespace weft
