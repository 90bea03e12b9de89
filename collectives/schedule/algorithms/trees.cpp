// Trees, in pieces that follow each other through the tree. On the way up and on the way down a rank has a
// thread each, so that the two overlap. A rank adds its own input to what its children stored in its scratch
// slots.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

namespace {

// Waits for a piece from every child and returns the terms of the sum.
std::vector<ChunkRef> gathered(Writer& writer, const shapes::Tree& tree, std::uint32_t rank, std::uint32_t chunk)
{
    std::vector<ChunkRef> terms{input(rank, chunk)};
    for (std::uint32_t child : tree.children[rank]) {
        writer.wait(child);
        terms.push_back(writer.from(child));
    }
    return terms;
}

std::vector<ChunkRef> outputs(const std::vector<std::uint32_t>& ranks, std::uint32_t chunk)
{
    std::vector<ChunkRef> list;
    for (std::uint32_t rank : ranks) list.push_back(output(rank, chunk));
    return list;
}

// Tree t of several carries chunks t k to t k + k - 1.
void all_reduce_over(Schedule& schedule, const AlgorithmOptions& options, const std::vector<shapes::Tree>& trees)
{
    const auto count = static_cast<std::uint32_t>(trees.size());
    const std::uint32_t k = options.pipeline;
    Sketch sketch(schedule, options.channels, count * k, 2 * count);
    for (std::uint32_t t = 0; t < count; ++t)
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
            const shapes::Tree& tree = trees[t];
            const std::vector<std::uint32_t>& children = tree.children[rank];
            const std::uint32_t downwards = 2 * t + 1;
            Writer up = sketch.writer(rank, 2 * t);
            Writer down = sketch.writer(rank, downwards);
            for (std::uint32_t chunk = t * k; chunk < t * k + k; ++chunk) {
                const std::vector<ChunkRef> terms = gathered(up, tree, rank, chunk);
                if (rank == tree.root) {
                    std::vector<ChunkRef> stored = outputs(children, chunk);
                    stored.insert(stored.begin(), output(rank, chunk));
                    up.move(terms, stored);
                    for (std::uint32_t child : children) up.signal(child, downwards);
                    continue;
                }
                up.move(terms, {up.to(tree.parent[rank])});
                up.signal(tree.parent[rank]);
                down.wait(tree.parent[rank]);
                if (children.empty()) continue;
                down.move({output(rank, chunk)}, outputs(children, chunk));
                for (std::uint32_t child : children) down.signal(child);
            }
        }
    sketch.finish();
}

// A child at a time (`in_turn`) or all at once.
void broadcast_over(Schedule& schedule, std::uint32_t channels, const shapes::Tree& tree, std::uint32_t pieces,
    bool in_turn)
{
    Sketch sketch(schedule, channels, pieces);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        const std::vector<std::uint32_t>& children = tree.children[rank];
        for (std::uint32_t chunk = 0; chunk < pieces; ++chunk) {
            if (rank != tree.root) writer.wait(tree.parent[rank]);
            for (std::size_t i = 0; i < children.size(); i += in_turn ? 1 : children.size()) {
                const std::vector<std::uint32_t> now = in_turn ? std::vector<std::uint32_t>{children[i]} : children;
                std::vector<ChunkRef> stored = outputs(now, chunk);
                const bool first = rank == tree.root && i == 0;
                if (first) stored.insert(stored.begin(), output(rank, chunk));
                writer.move({first ? input(rank, chunk) : output(rank, chunk)}, stored);
                for (std::uint32_t child : now) writer.signal(child);
            }
        }
    }
    sketch.finish();
}

void reduce_over(Schedule& schedule, std::uint32_t channels, const shapes::Tree& tree, std::uint32_t pieces)
{
    Sketch sketch(schedule, channels, pieces);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        for (std::uint32_t chunk = 0; chunk < pieces; ++chunk) {
            const std::vector<ChunkRef> terms = gathered(writer, tree, rank, chunk);
            const bool top = rank == tree.root;
            writer.move(terms, {top ? output(rank, chunk) : writer.to(tree.parent[rank])});
            if (!top) writer.signal(tree.parent[rank]);
        }
    }
    sketch.finish();
}

shapes::Ring chain_order(const Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    return options.orders.empty() ? shapes::identity_ring(n) : ring_orders(options, n).front();
}

}  // namespace

// Steps 2 floor(log2 n) + k - 1; bytes sent S up, and S to every child down: at most 3 S.
void tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    all_reduce_over(schedule, options, {shapes::binary_tree(schedule.size(), 0)});
}

// Half the message in each of two trees, in which the inner ranks of one are leaves of the other.
// Steps 2 floor(log2 n) + k - 1; bytes sent at most 2 S.
void double_tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    all_reduce_over(schedule, options, shapes::double_binary_tree(schedule.size()));
}

// Up the chain 0, 1, ..., n - 1 and down again. Steps 2(n-1) + k - 1; bytes sent 2 S, by the ends S.
void chain_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const shapes::Ring order = chain_order(schedule, options);
    all_reduce_over(schedule, options, {shapes::chain_tree(order, order.back())});
}

// Steps floor(log2 n) + k - 1; bytes sent S, by the root nothing.
void tree_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    reduce_over(schedule, options.channels, shapes::binary_tree(schedule.size(), schedule.root), options.pipeline);
}

// Partial sums run through the chain root + 1, ..., root. Steps n-1 + k-1; bytes sent S, by the root nothing.
void chain_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    reduce_over(schedule, options.channels, shapes::chain_tree(chain_order(schedule, options), schedule.root),
        options.pipeline);
}

// Steps floor(log2 n), as several children may store at once; bytes sent S, by the root nothing.
void binomial_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    reduce_over(schedule, options.channels, shapes::binomial_tree(schedule.size(), schedule.root), 1);
}

// Steps floor(log2 n) + k - 1; bytes sent S to every child: at most 2 S.
void tree_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    broadcast_over(schedule, options.channels, shapes::binary_tree(schedule.size(), schedule.root), options.pipeline,
        false);
}

// One child after the other, the one with the most ranks behind it first. Steps ceil(log2 n); bytes sent
// ceil(log2 n) S by the root.
void binomial_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    broadcast_over(schedule, options.channels, shapes::binomial_tree(schedule.size(), schedule.root), 1, true);
}

}  // namespace weft::algorithms
