// The required outputs of a collective, as contributions.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/verification/contribution.h"

namespace weft {

// The value that output chunk `chunk` of `rank` must end with; nothing_written when it may be anything.
ValueId demanded_value(const Schedule& schedule, std::uint32_t rank, std::uint32_t chunk, Contributions& values);

}  // namespace weft
