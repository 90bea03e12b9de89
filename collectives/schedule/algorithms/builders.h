// The functions that the registry calls: each fills the empty schedule of `ranks` >= 2 ranks that frame() made. The
// comment at each definition tells steps (dependent transfers) and bytes sent per rank.
#pragma once

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft::algorithms {

using Build = void (*)(Schedule& schedule, const AlgorithmOptions& options);

void ring_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void ring_all_gather(Schedule& schedule, const AlgorithmOptions& options);
void ring_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options);
void ring_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void ring_barrier(Schedule& schedule, const AlgorithmOptions& options);
void ring_gather(Schedule& schedule, const AlgorithmOptions& options);
void ring_scatter(Schedule& schedule, const AlgorithmOptions& options);
void pairwise_all_to_all(Schedule& schedule, const AlgorithmOptions& options);
void direct_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void two_shot_get_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void one_shot_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void one_shot_get_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void one_shot_staged_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void two_shot_load_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void two_shot_staged_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void get_all_gather(Schedule& schedule, const AlgorithmOptions& options);
void get_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options);
void direct_all_gather(Schedule& schedule, const AlgorithmOptions& options);
void direct_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options);
void direct_all_to_all(Schedule& schedule, const AlgorithmOptions& options);
void direct_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void direct_reduce(Schedule& schedule, const AlgorithmOptions& options);
void direct_gather(Schedule& schedule, const AlgorithmOptions& options);
void direct_scatter(Schedule& schedule, const AlgorithmOptions& options);
void direct_barrier(Schedule& schedule, const AlgorithmOptions& options);
// Makes the schedule of the algorithm that stripes_of() (phases.h) has under this name.
void by_phases(Schedule& schedule, const AlgorithmOptions& options);
void multi_dim(Schedule& schedule, const AlgorithmOptions& options);
void recursive_doubling_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void halving_doubling_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void recursive_doubling_all_gather(Schedule& schedule, const AlgorithmOptions& options);
void recursive_halving_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options);
void tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void double_tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void chain_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void tree_reduce(Schedule& schedule, const AlgorithmOptions& options);
void chain_reduce(Schedule& schedule, const AlgorithmOptions& options);
void binomial_reduce(Schedule& schedule, const AlgorithmOptions& options);
void tree_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void binomial_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void binomial_gather(Schedule& schedule, const AlgorithmOptions& options);
void binomial_scatter(Schedule& schedule, const AlgorithmOptions& options);
void scatter_all_gather_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void bruck_all_to_all(Schedule& schedule, const AlgorithmOptions& options);
void dissemination_barrier(Schedule& schedule, const AlgorithmOptions& options);
void tree_barrier(Schedule& schedule, const AlgorithmOptions& options);
void nvls_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void nvls_one_shot_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void push_reduce_all_reduce(Schedule& schedule, const AlgorithmOptions& options);
void multicast_all_gather(Schedule& schedule, const AlgorithmOptions& options);
void multicast_broadcast(Schedule& schedule, const AlgorithmOptions& options);
void load_reduce_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options);
void load_reduce_reduce(Schedule& schedule, const AlgorithmOptions& options);
void nvls_tree_all_reduce(Schedule& schedule, const AlgorithmOptions& options);

// Sets chunks, and the buffers and threads of every rank as the collective wants them.
void frame(Schedule& schedule, std::uint32_t chunks, std::uint32_t scratch_chunks, std::uint32_t semaphores,
    std::uint32_t threads);

inline ChunkRef input(std::uint32_t rank, std::uint32_t chunk) { return {rank, Buffer::input, chunk, 1}; }
inline ChunkRef output(std::uint32_t rank, std::uint32_t chunk) { return {rank, Buffer::output, chunk, 1}; }
inline ChunkRef scratch(std::uint32_t rank, std::uint32_t slot) { return {rank, Buffer::scratch, slot, 1}; }

// Where rank `from` stands among the peers of `rank`, 0 to n - 2: its scratch slot or semaphore there.
inline std::uint32_t peer_slot(std::uint32_t rank, std::uint32_t from) { return from < rank ? from : from - 1; }

// One thread being written: part `channel` of `channels` of everything it moves.
class Program {
public:
    Program(Schedule& schedule, std::uint32_t rank, std::uint32_t channel, std::uint32_t channels)
        : steps_(schedule.ranks[rank].threads[channel].steps), channel_(channel), channels_(channels)
    {
    }

    void move(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations)
    {
        steps_.push_back(move_step(std::move(sources), std::move(destinations)));
        steps_.back().part = channel_;
        steps_.back().parts = channels_;
    }
    // Need not wait for the move before it.
    void move_too(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations)
    {
        const bool follows = !steps_.empty() && is_data(steps_.back().kind);
        move(std::move(sources), std::move(destinations));
        steps_.back().with_previous = follows;
    }
    // Slots that hold what `like` holds.
    void combine_slots(std::vector<ChunkRef> slots, ChunkRef destination, ChunkRef like)
    {
        move(std::move(slots), {destination});
        steps_.back().like = like;
    }
    void signal(std::uint32_t peer, std::uint32_t semaphore) { steps_.push_back(signal_step(peer, semaphore)); }
    void wait(std::uint32_t peer, std::uint32_t semaphore) { steps_.push_back(wait_step(peer, semaphore)); }

private:
    std::vector<Step>& steps_;
    std::uint32_t channel_;
    std::uint32_t channels_;
};

// Calls write(program, rank, channel) for every thread.
template <typename Write>
void for_each_program(Schedule& schedule, std::uint32_t channels, Write&& write)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            Program program(schedule, rank, channel, channels);
            write(program, rank, channel);
        }
}

}  // namespace weft::algorithms
