// Parameters of l2.* and hbm.* that Weft reads around a slice or a memory, whatever stands for it: they count even where the model
// declares to read none of them.
#pragma once

#include "platform/configuration/resolved_system.h"

namespace weft {

// Of a block of Weft. Needs values, not yet specs.
bool read_around_part(const ResolvedSystem& system, NodeId node, Block block, std::size_t parameter);

}  // namespace weft
