// Gather, scatter, and what is built on scattering from a root. A block on its way through other ranks lies
// in their scratch slots.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

namespace {

std::uint32_t count_of(const std::vector<std::uint32_t>& list) { return static_cast<std::uint32_t>(list.size()); }

// Ranks from `first` on, round the ring.
shapes::Ring order_from(const Schedule& schedule, const AlgorithmOptions& options, std::uint32_t first)
{
    const std::uint32_t n = schedule.size();
    shapes::Ring ring = options.orders.empty() ? shapes::identity_ring(n) : ring_orders(options, n).front();
    while (ring.front() != first) {
        ring.push_back(ring.front());
        ring.erase(ring.begin());
    }
    return ring;
}

// The part of block q that ends at its rank, for scatter and for the scattering phase of a broadcast.
ChunkRef landing(const Schedule& schedule, std::uint32_t q)
{
    return output(q, schedule.op == CollectiveOp::broadcast ? q : 0);
}

// Down a tree, a child at a time: each child gets its own block, and those of the ranks below it.
void scatter_over(Writer& writer, const Schedule& schedule, const shapes::Tree& tree, std::uint32_t rank)
{
    const bool root = rank == tree.root;
    ChunkRef held = input(rank, 0);
    const std::vector<std::uint32_t> mine = shapes::subtree(tree, rank);
    if (!root) {
        writer.wait(tree.parent[rank]);
        held = writer.from(tree.parent[rank], count_of(mine) - 1);
    }
    std::uint32_t at = 0;  // in the slots, which hold what `mine` lists behind this rank
    for (std::uint32_t child : tree.children[rank]) {
        const std::vector<std::uint32_t> theirs = shapes::subtree(tree, child);
        const ChunkRef slot = writer.to(child, count_of(theirs) - 1);
        for (std::uint32_t i = 0; i < theirs.size(); ++i) {
            const ChunkRef target = i == 0 ? landing(schedule, child) : next(slot, i - 1);
            if (root)
                writer.move({input(rank, theirs[i])}, {target});
            else
                writer.forward(next(held, at++), target, landing(schedule, theirs[i]));
            if (i > 0) writer.with_previous();
        }
        writer.signal(child);
    }
}

}  // namespace

// Steps 1; bytes sent s(r), by the root nothing.
void direct_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t root = schedule.root;
    Sketch sketch(schedule, options.channels, schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        writer.move({input(rank, 0)}, {output(root, rank)});
        if (rank != root) writer.signal(root);
        for (std::uint32_t from = 0; rank == root && from < schedule.size(); ++from)
            if (from != root) writer.wait(from);
    }
    sketch.finish();
}

// Up the binomial tree, all blocks of a subtree together. Steps floor(log2 n), as several children may store
// at once; bytes sent: the blocks of the subtree.
void binomial_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t root = schedule.root;
    const shapes::Tree tree = shapes::binomial_tree(schedule.size(), root);
    Sketch sketch(schedule, options.channels, schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        std::vector<ChunkRef> held{input(rank, 0)};
        for (std::uint32_t child : tree.children[rank]) {
            writer.wait(child);
            if (rank == root) continue;
            const std::uint32_t count = count_of(shapes::subtree(tree, child));
            const ChunkRef slot = writer.from(child, count);
            for (std::uint32_t i = 0; i < count; ++i) held.push_back(next(slot, i));
        }
        if (rank == root) {
            writer.move({input(root, 0)}, {output(root, root)});
            continue;
        }
        const std::uint32_t parent = tree.parent[rank];
        const std::vector<std::uint32_t> blocks = shapes::subtree(tree, rank);
        const ChunkRef slot = parent == root ? ChunkRef{} : writer.to(parent, count_of(blocks));
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            writer.forward(held[i], parent == root ? output(root, blocks[i]) : next(slot, i), input(blocks[i], 0));
            if (i > 0) writer.with_previous();
        }
        writer.signal(parent);
    }
    sketch.finish();
}

// Round the ring from root + 1 to the root, block by block. Steps n-1; bytes sent: the own block and all from
// behind.
void ring_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t root = schedule.root;
    const shapes::Ring ring = order_from(schedule, options, root);
    Sketch sketch(schedule, options.channels, n);
    for (std::uint32_t place = 1; place <= n; ++place) {
        const std::uint32_t rank = ring[place % n];
        Writer writer = sketch.writer(rank);
        const std::uint32_t next = ring[(place + 1) % n];
        if (rank == root) {
            writer.move({input(root, 0)}, {output(root, root)});
            for (std::uint32_t i = 1; i < n; ++i) writer.wait(ring[n - 1]);
            continue;
        }
        for (std::uint32_t back = 0; back < place; ++back) {
            const std::uint32_t block = ring[place - back];
            if (back > 0) writer.wait(ring[place - 1]);
            const ChunkRef held = back == 0 ? input(rank, 0) : writer.from(ring[place - 1]);
            writer.forward(held, next == root ? output(root, block) : writer.to(next), input(block, 0));
            writer.signal(next);
        }
    }
    sketch.finish();
}

// Steps 1; bytes sent (n-1)/n S by the root.
void direct_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t root = schedule.root;
    Sketch sketch(schedule, options.channels, n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Writer writer = sketch.writer(rank);
        if (rank != root) {
            writer.wait(root);
            continue;
        }
        std::vector<Move> moves;
        for (std::uint32_t i = 1; i <= n; ++i)
            moves.push_back({{input(root, (root + i) % n)}, {output((root + i) % n, 0)}});
        writer.run(std::move(moves));
        for (std::uint32_t i = 1; i < n; ++i) writer.signal((root + i) % n);
    }
    sketch.finish();
}

// Down the binomial tree, one child after the other, the one with the most ranks behind it first. Steps
// ceil(log2 n); bytes sent: the blocks of all ranks below.
void binomial_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const shapes::Tree tree = shapes::binomial_tree(schedule.size(), schedule.root);
    Sketch sketch(schedule, options.channels, schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        scatter_over(writer, schedule, tree, rank);
        if (rank == tree.root) writer.move({input(rank, rank)}, {output(rank, 0)});
    }
    sketch.finish();
}

// Round the ring from the root, the block of the last rank first. Steps n-1; bytes sent: all blocks of ranks
// behind.
void ring_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const shapes::Ring ring = order_from(schedule, options, schedule.root);
    Sketch sketch(schedule, options.channels, n);
    for (std::uint32_t place = 0; place < n; ++place) {
        const std::uint32_t rank = ring[place];
        Writer writer = sketch.writer(rank);
        for (std::uint32_t block = n - 1; block > place; --block) {
            const std::uint32_t next = ring[place + 1];
            if (place > 0) writer.wait(ring[place - 1]);
            const ChunkRef held = place == 0 ? input(rank, ring[block]) : writer.from(ring[place - 1]);
            writer.forward(held, block == place + 1 ? output(next, 0) : writer.to(next), output(ring[block], 0));
            writer.signal(next);
        }
        if (place > 0)
            writer.wait(ring[place - 1]);
        else
            writer.move({input(rank, rank)}, {output(rank, 0)});
    }
    sketch.finish();
}

// Terms to the root, which adds them in the order of ranks. Steps 1; bytes sent S, by the root nothing.
void direct_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t root = schedule.root;
    Sketch sketch(schedule, options.channels, 1);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        if (rank != root) {
            writer.move({input(rank, 0)}, {writer.to(root)});
            writer.signal(root);
            continue;
        }
        std::vector<ChunkRef> terms;
        for (std::uint32_t from = 0; from < schedule.size(); ++from) {
            if (from != root) writer.wait(from);
            terms.push_back(from == root ? input(root, 0) : writer.from(from));
        }
        writer.move(terms, {output(root, 0)});
    }
    sketch.finish();
}

// Scatter in n chunks down a binomial tree, then all_gather round a ring; nothing comes back to the root.
// Steps ceil(log2 n) + n-1; bytes sent (n-1)/n S round the ring, and down the tree the chunks of all ranks
// below.
void scatter_all_gather_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t root = schedule.root;
    constexpr std::uint32_t ring = 1;  // a connection of its own
    const shapes::Tree tree = shapes::binomial_tree(n, root);
    Sketch sketch(schedule, options.channels, n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Writer writer = sketch.writer(rank);
        scatter_over(writer, schedule, tree, rank);
        const std::uint32_t next = (rank + 1) % n;
        const std::uint32_t previous = (rank + n - 1) % n;
        for (std::uint32_t step = 0; step < n; ++step) {
            const std::uint32_t chunk = (rank + n - step) % n;
            if (rank != root && step > 0) writer.wait(previous, ring);
            const bool sends = next != root && step < n - 1;
            std::vector<ChunkRef> stored;
            if (rank == root) stored.push_back(output(rank, chunk));
            if (sends) stored.push_back(output(next, chunk));
            if (!stored.empty()) writer.move({rank == root ? input(rank, chunk) : output(rank, chunk)}, stored);
            if (sends) writer.signal(next, ring);
        }
    }
    sketch.finish();
}

}  // namespace weft::algorithms
