// One rank's share of a stripe (phases.h), written phase by phase: into one thread, or each phase into another.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/algorithms/phases.h"

namespace weft::algorithms {

class PhaseWriter {
public:
    // Stripe `index` of `stripes`; `position` of the rank on it. `stripe` and `grid` must outlive this.
    PhaseWriter(CollectiveOp op, const Stripe& stripe, const Grid& grid, std::uint32_t index, std::uint32_t stripes,
        std::uint32_t position);

    // Sums along an axis: from the first on, each once.
    void collect(Writer& writer, std::uint32_t axis);
    // reduce_scatter, after the last of these: the sum into the own output.
    void keep(Writer& writer) const;
    // Results along an axis: from the last on, each once. The move that sends the own block first forms it, and stores it
    // to the own output too.
    void distribute(Writer& writer, std::uint32_t axis);

private:
    std::uint32_t chunk(std::uint32_t position) const { return stripe_.order[position] * stripes_ + index_; }
    std::uint32_t peer(std::uint32_t axis, std::uint32_t coordinate) const
    {
        return stripe_.order[grid_.at(self_, axis, coordinate)];
    }

    const Stripe& stripe_;
    const Grid& grid_;
    std::uint32_t index_;
    std::uint32_t stripes_;
    std::uint32_t self_;
    std::uint32_t rank_;
    std::vector<std::vector<ChunkRef>> terms_;  // by owner's position: what has to be added up
    bool formed_ = false;
};

}  // namespace weft::algorithms
