// Chunks of a message on their ways through the dimensions of a grid, by the plan of dimension_plan.h: a stream for each
// dimension, or several that take its operations in turn. Steps: the longest chain of operations, 2 sum(p_i - 1) of
// rings or more. Bytes sent: (n-1)/n S, twice for all_reduce.
#include <algorithm>
#include <optional>

#include "collectives/schedule/algorithms/dimension_plan.h"
#include "collectives/schedule/algorithms/phase_writer.h"

namespace weft::algorithms {

namespace {

// One chunk at one rank.
class ChunkPath {
public:
    ChunkPath(CollectiveOp op, const Stripe& stripe, const Grid& grid, std::uint32_t chunk, std::uint32_t chunks,
        std::uint32_t position)
        : op_(op), phases_(op, stripe, grid, chunk, chunks, position), axes_(grid.axes())
    {
    }

    // The operation on `axis`, behind what came before it.
    void go_on(Writer& writer, std::uint32_t stream, std::uint32_t axis, bool gather)
    {
        const std::uint32_t first = writer.steps();
        if (gather) {
            phases_.distribute(writer, axis);
        } else {
            phases_.collect(writer, axis);
            if (op_ == CollectiveOp::reduce_scatter && axis + 1 == axes_) phases_.keep(writer);
        }
        if (last_ && last_->thread != stream) writer.depend(first, *last_);
        last_ = StepId{stream, writer.steps() - 1};
    }

private:
    CollectiveOp op_;
    PhaseWriter phases_;
    std::uint32_t axes_;
    std::optional<StepId> last_;
};

}  // namespace

std::vector<std::uint32_t> streams_of(const PlannedAxes& axes, std::uint32_t each)
{
    std::vector<std::uint32_t> met(axes.dimensions.size(), 0);
    std::vector<std::uint32_t> streams;
    for (const DimensionOperation& operation : axes.plan.operations)
        streams.push_back(operation.dimension * each + met[operation.dimension]++ % each);
    return streams;
}

Stripe reordered(const std::vector<Dimension>& dimensions, const std::vector<std::uint32_t>& order, std::uint32_t ranks)
{
    std::vector<std::uint32_t> strides{1};
    for (const Dimension& dimension : dimensions) strides.push_back(strides.back() * dimension.size);
    Stripe stripe;
    for (const std::uint32_t d : order) stripe.axes.push_back({dimensions[d].size, pattern_of(dimensions[d])});
    for (std::uint32_t position = 0; position < ranks; ++position) {
        std::uint32_t rank = 0;
        std::uint32_t rest = position;
        for (const std::uint32_t d : order) {
            rank += rest % dimensions[d].size * strides[d];
            rest /= dimensions[d].size;
        }
        stripe.order.push_back(rank);
    }
    return stripe;
}

std::uint32_t multi_dim_steps(CollectiveOp op, std::uint32_t ranks, const AlgorithmOptions& options)
{
    const PlannedAxes axes = planned_axes(op, ranks, options);
    const std::vector<std::uint32_t> streams = streams_of(axes, options.scheduling.streams);
    std::vector<std::uint32_t> of_stream(axes.dimensions.size() * options.scheduling.streams, 0);
    std::vector<std::uint32_t> of_chunk(axes.plan.orders.size(), 0);
    std::uint32_t steps = 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const DimensionOperation& operation = axes.plan.operations[i];
        const Dimension& dimension = axes.dimensions[operation.dimension];
        const std::uint32_t end = std::max(of_stream[streams[i]], of_chunk[operation.chunk]) +
            shapes::pattern_steps(pattern_of(dimension), dimension.size);
        of_stream[streams[i]] = of_chunk[operation.chunk] = end;
        steps = std::max(steps, end);
    }
    return steps;
}

void multi_dim(Schedule& schedule, const AlgorithmOptions& options)
{
    const PlannedAxes axes = planned_axes(schedule.op, schedule.size(), options);
    const std::vector<std::uint32_t> streams = streams_of(axes, options.scheduling.streams);
    const auto chunks = static_cast<std::uint32_t>(axes.plan.orders.size());
    const auto threads = static_cast<std::uint32_t>(axes.dimensions.size()) * options.scheduling.streams;
    std::vector<Stripe> stripes;
    std::vector<Grid> grids;
    for (const std::vector<std::uint32_t>& order : axes.plan.orders) {
        stripes.push_back(reordered(axes.dimensions, order, schedule.size()));
        grids.emplace_back(stripes.back());
    }
    std::vector<std::vector<std::uint32_t>> position(chunks, std::vector<std::uint32_t>(schedule.size()));
    for (std::uint32_t c = 0; c < chunks; ++c)
        for (std::uint32_t x = 0; x < schedule.size(); ++x) position[c][stripes[c].order[x]] = x;

    Sketch sketch(schedule, options.channels, schedule.size() * chunks, threads);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        std::vector<Writer> writers;
        for (std::uint32_t stream = 0; stream < threads; ++stream) writers.push_back(sketch.writer(rank, stream));
        std::vector<ChunkPath> paths;
        for (std::uint32_t c = 0; c < chunks; ++c)
            paths.emplace_back(schedule.op, stripes[c], grids[c], c, chunks, position[c][rank]);
        for (std::size_t i = 0; i < streams.size(); ++i) {
            const DimensionOperation& operation = axes.plan.operations[i];
            const std::vector<std::uint32_t>& order = axes.plan.orders[operation.chunk];
            const auto axis =
                static_cast<std::uint32_t>(std::find(order.begin(), order.end(), operation.dimension) - order.begin());
            paths[operation.chunk].go_on(writers[streams[i]], streams[i], axis, operation.gather);
        }
    }
    sketch.finish();
}

}  // namespace weft::algorithms
