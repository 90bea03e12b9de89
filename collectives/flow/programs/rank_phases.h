// The steps of one rank of a collective, without places in memory: what rank_writers.h is written with.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule/algorithms/phases.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// One thread: part `channel` of `channels` of everything it moves.
class ThreadWriter {
public:
    // Its signals and waits have the semaphore `semaphore`.
    ThreadWriter(Thread& thread, std::uint32_t rank, std::uint32_t channel, std::uint32_t channels,
        std::uint32_t semaphore)
        : steps_(thread.steps), rank_(rank), channel_(channel), channels_(channels), semaphore_(semaphore)
    {
    }

    // Reduces `terms` operands of the own rank (received ones, and the own input if `with_input`) and stores the result at these
    // ranks. Addresses are left out: a program only needs to know whether the thread itself wrote or read the place before.
    // Each of the `count` chunks is counted as a separate move.
    void move(std::uint32_t terms, bool with_input, const std::vector<std::uint32_t>& to, std::uint32_t count = 1,
        Buffer where = Buffer::output)
    {
        std::vector<ChunkRef> sources;
        if (with_input) sources.push_back({rank_, Buffer::input, 0, count});
        while (sources.size() < terms) sources.push_back({rank_, Buffer::scratch, 0, count});
        put(std::move(sources), to, count, where);
    }
    // Sends `count` chunks of the own output to these ranks.
    void forward(const std::vector<std::uint32_t>& to, std::uint32_t count = 1)
    {
        put({{rank_, Buffer::output, 0, count}}, to, count, Buffer::output);
    }
    // The move before this one need not be waited for.
    void with_previous() { steps_.back().with_previous = steps_.size() > 1 && is_data(steps_[steps_.size() - 2].kind); }
    void signal(std::uint32_t peer) { steps_.push_back(signal_step(peer, semaphore_)); }
    void wait(std::uint32_t peer) { steps_.push_back(wait_step(peer, semaphore_)); }
    // How many steps are written; the step `step` waits for one of another thread of the rank.
    std::uint32_t steps() const { return static_cast<std::uint32_t>(steps_.size()); }
    void depend(std::uint32_t step, StepId on) { steps_[step].after.push_back(on); }
    // Every other rank is told, and heard of.
    void meet(std::uint32_t ranks)
    {
        for (std::uint32_t i = 1; i < ranks; ++i) signal((rank_ + i) % ranks);
        for (std::uint32_t i = 1; i < ranks; ++i) wait((rank_ + ranks - i) % ranks);
    }

private:
    void put(std::vector<ChunkRef> sources, const std::vector<std::uint32_t>& to, std::uint32_t count, Buffer where)
    {
        std::vector<ChunkRef> destinations;
        for (const std::uint32_t rank : to) destinations.push_back({rank, where, rank == rank_ ? 1U : 0U, count});
        steps_.push_back(move_step(std::move(sources), std::move(destinations)));
        steps_.back().stands_for = count;
        steps_.back().part = channel_;
        steps_.back().parts = channels_;
    }

    std::vector<Step>& steps_;
    std::uint32_t rank_;
    std::uint32_t channel_;
    std::uint32_t channels_;
    std::uint32_t semaphore_;
};

// The phases of phase_writer.h: sums are collected along dimension after dimension and distributed backwards.
class PhasesOfRank {
public:
    // `strides`: the difference in rank of two neighbours along each axis.
    PhasesOfRank(std::vector<algorithms::Axis> axes, std::vector<std::uint32_t> strides, std::uint32_t rank);

    // All axes, one after the other.
    void write(ThreadWriter& writer, CollectiveOp op);
    // Sums along an axis: from the first on, each once.
    void collect(ThreadWriter& writer, std::uint32_t axis);
    // reduce_scatter, after the last of these: the sum into the own output.
    void keep(ThreadWriter& writer) const { writer.move(terms_, true, {rank_}); }
    // Results along an axis: from the last on, each once. The first move forms the own result.
    void distribute(ThreadWriter& writer, std::uint32_t axis);

private:
    struct Group {  // what goes to one peer in a step
        std::uint32_t hop = 0;
        std::vector<std::uint32_t> offsets;
    };

    std::uint32_t peer(std::uint32_t a, std::uint32_t by) const;
    std::uint32_t blocks(std::uint32_t a) const;
    std::vector<Group> groups_of(std::uint32_t a, std::uint32_t step) const;

    std::vector<algorithms::Axis> axes_;
    std::vector<std::uint32_t> strides_;
    std::uint32_t rank_;
    std::uint32_t terms_ = 1;  // of the sums that are left to this rank
    bool formed_ = false;      // the own result is in the output
};

}  // namespace weft
