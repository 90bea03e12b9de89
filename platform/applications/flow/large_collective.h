// One collective at flow fidelity, written a rank at a time (rank_writers.h), for systems whose schedules are too large to be held.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/collective_driver.h"
#include "collectives/engine/flow/flow_executor.h"

namespace weft {

// As many of the request's channels as keep the play of a schedule short, that is `one` in one channel: each stands for several.
std::uint32_t played_channels(const CollectiveRequest& request, const Schedule& one);
// The schedule of an algorithm in so many, `played`.
Schedule played_schedule(const CollectiveRequest& request, const std::string& algorithm, std::uint32_t& played);

// Whether so few lines go in each move that it matters which thread has which (FlowExecutor::small()), and the schedule, which says so, is no
// larger than can be played.
bool needs_layout(const CollectiveRequest& request);

class LargeCollective {
public:
    LargeCollective(FlowExecutor& executor, const CollectiveRequest& request);

    const FlowProgram& program() const { return *program_; }
    // Whether rank i runs at endpoint i and all enter at once.
    bool plain() const;
    // Rank 0 is run for all.
    void run_one_for_all() { one_for_all_ = true; }
    bool one_for_all() const { return one_for_all_; }
    std::uint32_t played() const { return played_; }
    // Signals of so many moves would take longer to simulate than the data: they have their latency, and take no wire.
    bool short_signals() const { return short_signals_; }
    // That this matters; empty: it does not.
    std::string notice() const;
    // Ranks of the instance that was verified.
    std::uint32_t proof_ranks() const { return proof_ranks_; }
    void start();
    bool finished() const { return left_ == 0; }
    const std::vector<Picoseconds>& finish_times() const { return finish_; }

private:
    void enter(Executor::JobId job, std::uint32_t rank);

    FlowExecutor& executor_;
    CollectiveRequest request_;
    std::shared_ptr<const FlowProgram> program_;
    std::uint32_t played_ = 1;
    bool short_signals_ = false;
    std::uint32_t proof_ranks_ = 0;
    bool one_for_all_ = false;
    std::size_t left_ = 1;
    std::vector<Picoseconds> finish_;
};

}  // namespace weft
