#include "collectives/flow/rank_writers.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/phases.h"
#include "collectives/schedule/algorithms/shapes.h"

namespace weft {

namespace {

constexpr std::uint32_t most_ranks_of_proof = 16;
constexpr std::uint32_t most_of_dimension_of_proof = 4;

// One thread: part `channel` of `channels` of everything it moves.
class ThreadWriter {
public:
    ThreadWriter(Thread& thread, std::uint32_t rank, std::uint32_t channel, std::uint32_t channels)
        : steps_(thread.steps), rank_(rank), channel_(channel), channels_(channels)
    {
    }

    // Of `terms` operands of the own rank: slots, and the own input where `with_input`; to these ranks. Places do not matter
    // to a program, but for whether the thread itself wrote or read them before.
    void move(std::uint32_t terms, bool with_input, const std::vector<std::uint32_t>& to, std::uint32_t count = 1,
        Buffer where = Buffer::output)
    {
        std::vector<ChunkRef> sources;
        if (with_input) sources.push_back({rank_, Buffer::input, 0, count});
        while (sources.size() < terms) sources.push_back({rank_, Buffer::scratch, 0, count});
        put(std::move(sources), to, count, where);
    }
    // Of what is in the own output.
    void forward(const std::vector<std::uint32_t>& to, std::uint32_t count = 1)
    {
        put({{rank_, Buffer::output, 0, count}}, to, count, Buffer::output);
    }
    // The move before this one need not be waited for.
    void with_previous() { steps_.back().with_previous = steps_.size() > 1 && is_data(steps_[steps_.size() - 2].kind); }
    void signal(std::uint32_t peer) { steps_.push_back(signal_step(peer, channel_)); }
    void wait(std::uint32_t peer) { steps_.push_back(wait_step(peer, channel_)); }
    // Every other rank is told, and heard of.
    void meet(std::uint32_t ranks)
    {
        for (std::uint32_t i = 1; i < ranks; ++i) signal((rank_ + i) % ranks);
        for (std::uint32_t i = 1; i < ranks; ++i) wait((rank_ + ranks - i) % ranks);
    }

private:
    void put(std::vector<ChunkRef> sources, const std::vector<std::uint32_t>& to, std::uint32_t count, Buffer where)
    {
        std::vector<ChunkRef> destinations;
        for (const std::uint32_t rank : to) destinations.push_back({rank, where, rank == rank_ ? 1U : 0U, count});
        steps_.push_back(move_step(std::move(sources), std::move(destinations)));
        steps_.back().part = channel_;
        steps_.back().parts = channels_;
    }

    std::vector<Step>& steps_;
    std::uint32_t rank_;
    std::uint32_t channel_;
    std::uint32_t channels_;
};

// The phases of phase_writer.h: sums are collected along dimension after dimension and distributed backwards.
class PhasesOfRank {
public:
    PhasesOfRank(std::vector<algorithms::Axis> axes, std::uint32_t rank, CollectiveOp op, ThreadWriter& writer)
        : axes_(std::move(axes)), rank_(rank), op_(op), writer_(writer)
    {
        for (const algorithms::Axis& axis : axes_) {
            strides_.push_back(ranks_);
            ranks_ *= axis.size;
        }
    }

    void write()
    {
        if (op_ != CollectiveOp::all_gather)
            for (std::uint32_t a = 0; a < axes_.size(); ++a) collect(a);
        if (op_ == CollectiveOp::reduce_scatter) return writer_.move(terms_, true, {rank_});
        for (auto a = static_cast<std::uint32_t>(axes_.size()); a-- > 0;) distribute(a);
    }

private:
    struct Group {  // what goes to one peer in a step
        std::uint32_t hop = 0;
        std::vector<std::uint32_t> offsets;
    };

    std::uint32_t peer(std::uint32_t a, std::uint32_t by) const
    {
        const std::uint32_t here = rank_ / strides_[a] % axes_[a].size;
        return rank_ - here * strides_[a] + (here + by) % axes_[a].size * strides_[a];
    }
    // Blocks that differ on later dimensions only.
    std::uint32_t blocks(std::uint32_t a) const { return ranks_ / (strides_[a] * axes_[a].size); }

    std::vector<Group> groups_of(std::uint32_t a, std::uint32_t step) const
    {
        std::vector<Group> groups;
        for (const std::uint32_t offset : shapes::pattern_offsets(axes_[a].pattern, axes_[a].size, step)) {
            const std::uint32_t hop = offset - shapes::pattern_parent(axes_[a].pattern, offset);
            if (groups.empty() || groups.back().hop != hop) groups.push_back({hop, {}});
            groups.back().offsets.push_back(offset);
        }
        return groups;
    }

    void collect(std::uint32_t a)
    {
        const std::uint32_t size = axes_[a].size;
        std::vector<std::uint32_t> terms(size, terms_);  // by offset of the block's owner
        for (std::uint32_t step = shapes::pattern_steps(axes_[a].pattern, size); step-- > 0;) {
            const std::vector<Group> groups = groups_of(a, step);
            bool first = true;
            for (const Group& group : groups)
                for (std::size_t i = 0; i < group.offsets.size();) {
                    std::size_t end = i;
                    while (end < group.offsets.size() && terms[group.offsets[end]] == terms[group.offsets[i]]) ++end;
                    const auto planes = static_cast<std::uint32_t>(end - i);
                    writer_.move(terms[group.offsets[i]], true, {peer(a, group.hop)}, planes * blocks(a),
                        Buffer::scratch);
                    if (!first) writer_.with_previous();
                    first = false;
                    i = end;
                }
            for (const Group& group : groups) writer_.signal(peer(a, group.hop));
            for (const Group& group : groups) {
                writer_.wait(peer(a, size - group.hop));
                for (const std::uint32_t offset : group.offsets) ++terms[offset - group.hop];
            }
        }
        terms_ = terms[0];
    }

    void distribute(std::uint32_t a)
    {
        const std::uint32_t size = axes_[a].size;
        for (std::uint32_t step = 0; step < shapes::pattern_steps(axes_[a].pattern, size); ++step) {
            const std::vector<Group> groups = groups_of(a, step);
            std::vector<Group> moves;  // by offset of the blocks (`hop`): the hops to the ranks that get them
            for (const Group& group : groups)
                for (const std::uint32_t offset : group.offsets) {
                    const auto at = std::find_if(moves.begin(), moves.end(),
                        [&](const Group& move) { return move.hop == offset - group.hop; });
                    (at == moves.end() ? moves.insert(moves.end(), {offset - group.hop, {}}) : at)
                        ->offsets.push_back(group.hop);
                }
            bool first = true;
            for (std::size_t i = 0; i < moves.size();) {
                std::vector<std::uint32_t> to;
                for (const std::uint32_t hop : moves[i].offsets) to.push_back(peer(a, hop));
                std::size_t end = i + 1;
                if (!formed_) {
                    to.insert(to.begin(), rank_);
                    writer_.move(terms_, true, to, blocks(a));
                    formed_ = true;
                } else {
                    while (end < moves.size() && moves[end].offsets == moves[i].offsets) ++end;
                    writer_.forward(to, static_cast<std::uint32_t>(end - i) * blocks(a));
                }
                if (!first) writer_.with_previous();
                first = false;
                i = end;
            }
            for (const Group& group : groups) writer_.signal(peer(a, group.hop));
            for (const Group& group : groups) writer_.wait(peer(a, size - group.hop));
        }
    }

    std::vector<algorithms::Axis> axes_;
    std::vector<std::uint32_t> strides_;
    std::uint32_t ranks_ = 1;
    std::uint32_t rank_;
    CollectiveOp op_;
    ThreadWriter& writer_;
    std::uint32_t terms_ = 1;  // of the sums that are left to this rank
    bool formed_ = false;      // the own result is in the output
};

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

// The other ranks from the next one on, or from `turn` further on.
std::vector<std::uint32_t> others(std::uint32_t n, std::uint32_t rank, std::uint32_t turn)
{
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < n - 1; ++i) list.push_back((rank + 1 + (i + turn) % (n - 1)) % n);
    return list;
}

// Everybody with everybody (direct.cpp).
void write_direct(ThreadWriter& writer, CollectiveOp op, std::uint32_t n, std::uint32_t rank, std::uint32_t turn)
{
    std::vector<std::uint32_t> all = others(n, rank, op == CollectiveOp::all_gather ? 0 : turn);
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
    if (algorithm == "hierarchical") {
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
    return is_sum_or_gather(op) && (algorithm == "ring" || algorithm == "direct" || algorithm == "hierarchical");
}

std::string algorithms_by_rank(CollectiveOp op)
{
    if (op == CollectiveOp::all_to_all) return "direct or pairwise";
    switch (op) {
        case CollectiveOp::all_reduce: return "ring, direct, hierarchical, or halving_doubling of a power of two";
        case CollectiveOp::all_gather: return "ring, direct, hierarchical, or recursive_doubling of a power of two";
        case CollectiveOp::reduce_scatter: return "ring, direct, hierarchical, or recursive_halving of a power of two";
        default: return "all_reduce, all_gather, reduce_scatter or all_to_all";
    }
}

RankPlan plan_of_rank(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options, std::uint32_t rank)
{
    RankPlan plan;
    plan.threads.resize(options.channels);
    for (std::uint32_t channel = 0; channel < options.channels; ++channel) {
        ThreadWriter writer(plan.threads[channel], rank, channel, options.channels);
        if (algorithm == "hierarchical") {
            PhasesOfRank(axes_of(options, ranks), rank, op, writer).write();
        } else if (algorithm == "direct") {
            write_direct(writer, op, ranks, rank, channel * (ranks - 1) / options.channels);
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
    const AlgorithmOptions& options)
{
    if (!writes_by_rank(algorithm, op, ranks, options) || ranks < 2)
        throw InputError("", 0,
            fmt::format("flow fidelity cannot write {} by the algorithm '{}' over {} ranks rank by rank", name_of(op),
                algorithm, ranks),
            algorithms_by_rank(op));
    Schedule frame;
    frame.name = algorithm;
    frame.op = op;
    frame.chunks = ranks;
    FlowProgramMaker maker(frame, grid_of(algorithm, is_recursive(algorithm, op), ranks, options), true, false);
    const std::vector<std::uint32_t> threads = maker.templates_of(0, plan_of_rank(algorithm, op, ranks, options, 0));
    for (const std::uint32_t rank : {1U, ranks / 2, ranks - 1})
        if (maker.templates_of(rank, plan_of_rank(algorithm, op, ranks, options, rank)) != threads)
            throw std::logic_error(fmt::format("rank {} of {} has another program than rank 0", rank, algorithm));
    return maker.take_for_all(threads);
}

void shrink_for_proof(const std::string& algorithm, std::uint32_t& ranks, AlgorithmOptions& options)
{
    options.channels = 1;
    if (algorithm != "hierarchical") {
        ranks = std::min(ranks, most_ranks_of_proof);
        return;
    }
    options.dimensions = dimensions_of(options, ranks);
    ranks = 1;
    for (Dimension& dimension : options.dimensions) {
        dimension.size = std::min(dimension.size, most_of_dimension_of_proof);
        dimension.rate = 0;
        ranks *= dimension.size;
    }
}

}  // namespace weft
