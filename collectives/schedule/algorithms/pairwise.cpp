#include "collectives/schedule/algorithms/builders.h"

namespace weft::algorithms {

// The ring order of all_to_all: in step s every rank sends to r + s and receives from r - s, so at any
// time each rank is sent to by exactly one. Blocks go straight to where they belong; forwarding them
// from neighbour to neighbour would move n/2 times the bytes.
// Steps n-1; bytes sent (n-1)/n S.
void pairwise_all_to_all(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [n](Program& program, std::uint32_t rank, std::uint32_t channel) {
        program.move({input(rank, rank)}, {output(rank, rank)});
        for (std::uint32_t s = 1; s < n; ++s) {
            const std::uint32_t to = (rank + s) % n;
            const std::uint32_t from = (rank + n - s) % n;
            program.move_too({input(rank, to)}, {output(to, rank)});
            program.signal(to, channel * (n - 1) + peer_slot(to, rank));
            program.wait(from, channel * (n - 1) + peer_slot(rank, from));
        }
    });
}

}  // namespace weft::algorithms
