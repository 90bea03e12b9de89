// The engine's parameters of multi_dim.
#pragma once

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

ChunkScheduling scheduling_of(const EngineSpec& spec);

}  // namespace weft
