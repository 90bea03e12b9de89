// Which stores to parts of lines wait for memory, and which reads find their lines: those that nobody has touched before, and others.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/shared_lines.h"
#include "testbenches/schedule/plans.h"

namespace shared_lines_test {

using namespace weft;

namespace {

using Steps = std::vector<std::uint32_t>;

// Steps of thread 0 of rank 0 that wait for memory at rank `at`. A message of 4 chunks.
Steps waiting(const Schedule& schedule, std::uint64_t bytes, std::uint32_t at = 1)
{
    const SharedLines stores(schedule, bytes, 1);
    Steps found;
    for (std::uint32_t s = 0; s < schedule.ranks[0].threads[0].steps.size(); ++s)
        if (stores.fetches(0, 0, s, at)) found.push_back(s);
    return found;
}

Schedule of_rank_0(std::vector<Step> steps)
{
    Schedule out = empty_plan(CollectiveOp::custom, 2, 4, 2);
    out.ranks[0].threads[0].steps = std::move(steps);
    return out;
}

}  // namespace

TEST(SharedLines, WholeLinesWaitForNothing)
{
    const Schedule schedule = of_rank_0({move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 3)}, {out(1, 3)})});
    EXPECT_TRUE(SharedLines(schedule, 4 * 64, 1).none());
    EXPECT_TRUE(SharedLines(schedule, 4 * 640, 1).none());
    EXPECT_EQ(waiting(schedule, 4 * 60), (Steps{0, 1}));
    EXPECT_EQ(waiting(schedule, 4 * 700), (Steps{0, 1}));
    EXPECT_EQ(waiting(schedule, 4 * 700, 0), Steps());
}

TEST(SharedLines, TheFirstAccessBringsTheLine)
{
    // Chunks of 96 B: the first two share a line, as the last two do.
    constexpr std::uint64_t bytes = 4 * 96;
    EXPECT_EQ(waiting(of_rank_0({move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 1)}, {out(1, 1)})}), bytes),
        (Steps{0}));
    EXPECT_EQ(waiting(of_rank_0({move_step({in(0, 1)}, {out(1, 1)}), move_step({in(0, 0)}, {out(1, 0)}),
                          move_step({in(0, 2)}, {out(1, 2)})}),
                  bytes),
        (Steps{0, 2}));
    // A slot begins at a line, and its end is its own.
    EXPECT_EQ(waiting(of_rank_0({move_step({in(0, 0)}, {slot(1, 0)}), move_step({in(0, 1)}, {slot(1, 1)}),
                          move_step({in(0, 0)}, {slot(1, 1)})}),
                  bytes),
        (Steps{0, 1}));
}

TEST(SharedLines, ALoadBringsItToo)
{
    const Step load = move_step({out(1, 0)}, {out(0, 0)});
    EXPECT_EQ(waiting(of_rank_0({load, move_step({in(0, 0)}, {out(1, 0)})}), 4 * 60), Steps());
    EXPECT_EQ(waiting(of_rank_0({load, move_step({in(0, 0)}, {out(1, 0)})}), 4 * 60, 0), (Steps{0}));
    // Also that of the step itself.
    EXPECT_EQ(waiting(of_rank_0({move_step({out(0, 0), in(0, 0)}, {out(0, 0)})}), 4 * 60, 0), Steps());
}

// Rank 1 copies its own chunk at the beginning, when the store of rank 0 is still on its way.
TEST(SharedLines, WhatComesEarlierByAStepBetweenRanksIsThere)
{
    Schedule schedule = of_rank_0({move_step({in(0, 0)}, {out(1, 0)})});
    schedule.ranks[1].threads[0].steps = {move_step({in(1, 1)}, {out(1, 1)})};
    EXPECT_EQ(waiting(schedule, 4 * 96), Steps());
    // Its store to rank 0 and that of rank 0 there touch different ends of the chunks.
    schedule.ranks[1].threads[0].steps = {move_step({in(1, 2)}, {out(1, 2)})};
    EXPECT_EQ(waiting(schedule, 4 * 96), (Steps{0}));
}

// Reads of chunks that share their lines, from rank 0 of its own memory and of that of rank 1.
TEST(SharedLines, ReadsFindWhatLiesBesideThem)
{
    const auto finding = [](std::uint64_t bytes, const std::vector<Step>& steps, std::uint32_t at) {
        const Schedule schedule = of_rank_0(steps);
        const SharedLines lines(schedule, bytes, 1);
        Steps found;
        for (std::uint32_t s = 0; s < steps.size(); ++s)
            if (lines.finds(0, 0, s, at)) found.push_back(s);
        return found;
    };
    const std::vector<Step> own{move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 1)}, {out(1, 1)}),
        move_step({in(0, 3)}, {out(1, 3)})};
    EXPECT_EQ(finding(4 * 16, own, 0), (Steps{1, 2}));
    EXPECT_EQ(finding(4 * 32, own, 0), (Steps{1}));
    EXPECT_EQ(finding(4 * 96, own, 0), Steps());  // each has a line of its own as well
    EXPECT_EQ(finding(4 * 64, own, 0), Steps());
    const std::vector<Step> far{move_step({in(1, 0)}, {out(0, 0)}), move_step({in(1, 1)}, {out(0, 1)})};
    EXPECT_EQ(finding(4 * 16, far, 1), (Steps{1}));
    EXPECT_EQ(finding(4 * 16, far, 0), Steps());
}

TEST(SharedLines, BuffersInACacheHaveTheirLines)
{
    const Schedule schedule = of_rank_0({move_step({in(0, 0)}, {out(1, 0)}), move_step({in(0, 1)}, {slot(1, 1)})});
    const SharedLines stores(schedule, 4 * 60, 1);
    SharedLines::Buffers cached(2);
    cached[1][static_cast<unsigned>(Buffer::output)] = true;
    const SharedLines left = stores.without(cached);
    EXPECT_TRUE(stores.fetches(0, 0, 0, 1));
    EXPECT_FALSE(left.fetches(0, 0, 0, 1));
    EXPECT_TRUE(left.fetches(0, 0, 1, 1));
    cached[1][static_cast<unsigned>(Buffer::scratch)] = true;
    EXPECT_FALSE(stores.without(cached).fetches(0, 0, 1, 1));
}

// A schedule that holds one of its channels: the ends of chunks are those of all of them.
TEST(SharedLines, ChannelsAreAlike)
{
    AlgorithmOptions options;
    options.channels = 4;
    const Schedule schedule = make_held_schedule("ring", CollectiveOp::all_gather, 4, options);
    const SharedLines stores(schedule, 4 * 1000, 4);
    ASSERT_EQ(schedule.channels, 4U);
    EXPECT_FALSE(stores.none());
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        for (std::uint32_t at = 0; at < 4; ++at)
            for (std::uint32_t step = 0; step < 10; ++step)
                for (std::uint32_t thread = 1; thread < 4; ++thread)
                    EXPECT_EQ(stores.fetches(rank, thread, step, at), stores.fetches(rank, 0, step, at));
}

}  // namespace shared_lines_test
