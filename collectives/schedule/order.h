// One legal order of all steps of a schedule: the order in which an executor without a clock could run
// them. Every analysis of a schedule (symbolic values, races, critical path, real bytes) is a loop
// over it. What the order leaves out is blocked for ever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

struct StepAt {
    std::uint32_t rank = 0;
    std::uint32_t thread = 0;
    std::uint32_t step = 0;
};

const Step& step_at(const Schedule& schedule, StepAt at);
std::string describe(const Schedule& schedule, StepAt at);  // "rank 1 thread 0 step 3 (wait)"

// Threads of all ranks, and the semaphores and barriers that steps really name, numbered from 0.
class Numbering {
public:
    explicit Numbering(const Schedule& schedule);

    std::uint32_t threads() const { return first_thread_.back(); }
    std::uint32_t thread(std::uint32_t rank, std::uint32_t thread) const { return first_thread_[rank] + thread; }
    StepAt owner(std::uint32_t thread) const;  // rank and thread of a number, step 0
    std::uint32_t semaphores() const { return static_cast<std::uint32_t>(semaphores_.size()); }
    std::uint32_t semaphore(std::uint32_t rank, std::uint32_t index) const;
    std::uint32_t barriers() const { return static_cast<std::uint32_t>(barriers_.size()); }
    std::uint32_t barrier(std::uint32_t rank, std::uint32_t index) const;

private:
    std::vector<std::uint32_t> first_thread_;  // by rank, and one past the last
    std::vector<std::uint64_t> semaphores_;    // rank << 32 | index, sorted
    std::vector<std::uint64_t> barriers_;
};

struct Blocked {
    StepAt at;
    std::string waits_for;
};

struct Order {
    // The participants of one barrier stand next to each other, those of one push_reduce too, in the order of its
    // destinations.
    std::vector<StepAt> steps;
    // Every thread that cannot finish, by rank and thread; empty when the schedule runs to its end.
    std::vector<Blocked> blocked;
};

// The schedule must be well formed (structure.h). A read of packets comes behind every store to the slot that is cut
// alike (part and parts, one chunk), or behind every store to it where they are cut differently.
Order legal_order(const Schedule& schedule, const Numbering& numbering);

}  // namespace weft
