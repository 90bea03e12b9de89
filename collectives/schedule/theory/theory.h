// The cost of the built-in algorithms by formulas, computed without a schedule: the other side of
// every conservation and step test.
//
// Notation: n ranks, S bytes, s(i) = size of the i-th of n nearly equal shares of S (whole elements, the
// longer ones first), so that sums are exact for any S. All registered algorithms have formulas
// (theory_*.cpp, a file per family); what steps and bytes come to in the round is in docs/algorithms.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/schedule.h"

namespace weft {

struct TheoryCase {
    CollectiveOp op = CollectiveOp::all_reduce;
    std::string algorithm;  // of algorithms/registry.cpp
    std::uint32_t ranks = 1;
    std::uint64_t bytes = 0;  // as in layout.h
    std::uint32_t element_bytes = 1;
    std::uint32_t root = 0;
    std::uint32_t pipeline = 1;  // as in AlgorithmOptions, like the rest
    std::uint32_t rings = 0;
    std::vector<std::vector<std::uint32_t>> orders = {};
    std::vector<Dimension> dimensions = {};
    ChunkScheduling scheduling = {};
};

// The case of a schedule that make_schedule() builds with these options.
TheoryCase theory_case(CollectiveOp op, const std::string& algorithm, std::uint32_t ranks, std::uint64_t bytes,
    std::uint32_t element_bytes, const AlgorithmOptions& options);

// Payload that `from` sends to `to`, and to all others. What a switch combines or copies is counted as
// Traffic does (traffic.h): between pairs as if there were no switch, the rank itself included, but sent only
// once. All throw InputError for an algorithm that has no formula here, and for options that make_schedule()
// would refuse.
std::uint64_t theory_bytes_between(const TheoryCase& theory, std::uint32_t from, std::uint32_t to);
std::uint64_t theory_bytes_sent(const TheoryCase& theory, std::uint32_t rank);
// Between all pairs: from * ranks + to. Faster than pair by pair.
std::vector<std::uint64_t> theory_bytes_pairs(const TheoryCase& theory);

// Length of the longest chain of dependent transfers (barrier: of signals).
std::uint32_t theory_steps(const TheoryCase& theory);

// steps * alpha + bytes / rate, in ps, rounded up; `bytes_per_s` must not be 0.
std::uint64_t alpha_beta_ps(std::uint32_t steps, std::uint64_t alpha_ps, std::uint64_t bytes,
    std::uint64_t bytes_per_s);

// busbw / algbw of nccl-tests: 2(n-1)/n for all_reduce; (n-1)/n for all_gather, reduce_scatter, all_to_all,
// gather and scatter; 1 otherwise.
double bus_factor(CollectiveOp op, std::uint32_t ranks);

}  // namespace weft
