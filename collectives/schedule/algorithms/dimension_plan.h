// In which order the chunks of a message go through the dimensions of a grid of ranks, and how they take turns
// there: the plan that multi_dim is written from.
//
// Theory. Dimension i has p_i ranks and a rate B_i. Sums of a chunk are collected along its dimensions in its order
// o: the j-th takes (p_oj - 1)/p_oj of the chunk over the product of the sizes before it. Gathering goes back in the
// opposite order and costs the same. The load of a dimension is the sum of that over all chunks, over B_i; no
// schedule ends before the largest load. In a fixed order the first dimension has the most bytes whatever its rate;
// Themis (Rashidi et al., ISCA 2022) levels loads by an order for each chunk.
//
// The model: each dimension carries out one operation (a chunk in one phase) at a time, in the time of its load,
// without latencies. Operations wait in a queue before it.
//
//   fixed           dimensions as they were given, for every chunk
//   round_robin     chunk c begins c dimensions further on
//   offline_greedy  chunk after chunk takes the order that leaves the largest load of what is decided so far the
//                   smallest; then the smallest sum of loads; then the given order
//   online_greedy   likewise, but of what is outstanding when the chunk begins; and it begins when nothing waits for
//                   some dimension. Work of others (`outstanding`) counts, and is waited for
// The greedy ones keep the fixed order where the model says that it ends no later.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

struct PlannedDimension {
    std::uint32_t size = 2;
    std::uint64_t cost = 1;  // time of a unit: a chunk has as many units as the sizes multiply to
};

// The time of a unit where the rate is the highest, or where no rates are known.
constexpr std::uint64_t unit_cost = 1024;
// At most; size 1 does not count.
constexpr std::uint32_t most_planned_dimensions = 6;

// One chunk in one dimension, in one phase.
struct DimensionOperation {
    std::uint32_t chunk = 0;
    std::uint32_t dimension = 0;
    bool gather = false;
    std::uint64_t start = 0;  // in the model
    std::uint64_t end = 0;
};

struct DimensionPlan {
    // By chunk: dimensions as sums are collected. Gathering goes backwards.
    std::vector<std::vector<std::uint32_t>> orders;
    std::vector<DimensionOperation> operations;  // by start; the same sequence is safe on every rank
    std::vector<std::uint64_t> loads;            // by dimension
    std::uint64_t end = 0;
};

// Of 1 to most_planned_dimensions dimensions. `outstanding` by dimension or empty.
// all_reduce, reduce_scatter, all_gather.
DimensionPlan plan_dimensions(CollectiveOp op, const std::vector<PlannedDimension>& dimensions,
    const ChunkScheduling& scheduling, const std::vector<std::uint64_t>& outstanding = {});

// The meaning of the options for this number of ranks: dimensions above size 1, and the plan of `op` over them.
struct PlannedAxes {
    std::vector<Dimension> dimensions;
    DimensionPlan plan;
};
PlannedAxes planned_axes(CollectiveOp op, std::uint32_t ranks, const AlgorithmOptions& options);

namespace algorithms {
// multi_dim: by operation of the plan, the stream that has it; `each` streams of a dimension take its operations in turn.
std::vector<std::uint32_t> streams_of(const PlannedAxes& axes, std::uint32_t each);
}  // namespace algorithms

// The length of model time 1 for a message of `bytes` in this number of chunks, ps. Unknown rates count as 1 GB/s.
double ps_of_cost(const std::vector<Dimension>& dimensions, std::uint32_t chunks, std::uint64_t bytes);

}  // namespace weft
