// All_gather, reduce_scatter and all_reduce as phases along the axes of a grid of ranks: what rings, direct
// exchange, Bruck, PAT and everything hierarchical have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/algorithms/sketch.h"
#include "collectives/schedule/algorithms/shapes.h"

namespace weft::algorithms {

struct Axis {
    std::uint32_t size = 1;
    shapes::Pattern pattern = shapes::Pattern::ring;
};

// A grid: position x of rank `order`[x] has coordinate (x / product of the sizes before) % size on each axis.
struct Stripe {
    shapes::Ring order;
    std::vector<Axis> axes;  // innermost first; their sizes multiply to the number of ranks
};

// Positions along one axis.
class Grid {
public:
    explicit Grid(const Stripe& stripe);

    std::uint32_t axes() const { return static_cast<std::uint32_t>(sizes_.size()); }
    std::uint32_t coordinate(std::uint32_t position, std::uint32_t axis) const
    {
        return position / strides_[axis] % sizes_[axis];
    }
    // The position with another coordinate, modulo the size of the axis.
    std::uint32_t at(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const;
    // All positions that agree with `position` on the axes before `axis` and have `coordinate` on it.
    std::vector<std::uint32_t> plane(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const;

private:
    std::vector<std::uint32_t> sizes_;
    std::vector<std::uint32_t> strides_;
    std::uint32_t ranks_ = 1;
};

// Fills the schedule: k stripes, each a stream of its own with its own k-th of the message. Sums are collected
// along the first axis, then the next ...; gathering goes the other way round, so that far axes carry the
// small shards. Rank r ends up with (all_reduce: owns) chunk r k + l of stripe l. Steps: those of all axes,
// twice for all_reduce; bytes sent (n-1)/n S, twice for all_reduce.
void phased(Schedule& schedule, const AlgorithmOptions& options, const std::vector<Stripe>& stripes);

// A chunk's stripe: ranks as a grid of these dimensions, its axes in another order.
Stripe reordered(const std::vector<Dimension>& dimensions, const std::vector<std::uint32_t>& order,
    std::uint32_t ranks);

// Dependent transfers of multi_dim: operations of a stream and of a chunk follow each other.
std::uint32_t multi_dim_steps(CollectiveOp op, std::uint32_t ranks, const AlgorithmOptions& options);

// How results spread within a dimension. Throws InputError.
shapes::Pattern pattern_of(const Dimension& dimension);

// The stripes of every algorithm that is made of phases, empty for all others; theory counts with them too.
std::vector<Stripe> stripes_of(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options);

}  // namespace weft::algorithms
