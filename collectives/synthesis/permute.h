// The same schedule on other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

// What rank i of `schedule` does, rank order[i] does. Where every rank has chunks of its own (all_gather, reduce_scatter,
// all_to_all, gather, scatter) they go with it. `order` is a permutation of the ranks; throws InputError if not.
// Terms of a sum are combined in the order in which the schedule has them.
Schedule permuted(const Schedule& schedule, const std::vector<std::uint32_t>& order);

// 0, 1, ..., n - 1
std::vector<std::uint32_t> rank_order(std::uint32_t n);

}  // namespace weft
