// A group of ranks as a part of the grid that all ranks form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

// A dimension that members of a group differ in.
struct GroupAxis {
    std::uint32_t dimension = 0;  // among those of all ranks
    std::uint32_t size = 1;
};

// The axes of `members` (ranks in order), innermost first, if they are all combinations of some coordinates in each
// dimension, in the order of the grid; else nothing. `dimensions` are those of all ranks.
std::optional<std::vector<GroupAxis>> grid_of(const std::vector<std::uint32_t>& members,
    const std::vector<Dimension>& dimensions);

}  // namespace weft
