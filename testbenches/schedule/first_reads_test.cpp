// Which reads find data that a rank has had from the beginning, and nobody has touched.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/first_reads.h"
#include "testbenches/schedule/plans.h"

namespace first_reads_test {

using namespace weft;

namespace {

// Steps of thread 0 of rank 0 whose first source is such a read.
std::vector<std::uint32_t> firsts_of(const Schedule& schedule, std::uint32_t rank = 0, std::uint32_t thread = 0)
{
    const FirstReads reads(schedule);
    std::vector<std::uint32_t> found;
    const std::vector<Step>& steps = schedule.ranks[rank].threads[thread].steps;
    for (std::uint32_t s = 0; s < steps.size(); ++s)
        if (!steps[s].sources.empty() && reads.is_first(rank, thread, s, 0)) found.push_back(s);
    return found;
}
using Steps = std::vector<std::uint32_t>;

Schedule of_rank_0(std::vector<Step> steps, CollectiveOp op = CollectiveOp::custom, bool in_place = false)
{
    Schedule out = empty_plan(op, 2, 4, 2);
    out.in_place = in_place;
    out.ranks[0].threads[0].steps = std::move(steps);
    return out;
}

}  // namespace

TEST(FirstReads, InputIsNewOnceOutputAndScratchNever)
{
    EXPECT_EQ(firsts_of(of_rank_0({move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 0)}, {out(1, 1)}),
                  move_step({in(0, 1)}, {slot(0, 0)}), move_step({slot(0, 0)}, {out(0, 2)}),
                  move_step({out(0, 2)}, {out(1, 2)})})),
        (Steps{0, 2}));
}

TEST(FirstReads, WhatAStepHasWrittenIsNotNew)
{
    EXPECT_EQ(firsts_of(of_rank_0({move_step({in(0, 0), in(0, 1)}, {in(0, 0)}), move_step({in(0, 0)}, {out(1, 0)}),
                  move_step({in(0, 2)}, {in(0, 3)}), move_step({in(0, 3)}, {out(1, 3)})})),
        (Steps{0, 2}));
}

// All-gather in place: the input of rank r is chunks 2 r and 2 r + 1 of the output.
TEST(FirstReads, InPlaceTheInputIsNewInTheOutput)
{
    std::vector<Step> steps{move_step({out(0, 0)}, {out(1, 0)}), move_step({in(0, 0)}, {out(1, 0)}),
        move_step({in(0, 1)}, {out(1, 1)}), move_step({out(0, 1)}, {out(1, 1)})};
    EXPECT_EQ(firsts_of(of_rank_0(steps, CollectiveOp::all_gather, true)), (Steps{0, 2}));
    steps = {move_step({in(0, 0)}, {out(0, 0)}), move_step({out(0, 0)}, {out(1, 0)})};
    EXPECT_EQ(firsts_of(of_rank_0(steps, CollectiveOp::all_gather, false)), (Steps{0}));
    // A rank whose plan names its output only has its input there all the same.
    Schedule schedule = of_rank_0({move_step({out(0, 0)}, {out(1, 0)})}, CollectiveOp::all_gather, true);
    schedule.ranks[0].input_chunks = 0;
    EXPECT_EQ(firsts_of(schedule), (Steps{0}));
}

// They run side by side: the second may read before the first has.
TEST(FirstReads, ReadsThatNoOrderTiesMayEachBeTheFirst)
{
    std::vector<Step> run{move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 0)}, {out(1, 1)}),
        move_step({in(0, 0)}, {out(1, 2)})};
    run[1].with_previous = true;
    Schedule schedule = of_rank_0(run);
    EXPECT_EQ(firsts_of(schedule), (Steps{0, 1}));
    schedule.ranks[0].threads[1].steps = {move_step({in(0, 0)}, {out(1, 3)})};
    EXPECT_EQ(firsts_of(schedule, 0, 1), (Steps{0}));
    schedule.ranks[0].threads[1].steps[0].after = {{0, 2}};
    EXPECT_EQ(firsts_of(schedule, 0, 1), (Steps{}));
}

// In a run a thread asks again for what is under way: so many steps behind the first one that asked.
TEST(FirstReads, ReadsOfARunKnowWhichOneAskedFirst)
{
    std::vector<Step> run{move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 1)}, {out(1, 1)}),
        move_step({in(0, 0)}, {out(1, 2)}), move_step({in(0, 0, 2)}, {out(1, 2, 2)}),
        move_step({in(0, 1, 2)}, {out(1, 0, 2)}), move_step({in(0, 0)}, {out(1, 3)})};
    for (std::size_t s = 1; s + 1 < run.size(); ++s) run[s].with_previous = true;
    Schedule schedule = of_rank_0(run);
    schedule.ranks[0].threads[1].steps = {move_step({in(0, 0)}, {out(1, 3)})};
    const FirstReads reads(schedule);
    const auto behind = [&](std::uint32_t step) { return reads.steps_behind(0, 0, step, 0); };
    EXPECT_EQ(firsts_of(schedule), (Steps{0, 1, 2, 3, 4}));
    EXPECT_EQ(behind(0), 0U);
    EXPECT_EQ(behind(1), 0U);
    EXPECT_EQ(behind(2), 2U);
    EXPECT_EQ(behind(3), 2U);                       // chunk 0 since step 0, chunk 1 since step 1
    EXPECT_EQ(behind(4), 0U);                       // chunk 2 is new
    EXPECT_EQ(behind(5), 0U);                       // behind the run
    EXPECT_EQ(reads.steps_behind(0, 1, 0, 0), 0U);  // what another thread asks for it does not know of
}

TEST(FirstReads, SignalsOrderReadsOfOtherRanks)
{
    Schedule schedule = of_rank_0({move_step({in(0, 0)}, {out(0, 0)}), signal_step(1, 0)});
    schedule.ranks[1].threads[0].steps = {move_step({in(0, 1)}, {out(1, 1)}), wait_step(0, 0),
        move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 2)}, {out(1, 2)})};
    EXPECT_EQ(firsts_of(schedule, 1), (Steps{0, 3}));
    schedule.ranks[1].threads[0].steps.erase(schedule.ranks[1].threads[0].steps.begin() + 1);
    schedule.ranks[0].threads[0].steps.pop_back();
    EXPECT_EQ(firsts_of(schedule, 1), (Steps{0, 1, 2}));
}

TEST(FirstReads, PartsOfAChunkAreNewOneByOne)
{
    std::vector<Step> steps(3, move_step({in(0, 0)}, {out(1, 0)}));
    steps[0].parts = steps[1].parts = 2;
    steps[1].part = 1;
    EXPECT_EQ(firsts_of(of_rank_0(steps)), (Steps{0, 1}));
    steps.push_back(steps[2]);
    steps.erase(steps.begin());
    EXPECT_EQ(firsts_of(of_rank_0(steps)), (Steps{0, 1}));
}

TEST(FirstReads, OfAScheduleThatHoldsOneOfItsChannelsAllAreAlike)
{
    AlgorithmOptions options;
    options.channels = 3;
    const Schedule held = make_held_schedule("ring", CollectiveOp::all_reduce, 4, options);
    ASSERT_EQ(held.channels, 3U);
    const FirstReads reads(held);
    const FirstReads all(make_schedule("ring", CollectiveOp::all_reduce, 4, options));
    const std::vector<Step>& steps = held.ranks[1].threads[0].steps;
    std::uint32_t first = 0;
    for (std::uint32_t thread = 0; thread < 3; ++thread)
        for (std::uint32_t s = 0; s < steps.size(); ++s)
            for (std::uint32_t source = 0; source < steps[s].sources.size(); ++source) {
                EXPECT_EQ(reads.is_first(1, thread, s, source), all.is_first(1, thread, s, source));
                first += reads.is_first(1, thread, s, source) ? 1 : 0;
            }
    EXPECT_EQ(first, 3 * 4U);  // each chunk once in each channel
}

}  // namespace first_reads_test
