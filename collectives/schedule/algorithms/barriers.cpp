// Barriers move no data: one thread per rank, whatever the number of channels.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

// A token starts at rank 0. When it reaches rank n - 1 all have entered; it goes on round the ring and
// releases ranks 0 to n - 2. Signal steps 2(n-1); no bytes.
void ring_barrier(Schedule& schedule, const AlgorithmOptions&)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, 0, 0, 1, 1);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Program program(schedule, rank, 0, 1);
        const std::uint32_t next = (rank + 1) % n;
        const std::uint32_t previous = (rank + n - 1) % n;
        if (rank > 0) program.wait(previous, 0);
        program.signal(next, 0);
        if (rank == n - 1) continue;
        program.wait(previous, 0);
        if (next != n - 1) program.signal(next, 0);
    }
}

// Everybody signals everybody. Signal steps 1; no bytes.
void direct_barrier(Schedule& schedule, const AlgorithmOptions&)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, 0, 0, n - 1, 1);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Program program(schedule, rank, 0, 1);
        for (std::uint32_t i = 1; i < n; ++i) program.signal((rank + i) % n, peer_slot((rank + i) % n, rank));
        for (std::uint32_t i = 1; i < n; ++i) program.wait((rank + n - i) % n, peer_slot(rank, (rank + n - i) % n));
    }
}

// In step i every rank tells the one 2^i further on that all it has heard of are there. Signal steps
// ceil(log2 n).
void dissemination_barrier(Schedule& schedule, const AlgorithmOptions&)
{
    const std::uint32_t n = schedule.size();
    Sketch sketch(schedule, 1, 0);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Writer writer = sketch.writer(rank);
        for (std::uint32_t distance = 1; distance < n; distance *= 2) {
            writer.signal((rank + distance) % n);
            writer.wait((rank + n - distance) % n);
        }
    }
    sketch.finish();
}

// Up a binary tree to hear of all, down again to release. Signal steps 2 floor(log2 n).
void tree_barrier(Schedule& schedule, const AlgorithmOptions&)
{
    const shapes::Tree tree = shapes::binary_tree(schedule.size(), 0);
    Sketch sketch(schedule, 1, 0);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        Writer writer = sketch.writer(rank);
        for (std::uint32_t child : tree.children[rank]) writer.wait(child);
        if (rank != tree.root) {
            writer.signal(tree.parent[rank]);
            writer.wait(tree.parent[rank]);
        }
        for (std::uint32_t child : tree.children[rank]) writer.signal(child);
    }
    sketch.finish();
}

}  // namespace weft::algorithms
