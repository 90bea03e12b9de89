// Chooses how a collective is carried out on a cost graph: every candidate becomes a schedule, is priced (estimate.h), and the
// cheapest is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"
#include "collectives/synthesis/estimate.h"
#include "collectives/synthesis/estimate_terms.h"

namespace weft {

// Why a schedule cannot be used, and what could be changed; nothing of both: it can.
struct Refusal {
    std::string why;
    std::string expected;
};

// How far a choice is.
struct PricingState {
    std::string algorithm;  // that is priced
    std::size_t done = 0;   // algorithms before it; all of them: what the first ones consist of is found out
    std::size_t all = 0;
};

struct ChoiceRequest {
    CollectiveOp op = CollectiveOp::all_reduce;
    std::uint64_t bytes = 0;  // of the message (layout.h)
    AlgorithmOptions options;
    // How every schedule is carried out, and so priced: in packets or in slices.
    Protocol protocol = Protocol::simple;
    std::uint32_t slices = 1;  // of simple
    bool fenced = false;       // of packets: a fence before every step that stores some
    // Synthesis: chunks of each rank's share that are tried; seeds that decide between equals.
    std::vector<std::uint32_t> chunks{1, 2, 4};
    std::uint32_t seeds = 4;
    // Candidates, the cheapest first, whose estimate is taken apart.
    std::uint32_t explained = 3;
    // Told before each algorithm, and again and again while a long price is made.
    std::function<void(const PricingState&)> watch{};
    // In how many channels, which stand for all, an algorithm is handed out that is `one` in one channel; not given: in all.
    std::function<std::uint32_t(const Schedule& one)> written{};
    // Asked of the cheapest, then of the next, until one can be used.
    std::function<Refusal(const Schedule&)> refusal{};
};

struct Candidate {
    std::string name;  // "ring", "ring along the graph", "synthesized in 2 chunks, 8 parts"
    Estimate estimate;
    std::string why;                    // its steps and its busiest link
    std::vector<EstimateTerm> terms{};  // that add up to the estimate; empty: not asked for
};

// A candidate cheaper than the one taken, which cannot be used.
struct PassedOver {
    std::string name;
    std::uint64_t time_ps = 0;  // its estimate
    std::string why;            // its refusal
};

struct ScheduleChoice {
    Schedule schedule;
    std::uint32_t channels = 1;         // of those asked for, that it is written in
    std::vector<Candidate> candidates;  // that have a price, the cheapest first; the one taken is at the front
    // Names of algorithms that need a switch where none helps, options not given, or another protocol.
    std::vector<std::string> without_price;
    std::vector<PassedOver> passed_over;  // the cheapest first
};

// The cheapest of the built-in algorithms, rings also along the graph. Throws InputError for a collective without one.
ScheduleChoice choose_algorithm(const CostGraph& graph, const ChoiceRequest& request);

// The cheapest of synthesized schedules, built-in rings (in rank order and along the graph) and the direct algorithm; another than
// a ring only where it is cheaper by more than estimates are wrong among alike schedules (`trusted_gain`). For collectives
// that cannot be synthesized, of all built-in ones.
ScheduleChoice choose_synthesized(const CostGraph& graph, const ChoiceRequest& request);

constexpr double trusted_gain = 0.03;

}  // namespace weft
