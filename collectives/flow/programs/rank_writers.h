// Programs of large collectives without their schedules: the plan of one rank, written by itself. Equal ranks share it, so an
// all-reduce over 16,384 ranks is one template of some hundred operations.
//
// Known: ring, direct, hierarchical and multi_dim for all_gather, reduce_scatter and all_reduce; over a power of two also their recursive
// forms (recursive_doubling, recursive_halving, halving_doubling); direct, pairwise and ring for all_to_all.
// A test expands every one of these programs for up to 64 ranks and compares it with the schedule of the registry, rank by
// rank. program_for_all() also writes some other ranks of the size that is run, and refuses a program in which they differ.
//
// What differs from the schedule: blocks that go to one peer in one step are one move of several chunks.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/flow/programs/flow_program.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

// Whether the algorithm can be written a rank at a time for so many ranks with these options.
bool writes_by_rank(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options);

// The names of those that can, for messages: "direct, hierarchical, ring".
std::string algorithms_by_rank(CollectiveOp op);

// The plan of one rank. Each of its threads stands for `stands_for` channels. Semaphores are numbered by channel, and each peer has
// its own (FlowProgram::by_signaller).
RankPlan plan_of_rank(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options, std::uint32_t rank, std::uint32_t stands_for = 1);

// The program of all ranks. Throws InputError for algorithms that cannot be written so, and for dimensions that do not fit.
FlowProgram program_for_all(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options, std::uint32_t stands_for = 1);

// A small instance of the same algorithm for verify(): `ranks` and `options` are changed to those of one that is as deep, with
// no more than 4 ranks along a dimension and 16 in all without dimensions.
void shrink_for_proof(const std::string& algorithm, std::uint32_t& ranks, AlgorithmOptions& options);

}  // namespace weft
