// Limits of the size of a plan of any format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

constexpr std::uint32_t most_plan_ranks = most_ranks;
constexpr std::uint32_t most_plan_chunks = 1U << 20;  // of a buffer, and what counts or names them
constexpr std::size_t most_plan_problems = 50;        // that are spelled out
// For a number whose bound is another value of the plan.
constexpr std::uint64_t any_count = ~std::uint64_t{0};

}  // namespace weft
