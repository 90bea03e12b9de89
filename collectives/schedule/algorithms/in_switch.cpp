// Algorithms that let the switch combine and copy. What the switch reads must be there: ranks meet before
// their inputs are read; and what it has stored to others is told to them afterwards.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

namespace {

std::vector<ChunkRef> of_all(const std::vector<std::uint32_t>& ranks, Buffer buffer, std::uint32_t chunk)
{
    std::vector<ChunkRef> refs;
    for (std::uint32_t rank : ranks) refs.push_back({rank, buffer, chunk, 1});
    return refs;
}

// Calls write(writer, rank, all ranks) for every rank.
template <typename Write>
void for_each_rank(Schedule& schedule, const AlgorithmOptions& options, std::uint32_t chunks, Write&& write)
{
    const std::vector<std::uint32_t> all = shapes::identity_ring(schedule.size());
    Sketch sketch(schedule, options.channels, chunks);
    for (std::uint32_t rank : all) {
        Writer writer = sketch.writer(rank);
        write(writer, rank, all);
    }
    sketch.finish();
}

}  // namespace

// Each rank has the switch add up its chunk and store the sum to all, between two meetings.
// Steps 1, there and back; bytes sent S + s(r), received as many.
void nvls_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    for_each_rank(schedule, options, schedule.size(), [](Writer& writer, std::uint32_t rank, const auto& all) {
        writer.meet(all);
        writer.step(StepKind::reduce_multicast, of_all(all, Buffer::input, rank), of_all(all, Buffer::output, rank));
        writer.meet(all);
    });
}

// Everybody has the switch add up everything. Steps 1; bytes sent n S, received S.
void nvls_one_shot_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    for_each_rank(schedule, options, 1, [](Writer& writer, std::uint32_t rank, const auto& all) {
        writer.meet(all);
        writer.step(StepKind::load_reduce, of_all(all, Buffer::input, 0), {output(rank, 0)});
    });
}

// Everybody sends its input to the switch, which adds what comes and stores the sum to all. Steps 1; bytes
// sent S.
void push_reduce_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    for_each_rank(schedule, options, 1, [](Writer& writer, std::uint32_t rank, const auto& all) {
        writer.step(StepKind::push_reduce, {input(rank, 0)}, of_all(all, Buffer::output, 0));
    });
}

// Steps 1; bytes sent s(r), received S.
void multicast_all_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    for_each_rank(schedule, options, schedule.size(), [](Writer& writer, std::uint32_t rank, const auto& all) {
        writer.step(StepKind::multicast, {input(rank, 0)}, of_all(all, Buffer::output, rank));
        writer.meet(all);
    });
}

// Steps 1; bytes sent S by the root.
void multicast_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t root = schedule.root;
    for_each_rank(schedule, options, 1, [root](Writer& writer, std::uint32_t rank, const auto& all) {
        if (rank != root) return writer.wait(root);
        writer.step(StepKind::multicast, {input(root, 0)}, of_all(all, Buffer::output, 0));
        for (std::uint32_t i = 1; i < all.size(); ++i)
            writer.signal((root + i) % static_cast<std::uint32_t>(all.size()));
    });
}

// Steps 1; bytes sent S, received s(r).
void load_reduce_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    for_each_rank(schedule, options, schedule.size(), [](Writer& writer, std::uint32_t rank, const auto& all) {
        writer.meet(all);
        writer.step(StepKind::load_reduce, of_all(all, Buffer::input, rank), {output(rank, 0)});
    });
}

// Steps 1; bytes sent S, received S by the root.
void load_reduce_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t root = schedule.root;
    for_each_rank(schedule, options, 1, [root](Writer& writer, std::uint32_t rank, const auto& all) {
        if (rank != root) return writer.signal(root);
        for (std::uint32_t from : all)
            if (from != root) writer.wait(from);
        writer.step(StepKind::load_reduce, of_all(all, Buffer::input, 0), {output(root, 0)});
    });
}

// The switch of a node (the innermost dimension) adds up a shard per rank; ranks with the same shard reduce
// it over a binary tree between nodes, in k pieces; the switch of each node stores the sum to all of the
// node. Sums of a node wait for those of its children in the own output.
// Steps 2h + 1 + 3(k-1) with a tree of height h = floor(log2 nodes) >= 1, k in one node; bytes sent S + shard, and a
// shard per neighbour in the tree.
void nvls_tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t node_size = dimensions_of(options, schedule.size()).front().size;
    const std::uint32_t nodes = schedule.size() / node_size;
    const std::uint32_t k = options.pipeline;
    constexpr std::uint32_t downwards = 1;
    constexpr std::uint32_t entry = 2;  // connections of the meetings
    const shapes::Tree tree = shapes::binary_tree(nodes, 0);
    Sketch sketch(schedule, options.channels, node_size * k, nodes > 1 ? 2 : 1);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const std::uint32_t shard = rank % node_size;
        const std::uint32_t node = rank / node_size;
        const auto mate = [&](std::uint32_t other) { return other * node_size + shard; };
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < node_size; ++i) members.push_back(node * node_size + i);
        std::vector<std::uint32_t> children;
        for (std::uint32_t child : tree.children[node]) children.push_back(mate(child));
        const bool root = node == tree.root;
        const std::uint32_t parent = mate(tree.parent[node]);

        Writer up = sketch.writer(rank);
        Writer down = sketch.writer(rank, root ? 0 : downwards);
        up.meet(members, entry);
        for (std::uint32_t c = shard * k; c < shard * k + k; ++c) {
            const std::vector<ChunkRef> inputs = of_all(members, Buffer::input, c);
            const std::vector<ChunkRef> results = of_all(members, Buffer::output, c);
            if (nodes == 1) {
                up.step(StepKind::reduce_multicast, inputs, results);
                continue;
            }
            if (children.empty()) {
                up.step(StepKind::load_reduce, inputs, {up.to(parent)});
                up.signal(parent);
            } else {
                up.step(StepKind::load_reduce, inputs, {output(rank, c)});
                std::vector<ChunkRef> terms{output(rank, c)};
                for (std::uint32_t child : children) {
                    up.wait(child);
                    terms.push_back(up.from(child));
                }
                std::vector<ChunkRef> stored = of_all(children, Buffer::output, c);
                stored.insert(stored.begin(), output(rank, c));
                if (!root) stored = {up.to(parent)};
                up.move(terms, stored);
                if (!root) up.signal(parent);
            }
            if (!root) down.wait(parent);
            if (!root && !children.empty()) down.move({output(rank, c)}, of_all(children, Buffer::output, c));
            for (std::uint32_t child : children) down.signal(child, downwards);
            down.step(StepKind::multicast, {output(rank, c)}, results);
        }
        down.meet(members, entry + 1);
    }
    sketch.finish();
}

}  // namespace weft::algorithms
