// Small hand-made plans for tests.
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

inline ChunkRef in(std::uint32_t rank, std::uint32_t chunk, std::uint32_t count = 1)
{
    return {rank, Buffer::input, chunk, count};
}
inline ChunkRef out(std::uint32_t rank, std::uint32_t chunk, std::uint32_t count = 1)
{
    return {rank, Buffer::output, chunk, count};
}
inline ChunkRef slot(std::uint32_t rank, std::uint32_t chunk, std::uint32_t count = 1)
{
    return {rank, Buffer::scratch, chunk, count};
}

inline ChunkRef packet(std::uint32_t rank, std::uint32_t chunk, std::uint32_t count = 1)
{
    return {rank, Buffer::packets, chunk, count};
}

// `ranks` ranks with `threads` empty threads, full buffers, `extra` scratch slots and semaphores.
inline Schedule empty_plan(CollectiveOp op, std::uint32_t ranks, std::uint32_t chunks, std::uint32_t threads = 1,
    std::uint32_t extra = 4)
{
    Schedule schedule;
    schedule.name = "test";
    schedule.op = op;
    schedule.chunks = chunks;
    schedule.ranks.resize(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankPlan& plan = schedule.ranks[rank];
        plan.input_chunks = op == CollectiveOp::custom ? chunks : schedule.message_chunks(rank, Buffer::input);
        plan.output_chunks = op == CollectiveOp::custom ? chunks : schedule.message_chunks(rank, Buffer::output);
        plan.scratch_chunks = extra;
        plan.packet_chunks = extra;
        plan.semaphores = extra;
        plan.threads.resize(threads);
    }
    return schedule;
}

inline std::vector<Step>& steps_of(Schedule& schedule, std::uint32_t rank, std::uint32_t thread = 0)
{
    return schedule.ranks[rank].threads[thread].steps;
}

// All ranks tell each other that they are there, in their first thread: before its first step or behind its last one.
inline void meet(Schedule& schedule, bool at_end)
{
    const std::uint32_t ranks = schedule.size();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::vector<Step> met;
        for (std::uint32_t peer = 0; peer < ranks; ++peer)
            if (peer != rank) met.push_back(signal_step(peer, schedule.ranks[peer].semaphores - (peer < rank ? 1 : 0)));
        for (std::uint32_t peer = 0; peer < ranks; ++peer)
            if (peer != rank) met.push_back(wait_step(peer, schedule.ranks[rank].semaphores));
        ++schedule.ranks[rank].semaphores;
        std::vector<Step>& steps = steps_of(schedule, rank);
        steps.insert(at_end ? steps.end() : steps.begin(), met.begin(), met.end());
    }
}
inline void meet_before(Schedule& schedule) { meet(schedule, false); }
inline void meet_after(Schedule& schedule) { meet(schedule, true); }

inline std::string all_problems(const Verification& verification)
{
    std::string text;
    for (const std::string& problem : verification.problems) text += problem + "\n";
    return text;
}

}  // namespace weft
