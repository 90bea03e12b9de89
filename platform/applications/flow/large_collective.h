// One collective at flow fidelity, written a rank at a time (rank_writers.h), for systems whose schedules are too large to be held.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/engine/collective_driver.h"
#include "collectives/engine/flow/flow_executor.h"

namespace weft {

// As many of the channels as keep the play short, each for several.
std::uint32_t played_channels(std::uint32_t channels, std::uint64_t moves_of_one);

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
    std::uint32_t proof_ranks_ = 0;
    bool one_for_all_ = false;
    std::size_t left_ = 1;
    std::vector<Picoseconds> finish_;
};

}  // namespace weft
