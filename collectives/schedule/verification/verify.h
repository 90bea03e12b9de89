// Does a schedule do what its collective promises: found by running it symbolically.
//
// Every byte range of every buffer holds a multiset of contributions (rank, input chunk). All threads are
// run to their end; then the outputs must hold what the collective demands. On the way every
// access is checked against the order that the schedule guarantees (program order, `after`, barriers,
// signal to wait), so that a verdict holds for every timing, not for the order tried.
//
// Found and named by rank, thread, step, buffer and chunk: malformed steps, ranges out of bounds, operands
// of different length, threads that block for ever and what they wait for, packets stored twice, reads of memory that was
// never written, unordered accesses of which one writes, signals that nobody takes, wrong results, ranks that may end before
// others have written their output, reads of the input of a rank that may not have entered. Where
// Schedule::spare_signals is set (a pool of credits that is full again), unused signals are remarks.
//
// Parts: the schedule is run for one message size, byte-exact at the cuts between parts. The default
// size divides evenly, so that all parts of all chunks are equal whole lines; a plan that is wrong for
// uneven sizes only is found with that size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

struct VerifyOptions {
    std::uint64_t bytes = 0;          // size of the message (see layout.h); 0 = one that divides evenly
    std::uint32_t element_bytes = 1;  // divides `bytes`
    std::size_t most_problems = 50;   // further ones are counted, not spelled out
    // The relaxed signals of a plan were taken out of the schedule. They tell who has entered, so that is not judged. What a
    // switch stores to an output and no rank waits for is counted, and no problem.
    bool without_relaxed = false;
};

inline VerifyOptions message_of(std::uint64_t bytes, std::uint32_t element_bytes)
{
    VerifyOptions options;
    options.bytes = bytes;
    options.element_bytes = element_bytes;
    return options;
}

struct Verification {
    bool ok = false;
    bool too_large = false;  // to be followed: not ok, and the one problem says by what
    std::vector<std::string> problems;
    std::vector<std::string> remarks;  // the schedule is right all the same: semaphores that end with unused signals
    std::string late_switch_store;     // the first of those of VerifyOptions::without_relaxed
    std::uint64_t late_switch_stores = 0;  // chunks of outputs
    std::uint32_t steps = 0;               // longest chain of dependent data steps that reach another rank
    std::uint32_t signal_steps = 0;        // longest chain of dependent signals
    std::uint64_t executed = 0;            // steps of all threads that could run
};

// Problems of the schedule are reported, never thrown; a size that cannot be laid out is one of them.
Verification verify(const Schedule& schedule, const VerifyOptions& options = {});

// Throws InputError with the first problem.
void require_right(const Schedule& schedule);
void require_right(const Schedule& schedule, const Verification& verdict);  // of it

}  // namespace weft
