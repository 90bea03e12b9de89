#include "collectives/schedule/algorithms/phases.h"

#include "collectives/schedule/algorithms/phase_writer.h"

namespace weft::algorithms {

Grid::Grid(const Stripe& stripe)
{
    for (const Axis& axis : stripe.axes) {
        sizes_.push_back(axis.size);
        strides_.push_back(ranks_);
        ranks_ *= axis.size;
    }
}

std::uint32_t Grid::at(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const
{
    const std::uint32_t here = this->coordinate(position, axis);
    return position - here * strides_[axis] + coordinate % sizes_[axis] * strides_[axis];
}

std::vector<std::uint32_t> Grid::plane(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const
{
    const std::uint32_t stride = strides_[axis] * sizes_[axis];
    std::vector<std::uint32_t> positions;
    for (std::uint32_t q = at(position, axis, coordinate) % stride; q < ranks_; q += stride) positions.push_back(q);
    return positions;
}

void phased(Schedule& schedule, const AlgorithmOptions& options, const std::vector<Stripe>& stripes)
{
    const auto count = static_cast<std::uint32_t>(stripes.size());
    Sketch sketch(schedule, options.channels, schedule.size() * count, count);
    for (std::uint32_t l = 0; l < count; ++l) {
        const Grid grid(stripes[l]);
        for (std::uint32_t position = 0; position < schedule.size(); ++position) {
            Writer writer = sketch.writer(stripes[l].order[position], l);
            PhaseWriter phases(schedule.op, stripes[l], grid, l, count, position);
            if (schedule.op != CollectiveOp::all_gather)
                for (std::uint32_t axis = 0; axis < grid.axes(); ++axis) phases.collect(writer, axis);
            if (schedule.op == CollectiveOp::reduce_scatter) {
                phases.keep(writer);
                continue;
            }
            for (std::uint32_t axis = grid.axes(); axis-- > 0;) phases.distribute(writer, axis);
        }
    }
    sketch.finish();
}

}  // namespace weft::algorithms
