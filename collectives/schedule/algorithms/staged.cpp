// All-reduce by loads only, as inference libraries write it: nobody stores to a peer, results that others want are
// kept where they can load them. Those called staged first copy the own input to such a place, as kernels do
// whose input lies in memory that is not shared.
#include "collectives/schedule/algorithms/exchange.h"

namespace weft::algorithms {

namespace {

// The own place first, then the peers from r + 1 on.
std::vector<std::uint32_t> from_own_on(std::uint32_t n, std::uint32_t rank)
{
    std::vector<std::uint32_t> list{rank};
    for (std::uint32_t peer : peers(n, rank)) list.push_back(peer);
    return list;
}

// Everybody has formed the sum of its chunk in `slot` of its scratch memory; all of them to the own output.
void load_sums(Program& program, const Schedule& schedule, std::uint32_t rank, std::uint32_t channel,
    std::uint32_t slot)
{
    meet(program, schedule, rank, channel);
    for (std::uint32_t owner : from_own_on(schedule.size(), rank))
        program.move_too({scratch(owner, slot)}, {output(rank, owner)});
}

}  // namespace

// A copy of the own input; then everybody loads every copy, in the order of ranks. Steps 1; bytes sent (n-1) S.
void one_shot_staged_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, 1, 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        program.move({input(rank, 0)}, {scratch(rank, 0)});
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> copies;
        for (std::uint32_t from = 0; from < n; ++from) copies.push_back(scratch(from, 0));
        program.move(std::move(copies), {output(rank, 0)});
    });
}

// The owner of each chunk loads its terms, from its own on, and keeps the sum; then everybody loads the sums.
// Steps 2; bytes sent 2(n-1)/n S.
void two_shot_load_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> terms;
        for (std::uint32_t from : from_own_on(n, rank)) terms.push_back(input(from, rank));
        program.move(std::move(terms), {scratch(rank, 0)});
        load_sums(program, schedule, rank, channel, 0);
    });
}

// The same behind a copy of the own input, in the order of ranks. Slots 0 to n - 1 hold the copy, slot n the sum.
// Steps 2; bytes sent 2(n-1)/n S.
void two_shot_staged_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, n + 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        for (std::uint32_t chunk : from_own_on(n, rank)) program.move_too({input(rank, chunk)}, {scratch(rank, chunk)});
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> terms;
        for (std::uint32_t from = 0; from < n; ++from) terms.push_back(scratch(from, rank));
        program.combine_slots(std::move(terms), scratch(rank, n), input(rank, rank));
        load_sums(program, schedule, rank, channel, n);
    });
}

}  // namespace weft::algorithms
