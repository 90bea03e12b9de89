// Runs one named collective over a set of endpoints, all ranks entering at the same time unless some are late.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/executor.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

struct CollectiveRequest {
    CollectiveOp op = CollectiveOp::all_reduce;
    std::string algorithm;  // empty: the first that the operation knows
    std::uint64_t bytes = 0;
    ElementType type = ElementType::fp32;
    AlgorithmOptions options;
    std::vector<std::uint32_t> members;  // endpoints in rank order
    std::uint32_t repeat = 1;            // one after another
    // The schedule to execute; absent: the one that `algorithm` makes.
    std::shared_ptr<const Schedule> schedule;
    std::vector<Picoseconds> delays;  // by rank: so much later it enters; empty: all at once
};

class CollectiveDriver {
public:
    // Builds and verifies the schedule; throws InputError when it cannot be made or is wrong. One of an algorithm that is too
    // large to be followed is verified among fewer ranks, which notices() says.
    CollectiveDriver(Executor& executor, CollectiveRequest request);

    void start();
    bool finished() const { return rounds_left_ == 0; }
    const Schedule& schedule() const { return *schedule_; }
    const std::vector<std::string>& notices() const { return notices_; }
    // When each rank left the last round, in rank order; 0 for ranks that have not.
    const std::vector<Picoseconds>& finish_times() const { return finish_; }

private:
    void verify_schedule();
    void next_round();
    void enter(Executor::JobId job, std::uint32_t rank);

    Executor& executor_;
    CollectiveRequest request_;
    std::shared_ptr<const Schedule> schedule_;
    std::vector<std::string> notices_;
    std::uint32_t rounds_left_;
    std::uint32_t running_ = 0;
    std::vector<Picoseconds> finish_;
};

}  // namespace weft
