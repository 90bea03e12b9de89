#include "collectives/flow/programs/rank_writers.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/programs/rank_phases.h"
#include "collectives/schedule/algorithms/dimension_plan.h"
#include "collectives/schedule/algorithms/phases.h"
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/channels.h"

namespace weft {

namespace {

constexpr std::uint32_t most_ranks_of_proof = 16;
constexpr std::uint32_t most_of_dimension_of_proof = 4;
constexpr std::uint32_t most_chunks_of_proof = 8;

// Along the dimensions one after the other.
void write_hierarchical(ThreadWriter& writer, const std::vector<algorithms::Axis>& axes, CollectiveOp op,
    std::uint32_t rank)
{
    std::vector<std::uint32_t> strides{1};
    for (const algorithms::Axis& axis : axes) strides.push_back(strides.back() * axis.size);
    PhasesOfRank(axes, strides, rank).write(writer, op);
}

// Reduce-scatter into slots, then all-gather, in one pass (ring.cpp).
void write_ring(ThreadWriter& writer, CollectiveOp op, std::uint32_t n, std::uint32_t rank)
{
    const std::uint32_t next = (rank + 1) % n;
    const std::uint32_t previous = (rank + n - 1) % n;
    if (op == CollectiveOp::all_gather) {
        writer.move(1, true, {rank, next});
        writer.signal(next);
        for (std::uint32_t s = 1; s < n - 1; ++s) {
            writer.wait(previous);
            writer.forward({next});
            writer.signal(next);
        }
        return writer.wait(previous);
    }
    writer.move(1, true, {next}, 1, Buffer::scratch);
    writer.signal(next);
    const bool whole = op == CollectiveOp::all_reduce;
    for (std::uint32_t s = 1; s < n; ++s) {
        writer.wait(previous);
        if (s < n - 1) {
            writer.move(2, true, {next}, 1, Buffer::scratch);
        } else {
            writer.move(2, true, whole ? std::vector<std::uint32_t>{rank, next} : std::vector<std::uint32_t>{rank});
        }
        if (whole || s < n - 1) writer.signal(next);
    }
    if (!whole) return;
    for (std::uint32_t s = 0; s < n - 2; ++s) {
        writer.wait(previous);
        writer.forward({next});
        writer.signal(next);
    }
    writer.wait(previous);
}

// Chunks on their ways through the dimensions, a thread for each stream of a dimension (multi_dim.cpp).
RankPlan multi_dim_of_rank(const AlgorithmOptions& options, CollectiveOp op, std::uint32_t ranks, std::uint32_t rank)
{
    const PlannedAxes axes = planned_axes(op, ranks, options);
    std::vector<std::uint32_t> strides{1};
    for (const Dimension& dimension : axes.dimensions) strides.push_back(strides.back() * dimension.size);
    std::vector<PhasesOfRank> chunks;
    for (const std::vector<std::uint32_t>& order : axes.plan.orders) {
        std::vector<algorithms::Axis> of;
        std::vector<std::uint32_t> of_strides;
        for (const std::uint32_t d : order) {
            of.push_back({axes.dimensions[d].size, algorithms::pattern_of(axes.dimensions[d])});
            of_strides.push_back(strides[d]);
        }
        chunks.emplace_back(std::move(of), std::move(of_strides), rank);
    }
    RankPlan plan;
    const std::vector<std::uint32_t> streams = algorithms::streams_of(axes, options.scheduling.streams);
    plan.semaphores = static_cast<std::uint32_t>(axes.dimensions.size()) * options.scheduling.streams;
    plan.threads.resize(plan.semaphores);
    std::vector<ThreadWriter> writers;
    for (std::uint32_t stream = 0; stream < plan.semaphores; ++stream)
        writers.emplace_back(plan.threads[stream], rank, 0, 1, stream);
    std::vector<std::optional<StepId>> last(chunks.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const DimensionOperation& operation = axes.plan.operations[i];
        const std::vector<std::uint32_t>& order = axes.plan.orders[operation.chunk];
        const auto axis =
            static_cast<std::uint32_t>(std::find(order.begin(), order.end(), operation.dimension) - order.begin());
        ThreadWriter& writer = writers[streams[i]];
        PhasesOfRank& chunk = chunks[operation.chunk];
        const std::uint32_t first = writer.steps();
        if (operation.gather) {
            chunk.distribute(writer, axis);
        } else {
            chunk.collect(writer, axis);
            if (op == CollectiveOp::reduce_scatter && axis + 1 == order.size()) chunk.keep(writer);
        }
        std::optional<StepId>& before = last[operation.chunk];
        if (before && before->thread != streams[i]) writer.depend(first, *before);
        before = StepId{streams[i], writer.steps() - 1};
    }
    return with_channels(std::move(plan), options.channels);
}

// The other ranks from the next one on, or from `turn` further on. A thread that stands for several channels takes the peers
// in the order in which these, each with a turn of its own, would come to them.
std::vector<std::uint32_t> others(std::uint32_t n, std::uint32_t rank, std::uint32_t turn, std::uint32_t stands_for)
{
    const std::uint32_t streams = std::min(stands_for, n - 1);
    std::vector<bool> taken(n - 1, false);
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; list.size() < n - 1; ++i)
        for (std::uint32_t stream = 0; stream < streams; ++stream) {
            const auto begun = static_cast<std::uint32_t>(std::uint64_t{stream} * (n - 1) / streams);
            const std::uint32_t offset = (i + turn + begun) % (n - 1);
            if (taken[offset]) continue;
            taken[offset] = true;
            list.push_back((rank + 1 + offset) % n);
        }
    return list;
}

// Everybody with everybody (direct.cpp).
void write_direct(ThreadWriter& writer, CollectiveOp op, std::uint32_t n, std::uint32_t rank, std::uint32_t turn,
    std::uint32_t stands_for)
{
    const bool together = op == CollectiveOp::all_gather;  // one move to all
    std::vector<std::uint32_t> all = others(n, rank, together ? 0 : turn, together ? 1 : stands_for);
    if (op != CollectiveOp::all_gather)
        for (std::size_t i = 0; i < all.size(); ++i) {
            writer.move(1, true, {all[i]}, 1, op == CollectiveOp::all_to_all ? Buffer::output : Buffer::scratch);
            if (i > 0) writer.with_previous();
        }
    if (op == CollectiveOp::all_to_all) {
        writer.move(1, true, {rank});
        writer.with_previous();
        return writer.meet(n);
    }
    if (op != CollectiveOp::all_gather) writer.meet(n);
    const std::uint32_t terms = op == CollectiveOp::all_gather ? 1 : n;
    if (op == CollectiveOp::reduce_scatter) return writer.move(terms, true, {rank});
    all.insert(all.begin(), rank);
    writer.move(terms, true, all);
    writer.meet(n);
}

void write_pairwise(ThreadWriter& writer, std::uint32_t n, std::uint32_t rank)
{
    writer.move(1, true, {rank});
    for (std::uint32_t s = 1; s < n; ++s) {
        writer.move(1, true, {(rank + s) % n});
        writer.with_previous();
        writer.signal((rank + s) % n);
        writer.wait((rank + n - s) % n);
    }
}

// Exchanges with the rank that differs in one bit (recursive.cpp), where every rank has such a partner.
void write_recursive(ThreadWriter& writer, CollectiveOp op, std::uint32_t n, std::uint32_t rank)
{
    std::uint32_t terms = 1;
    for (std::uint32_t distance = n / 2; op != CollectiveOp::all_gather && distance > 0; distance /= 2) {
        writer.move(terms++, true, {rank ^ distance}, distance, Buffer::scratch);
        writer.signal(rank ^ distance);
        writer.wait(rank ^ distance);
    }
    if (op == CollectiveOp::reduce_scatter) return writer.move(terms, true, {rank});
    for (std::uint32_t distance = 1; distance < n; distance *= 2) {
        const std::uint32_t peer = rank ^ distance;
        if (distance == 1) {
            writer.move(terms, true, {rank, peer});
        } else {
            writer.forward({peer}, distance);
        }
        writer.signal(peer);
        writer.wait(peer);
    }
}

// The names that exchanges with partners have in the registry.
bool is_recursive(const std::string& algorithm, CollectiveOp op)
{
    return (op == CollectiveOp::all_reduce && algorithm == "halving_doubling") ||
        (op == CollectiveOp::all_gather && algorithm == "recursive_doubling") ||
        (op == CollectiveOp::reduce_scatter && algorithm == "recursive_halving");
}

bool is_power_of_two(std::uint32_t ranks) { return ranks > 1 && (ranks & (ranks - 1)) == 0; }

bool is_sum_or_gather(CollectiveOp op)
{
    return op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
}

bool has_dimensions(const std::string& algorithm) { return algorithm == "hierarchical" || algorithm == "multi_dim"; }

// Dimensions of one rank do nothing.
std::vector<algorithms::Axis> axes_of(const AlgorithmOptions& options, std::uint32_t ranks)
{
    std::vector<algorithms::Axis> axes;
    for (const Dimension& dimension : dimensions_of(options, ranks))
        if (dimension.size > 1) axes.push_back({dimension.size, algorithms::pattern_of(dimension)});
    return axes;
}

RankGrid grid_of(const std::string& algorithm, bool recursive, std::uint32_t ranks, const AlgorithmOptions& options)
{
    std::vector<std::uint32_t> sizes{ranks};
    if (has_dimensions(algorithm)) {
        sizes.clear();
        for (const algorithms::Axis& axis : axes_of(options, ranks)) sizes.push_back(axis.size);
    } else if (recursive) {
        sizes.assign(shapes::floor_log2(ranks), 2);  // a partner is the next rank along its axis
    }
    return RankGrid(std::move(sizes));
}

}  // namespace

bool writes_by_rank(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks, const AlgorithmOptions& options)
{
    if (!options.orders.empty()) return false;
    if (is_recursive(algorithm, op)) return is_power_of_two(ranks);
    if (op == CollectiveOp::all_to_all) return algorithm == "direct" || algorithm == "pairwise" || algorithm == "ring";
    return is_sum_or_gather(op) && (algorithm == "ring" || algorithm == "direct" || has_dimensions(algorithm));
}

std::string algorithms_by_rank(CollectiveOp op)
{
    if (op == CollectiveOp::all_to_all) return "direct or pairwise";
    switch (op) {
    case CollectiveOp::all_reduce:
        return "ring, direct, hierarchical, multi_dim, or halving_doubling of a power of two";
    case CollectiveOp::all_gather:
        return "ring, direct, hierarchical, multi_dim, or recursive_doubling of a power of two";
    case CollectiveOp::reduce_scatter:
        return "ring, direct, hierarchical, multi_dim, or recursive_halving of a power of two";
    default: return "all_reduce, all_gather, reduce_scatter or all_to_all";
    }
}

RankPlan plan_of_rank(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options, std::uint32_t rank, std::uint32_t stands_for)
{
    if (algorithm == "multi_dim") return multi_dim_of_rank(options, op, ranks, rank);
    RankPlan plan;
    plan.threads.resize(options.channels);
    for (std::uint32_t channel = 0; channel < options.channels; ++channel) {
        ThreadWriter writer(plan.threads[channel], rank, channel, options.channels, channel);
        if (algorithm == "hierarchical") {
            write_hierarchical(writer, axes_of(options, ranks), op, rank);
        } else if (algorithm == "direct") {
            write_direct(writer, op, ranks, rank, channel * (ranks - 1) / options.channels, stands_for);
        } else if (is_recursive(algorithm, op)) {
            write_recursive(writer, op, ranks, rank);
        } else if (op == CollectiveOp::all_to_all) {
            write_pairwise(writer, ranks, rank);
        } else {
            write_ring(writer, op, ranks, rank);
        }
    }
    return plan;
}

FlowProgram program_for_all(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options, std::uint32_t stands_for)
{
    if (!writes_by_rank(algorithm, op, ranks, options) || ranks < 2)
        throw InputError("", 0,
            fmt::format("flow fidelity cannot write {} by the algorithm '{}' over {} ranks rank by rank", name_of(op),
                algorithm, ranks),
            algorithms_by_rank(op));
    Schedule frame;
    frame.name = algorithm;
    frame.op = op;
    frame.chunks = algorithm == "multi_dim" ? ranks * options.scheduling.chunks : ranks;
    FlowProgramMaker maker(frame, grid_of(algorithm, is_recursive(algorithm, op), ranks, options), true, false);
    const std::vector<std::uint32_t> threads =
        maker.templates_of(0, plan_of_rank(algorithm, op, ranks, options, 0, stands_for));
    for (const std::uint32_t rank : {1U, ranks / 2, ranks - 1})
        if (maker.templates_of(rank, plan_of_rank(algorithm, op, ranks, options, rank, stands_for)) != threads)
            throw std::logic_error(fmt::format("rank {} of {} has another program than rank 0", rank, algorithm));
    return maker.take_for_all(threads);
}

void shrink_for_proof(const std::string& algorithm, std::uint32_t& ranks, AlgorithmOptions& options)
{
    options.channels = 1;
    if (!has_dimensions(algorithm)) {
        ranks = std::min(ranks, most_ranks_of_proof);
        return;
    }
    options.dimensions = dimensions_of(options, ranks);
    options.scheduling.chunks = std::min(options.scheduling.chunks, most_chunks_of_proof);
    ranks = 1;
    for (Dimension& dimension : options.dimensions) {
        dimension.size = std::min(dimension.size, most_of_dimension_of_proof);
        if (algorithm == "hierarchical") dimension.rate = 0;
        ranks *= dimension.size;
    }
}

}  // namespace weft
