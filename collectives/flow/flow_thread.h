// A thread of a collective while a FlowCore carries it out.
#pragma once

#include <cstdint>

#include "collectives/flow/programs/flow_program.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

// In the order in which they are needed: an event reads one or two host cache lines of it.
template <class Job>
struct alignas(64) FlowThread {
    using Ps = std::uint64_t;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    Job* job = nullptr;
    const FlowTemplate* program = nullptr;
    const CostRank* cost = nullptr;
    Ps time = 0;
    std::uint32_t rank = 0;            // position in the job
    std::uint32_t endpoint = 0;        // of the rank
    std::uint32_t next = 0;            // operation
    std::uint32_t in_flight = 0;       // transfers whose end is not known yet
    std::uint32_t loading = 0;         // moves whose loads are not back
    std::uint32_t unpublished = none;  // dependency that is told when all is acknowledged
    bool blocked = false;              // for in_flight and loading,
    bool for_loads = false;            // or for loading alone
    bool needs_set = false;            // for registers that a load holds
    bool slept = false;                // for one of the waits that are looked at together
    bool ended = false;
    bool queued = false;            // for a place
    bool in_row = false;            // of waits for several flags
    bool in_phase = false;          // the polls of its waits have known times
    bool fenced = false;            // the fence before the next operation is done
    Ps settled = 0;                 // all stores so far are acknowledged
    Ps looked = 0;                  // the look at the waits that are looked at together is over
    Ps loaded = 0;                  // everything that loads have brought so far was there
    Ps acknowledged = 0;            // all signals so far
    std::uint32_t waits_left = 0;   // of those that are looked at together
    std::uint32_t wait_for = none;  // peer and semaphore of the last wait, and of the last signal
    std::uint32_t wait_number = none;
    std::uint32_t wait_semaphore = none;
    std::uint32_t signal_to = none;
    std::uint32_t signal_number = none;
    std::uint32_t signal_semaphore = none;
    std::uint32_t signal_path = none;
    std::uint32_t signal_rank = none;
    // The cost of the last operation, and what it went to.
    std::uint32_t shape = none;
    std::uint32_t path = none;  // to the only destination
    std::uint32_t lone = none;  // of lone_stores_, where that path is one link of its own
    std::uint32_t lone_group = none;
    Ps load_ps = 0;
    Ps issue_ps = 0;
    Ps turn_ps = 0;
    Ps own_there = 0;              // what it has last loaded from its memory, that nobody had read, is there
    std::uint32_t packets = none;  // state of a thread that handles packets
    std::uint32_t outside = 0;     // signals to ranks outside that are not acknowledged
    std::uint32_t oldest = none;   // of its moves that load, and the newest
    std::uint32_t newest = none;
    std::uint32_t rest = none;    // pieces of its last move that wait for registers
    std::uint32_t engine = none;  // that copies for it, among those of its rank
    double sets = 0;              // of registers, that loads hold
    double places = 0;            // as in Transfer, of its stores
};

}  // namespace weft
