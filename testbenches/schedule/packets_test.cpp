// Packets: a read waits for its data and nothing else; what a verdict makes of them.
#include <gtest/gtest.h>

#include <cstring>

#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/execute.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"

namespace packets_test {

using namespace weft;

namespace {

// One-shot all-reduce of two ranks without a signal.
Schedule one_shot()
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 1);
    for (std::uint32_t r = 0; r < 2; ++r)
        steps_of(schedule, r) = {move_step({in(r, 0)}, {packet(1 - r, 0)}),
            move_step({in(r, 0), packet(r, 0)}, {out(r, 0)})};
    return schedule;
}

void expect_problem(const Schedule& schedule, const std::string& text)
{
    const Verification result = verify(schedule);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(all_problems(result).find(text), std::string::npos) << "wanted: " << text << "\n" << all_problems(result);
}

}  // namespace

TEST(Packets, NeedNoSignal)
{
    const Verification result = verify(one_shot());
    EXPECT_TRUE(result.ok) << all_problems(result);
    EXPECT_EQ(result.steps, 1u);
    EXPECT_EQ(result.signal_steps, 0u);
    EXPECT_EQ(result.executed, 4u);
}

TEST(Packets, StepsAreCountedThroughThem)
{
    // Rank 0 to 1 to 2.
    Schedule chain = empty_plan(CollectiveOp::broadcast, 3, 1);
    steps_of(chain, 0) = {move_step({in(0, 0)}, {out(0, 0), packet(1, 0)})};
    steps_of(chain, 1) = {move_step({packet(1, 0)}, {out(1, 0), packet(2, 0)})};
    steps_of(chain, 2) = {move_step({packet(2, 0)}, {out(2, 0)})};
    const Verification result = verify(chain);
    EXPECT_TRUE(result.ok) << all_problems(result);
    EXPECT_EQ(result.steps, 2u);
}

TEST(Packets, WhatNobodyStoresIsNamed)
{
    Schedule schedule = one_shot();
    steps_of(schedule, 1).erase(steps_of(schedule, 1).begin());
    expect_problem(schedule,
        "rank 0 thread 0 step 1 (move) never runs: it waits for packets in slot 0, which no rank stores");
}

TEST(Packets, ACircleOfThemIsNamed)
{
    Schedule schedule = one_shot();
    for (std::uint32_t r = 0; r < 2; ++r) std::swap(steps_of(schedule, r)[0], steps_of(schedule, r)[1]);
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (move) never runs: it waits for packets in slot 0, which rank 0 thread 0 would store "
        "in "
        "step 1");
}

TEST(Packets, AreStoredOnce)
{
    Schedule schedule = one_shot();
    steps_of(schedule, 1).push_back(move_step({in(1, 0)}, {packet(0, 0)}));
    expect_problem(schedule,
        "rank 1 thread 0 step 2 (move) stores packets to packets chunk 0 of rank 0, which holds some "
        "already");
}

// A read waits for all stores to its slot, so the second one, which comes behind it, can never run either.
TEST(Packets, ASlotThatIsStoredTwiceIsNamed)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 2);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {packet(1, 0)}), move_step({packet(0, 0)}, {out(0, 0)}),
        move_step({in(0, 1)}, {packet(1, 0)})};
    steps_of(schedule, 1) = {move_step({packet(1, 0)}, {packet(0, 0)}), move_step({packet(1, 0)}, {out(1, 1)})};
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (move) never runs: it waits for packets in slot 0, which is stored twice, by rank 0 "
        "thread 0 in step 0 and by rank 0 thread 0 in step 2; a slot can be stored once");
    // Halves of it may be stored one by one.
    Step& first = steps_of(schedule, 0)[0];
    Step& second = steps_of(schedule, 0)[2];
    first.parts = second.parts = 2;
    second.part = 1;
    expect_problem(schedule, "it waits for packets in slot 0, which rank 0 thread 0 would store in step 2");
}

TEST(Packets, AreReadByTheirOwnRank)
{
    Schedule schedule = one_shot();
    steps_of(schedule, 1)[1].sources[1].rank = 0;
    expect_problem(schedule, "reads packets of rank 0; only the units of that rank can");
}

// Their arrival says nothing of what the same thread stored before.
TEST(Packets, PublishNothingElse)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 2);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {slot(1, 0)}), move_step({in(0, 1)}, {packet(1, 0)})};
    steps_of(schedule, 1) = {move_step({packet(1, 0)}, {out(1, 1)}), move_step({slot(1, 0)}, {out(1, 0)})};
    expect_problem(schedule,
        "rank 1 thread 0 step 1 (move) reads scratch chunk 0 of rank 1, unordered with rank 0 thread 0 "
        "step 0 (move), which writes it");
}

TEST(Packets, PartsWaitForTheirOwnPart)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1, 2);
    for (std::uint32_t part : {0u, 1u}) {
        Step put = move_step({in(0, 0)}, {packet(1, 0)});
        Step take = move_step({packet(1, 0)}, {out(1, 0)});
        put.part = take.part = part;
        put.parts = take.parts = 2;
        steps_of(schedule, 0, part) = {put};
        steps_of(schedule, 1, part) = {take};
    }
    EXPECT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
    steps_of(schedule, 0, 1)[0].part = 0;
    EXPECT_FALSE(verify(schedule).ok);
}

TEST(Packets, RunOnRealBytes)
{
    const Schedule schedule = one_shot();
    const Layout layout(schedule, 8, 4);
    std::vector<RankMemory> memories = allocate_memories(layout, 2);
    for (std::uint32_t r = 0; r < 2; ++r) {
        const std::int32_t values[2] = {static_cast<std::int32_t>(10 + r), static_cast<std::int32_t>(20 + r)};
        std::memcpy(memories[r].memory[0].data(), values, 8);
    }
    execute(schedule, layout, ElementType::int32, memories);
    for (std::uint32_t r = 0; r < 2; ++r) {
        std::int32_t values[2];
        std::memcpy(values, memories[r].memory[1].data(), 8);
        EXPECT_EQ(values[0], 21);
        EXPECT_EQ(values[1], 41);
    }
}

}  // namespace packets_test
