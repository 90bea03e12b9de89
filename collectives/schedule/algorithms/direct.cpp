// Direct algorithms: every rank exchanges with every other, all at once. Transfers of one phase are a run of
// moves that need not wait for each other; each peer has a semaphore and, where sums are formed, a
// scratch slot of its own. Peers are visited from r + 1 on, so that not all start with the same one, and
// channels begin at different peers, so that the links to all of them are at work at any time.
//
// Those called get load from their peers instead of storing to them. An input is there when its rank has
// entered, so signals go first; sums are formed from what is loaded, without scratch memory.
#include "collectives/schedule/algorithms/exchange.h"

namespace weft::algorithms {

namespace {

// Input chunk j goes to a slot at rank j, which then has what it needs for the sum of chunk j.
void send_terms(Program& program, const std::vector<std::uint32_t>& peers, std::uint32_t rank)
{
    for (std::uint32_t peer : peers) {
        program.move_too({input(rank, peer)}, {scratch(peer, peer_slot(peer, rank))});
    }
}

// The terms of the own chunk, in the order of ranks: the same sum whatever arrives first.
std::vector<ChunkRef> terms(std::uint32_t n, std::uint32_t rank)
{
    std::vector<ChunkRef> sources;
    for (std::uint32_t from = 0; from < n; ++from)
        sources.push_back(from == rank ? input(rank, rank) : scratch(rank, peer_slot(rank, from)));
    return sources;
}

// The own output first.
std::vector<ChunkRef> outputs_of_all(const std::vector<std::uint32_t>& peers, std::uint32_t rank, std::uint32_t chunk)
{
    std::vector<ChunkRef> destinations{output(rank, chunk)};
    for (std::uint32_t peer : peers) destinations.push_back(output(peer, chunk));
    return destinations;
}

}  // namespace

// Two-shot: terms to the owner of each chunk, which adds them and stores the sum to everybody.
// Steps 2; bytes sent 2(n-1)/n S.
void direct_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, n - 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::vector<std::uint32_t> others = turned_peers(n, rank, channel, options.channels);
        send_terms(program, others, rank);
        signal_all(program, schedule, rank, channel);
        wait_all(program, schedule, rank, channel);
        program.move(terms(n, rank), outputs_of_all(others, rank, rank));
        signal_all(program, schedule, rank, channel);
        wait_all(program, schedule, rank, channel);
    });
}

// The whole of every input to everybody, and the sum formed everywhere. Steps 1 (and one local one); bytes
// sent (n-1) S.
void one_shot_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, 1, n - 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        std::vector<ChunkRef> slots;
        for (std::uint32_t peer : turned_peers(n, rank, channel, options.channels))
            slots.push_back(scratch(peer, peer_slot(peer, rank)));
        program.move({input(rank, 0)}, std::move(slots));
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> sources;
        for (std::uint32_t from = 0; from < n; ++from)
            sources.push_back(from == rank ? input(rank, 0) : scratch(rank, peer_slot(rank, from)));
        program.move(std::move(sources), {output(rank, 0)});
    });
}

// Everybody loads every input, in the order of ranks: all ranks form the same sum. Steps 1; bytes sent (n-1)
// S.
void one_shot_get_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, 1, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> sources;
        for (std::uint32_t from = 0; from < n; ++from) sources.push_back(input(from, 0));
        program.move(std::move(sources), {output(rank, 0)});
    });
}

// Two-shot by loads: the owner of each chunk loads its terms, from r + 1 on, and stores the sum to everybody,
// line by line.
// Steps 1; bytes sent 2(n-1)/n S.
void two_shot_get_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        const std::vector<std::uint32_t> others = turned_peers(n, rank, channel, options.channels);
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> sources;
        for (std::uint32_t peer : others) sources.push_back(input(peer, rank));
        sources.push_back(input(rank, rank));
        program.move(std::move(sources), outputs_of_all(others, rank, rank));
        meet(program, schedule, rank, channel);
    });
}

// Steps 1; bytes sent (n-1)/n S.
void direct_all_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        program.move({input(rank, 0)}, outputs_of_all(peers(n, rank), rank, rank));
        signal_all(program, schedule, rank, channel);
        wait_all(program, schedule, rank, channel);
    });
}

// Steps 1; bytes sent (n-1)/n S.
void get_all_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        meet(program, schedule, rank, channel);
        for (std::uint32_t peer : turned_peers(n, rank, channel, options.channels))
            program.move_too({input(peer, 0)}, {output(rank, peer)});
        program.move_too({input(rank, 0)}, {output(rank, rank)});
    });
}

// Steps 1 (and one local one); bytes sent (n-1)/n S.
void direct_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, n - 1, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        send_terms(program, turned_peers(n, rank, channel, options.channels), rank);
        signal_all(program, schedule, rank, channel);
        wait_all(program, schedule, rank, channel);
        program.move(terms(n, rank), {output(rank, 0)});
    });
}

// The terms are added in the order r + 1, ..., n - 1, 0, ..., r: nobody else forms this sum. Steps 1; bytes
// sent (n-1)/n S.
void get_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        meet(program, schedule, rank, channel);
        std::vector<ChunkRef> sources;
        for (std::uint32_t peer : peers(n, rank)) sources.push_back(input(peer, rank));
        sources.push_back(input(rank, rank));
        program.move(std::move(sources), {output(rank, 0)});
    });
}

// Steps 1; bytes sent (n-1)/n S.
void direct_all_to_all(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    frame(schedule, n, 0, options.channels * (n - 1), options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        for (std::uint32_t peer : turned_peers(n, rank, channel, options.channels))
            program.move_too({input(rank, peer)}, {output(peer, rank)});
        program.move_too({input(rank, rank)}, {output(rank, rank)});
        signal_all(program, schedule, rank, channel);
        wait_all(program, schedule, rank, channel);
    });
}

// Steps 1; bytes sent (n-1) S by the root, nothing by the others.
void direct_broadcast(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t root = schedule.root;
    frame(schedule, 1, 0, options.channels, options.channels);
    for_each_program(schedule, options.channels, [&](Program& program, std::uint32_t rank, std::uint32_t channel) {
        if (rank != root) return program.wait(root, channel);
        program.move({input(root, 0)}, outputs_of_all(peers(n, root), root, 0));
        for (std::uint32_t i = 1; i < n; ++i) program.signal((root + i) % n, channel);
    });
}

}  // namespace weft::algorithms
