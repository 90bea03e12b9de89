// Transactions of a run have room for data where somebody works on those, and nobody asks for data where they have none.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/platform/switch_board.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace room_for_data_test {

using namespace weft;
using namespace weft::testing;

// After a run of the schedule: "roomy" or "bare", and how many of its transactions have data all the same.
std::string after(const Schedule& schedule, bool data_on, const std::string& set = "")
{
    return in_timed_child(
        [&] {
            RunSetup setup;
            setup.document = example("dgx_h100");
            setup.lines = "profile: h100\n";
            SwitchBoard board(set.empty() ? setup : setup.with(set), data_on, schedule.size());
            const Executor::JobId job = board.open(schedule, 256 << 10, ElementType::fp32);
            board.enter_all(job);
            board.run();
            EXPECT_GT(board.time_of(job), 0U);
            LinePool& pool = board.system.pool();
            EXPECT_EQ(pool.live(), 0U);
            EXPECT_GT(pool.capacity(), 0U);
            unsigned with_data = 0;
            for (std::uint64_t left = pool.capacity(); left > 0; --left)
                if (pool.take().data_if_any() != nullptr) ++with_data;
            return pool.roomy() ? "roomy" : "bare, " + std::to_string(with_data);
        },
        100);
}

TEST(RoomForData, ARunWithoutDataHasNoneAndAsksForNone)
{
    for (const std::string algorithm : {"one_shot", "direct", "ring"}) {
        if (!weft::test::thorough() && algorithm == "direct") continue;
        SCOPED_TRACE(algorithm);
        const Schedule schedule = make_schedule(algorithm, CollectiveOp::all_reduce, 8);
        EXPECT_EQ(after(schedule, false), "bare, 0");
        EXPECT_EQ(after(schedule, true), "roomy");
    }
    const Schedule ring = make_schedule("ring", CollectiveOp::all_reduce, 8);
    EXPECT_EQ(after(ring, false, "engine.grain=512"), "bare, 0");
}

TEST(RoomForData, SwitchesThatCombineDataHaveIt)
{
    for (const bool data_on : {false, true}) {
        EXPECT_EQ(after(reduce_multicast_all_reduce(8, 2), data_on), "roomy");
        EXPECT_EQ(after(push_all_reduce(8, 2), data_on), "roomy");
    }
}

}  // namespace room_for_data_test
