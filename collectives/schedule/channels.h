// Channels of a schedule: threads of a rank that do the same, each its part of every step, with semaphores of its own.
//
// In a large system the channels of a schedule are most of its memory. Where they differ in nothing else a schedule holds
// one of them, and says how many there are (Schedule::channels); those who want the threads of a rank one by one get them
// from here, a rank at a time. A test compares them with the schedules of all channels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace weft {

// The plan of a rank with `channels` threads in place of each of its threads: channel c of thread t is thread t x channels + c,
// does part c of all data steps, and semaphore s of it is s x channels + c.
RankPlan with_channels(RankPlan plan, std::uint32_t channels);

// The plan of a rank of any schedule, with all threads.
RankPlan whole_plan(const Schedule& schedule, std::uint32_t rank);

// The same schedule with all threads.
Schedule whole(const Schedule& schedule);

// Bytes of the steps that it holds, with their operands.
std::size_t memory_bytes(const Schedule& schedule);

}  // namespace weft
