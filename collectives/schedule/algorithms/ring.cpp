// Rings: rank r sends to r + 1 only. Semaphore c of a rank belongs to channel c; its left neighbour
// alone signals it. Indices are modulo n.
//
// Another order than that of the ranks is run by phases (stripes.cpp), with the same steps and bytes.
#include "collectives/schedule/algorithms/builders.h"
#include "collectives/schedule/algorithms/shapes.h"

namespace weft::algorithms {

// Reduce-scatter into n - 1 scratch slots, then all-gather, in one pass: a step that reads a slot adds
// the own input and stores to the next rank; the step that completes a sum stores it to the own output
// and to that of the next rank; the rest forwards results.
// Steps 2(n-1); bytes sent 2(n-1)/n S.
void ring_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    if (!options.orders.empty()) return by_phases(schedule, options);
    const std::uint32_t n = schedule.size();
    frame(schedule, n, n - 1, options.channels, options.channels);
    for_each_program(schedule, options.channels, [n](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::uint32_t next = (rank + 1) % n;
        const std::uint32_t previous = (rank + n - 1) % n;
        program.move({input(rank, rank)}, {scratch(next, 0)});
        program.signal(next, channel);
        for (std::uint32_t s = 1; s < n; ++s) {
            const std::uint32_t chunk = (rank + n - s) % n;
            program.wait(previous, channel);
            if (s < n - 1)
                program.move({scratch(rank, s - 1), input(rank, chunk)}, {scratch(next, s)});
            else
                program.move({scratch(rank, s - 1), input(rank, chunk)}, {output(rank, chunk), output(next, chunk)});
            program.signal(next, channel);
        }
        for (std::uint32_t s = 0; s < n - 2; ++s) {
            const std::uint32_t chunk = (rank + n - s) % n;
            program.wait(previous, channel);
            program.move({output(rank, chunk)}, {output(next, chunk)});
            program.signal(next, channel);
        }
        program.wait(previous, channel);
    });
}

// The own chunk goes to the own output and to the next rank's at once, then results are forwarded.
// Steps n-1; bytes sent (n-1)/n S.
void ring_all_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    if (!options.orders.empty()) return by_phases(schedule, options);
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels, options.channels);
    for_each_program(schedule, options.channels, [n](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::uint32_t next = (rank + 1) % n;
        const std::uint32_t previous = (rank + n - 1) % n;
        program.move({input(rank, 0)}, {output(rank, rank), output(next, rank)});
        program.signal(next, channel);
        for (std::uint32_t s = 1; s < n - 1; ++s) {
            const std::uint32_t chunk = (rank + n - s) % n;
            program.wait(previous, channel);
            program.move({output(rank, chunk)}, {output(next, chunk)});
            program.signal(next, channel);
        }
        program.wait(previous, channel);
    });
}

// Partial sums travel through n - 1 scratch slots; the sum of chunk r is completed at rank r.
// Steps n-1 (and one local one); bytes sent (n-1)/n S.
void ring_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    if (!options.orders.empty()) return by_phases(schedule, options);
    const std::uint32_t n = schedule.size();
    frame(schedule, n, n - 1, options.channels, options.channels);
    for_each_program(schedule, options.channels, [n](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::uint32_t next = (rank + 1) % n;
        const std::uint32_t previous = (rank + n - 1) % n;
        program.move({input(rank, previous)}, {scratch(next, 0)});
        program.signal(next, channel);
        for (std::uint32_t s = 1; s < n - 1; ++s) {
            const std::uint32_t chunk = (previous + n - s) % n;
            program.wait(previous, channel);
            program.move({scratch(rank, s - 1), input(rank, chunk)}, {scratch(next, s)});
            program.signal(next, channel);
        }
        program.wait(previous, channel);
        program.move({scratch(rank, n - 2), input(rank, rank)}, {output(rank, 0)});
    });
}

// The root's message runs down the chain root, root + 1, ... in k = `pipeline` chunks.
// Steps n-1 + k-1; bytes sent S, by the last rank of the chain 0.
void ring_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t root = schedule.root;
    const shapes::Ring ring = options.orders.empty() ? shapes::identity_ring(n) : ring_orders(options, n).front();
    std::vector<std::uint32_t> after(n);
    std::vector<std::uint32_t> before(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        after[ring[i]] = ring[(i + 1) % n];
        before[ring[(i + 1) % n]] = ring[i];
    }
    frame(schedule, options.pipeline, 0, options.channels, options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::uint32_t next = after[rank];
        const std::uint32_t previous = before[rank];
        for (std::uint32_t chunk = 0; chunk < options.pipeline; ++chunk) {
            if (rank == root) {
                program.move({input(rank, chunk)}, {output(rank, chunk), output(next, chunk)});
            } else {
                program.wait(previous, channel);
                if (next != root) program.move({output(rank, chunk)}, {output(next, chunk)});
            }
            if (next != root) program.signal(next, channel);
        }
    });
}

}  // namespace weft::algorithms
