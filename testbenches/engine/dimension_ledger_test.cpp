// Groups as grids, what collectives in flight have still to do, and the schedules that follow from both.
#include <algorithm>

#include <gtest/gtest.h>

#include "collectives/engine/traces/dimension_ledger.h"
#include "collectives/engine/traces/group_grid.h"
#include "collectives/engine/traces/trace_schedules.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/layout.h"

namespace dimension_ledger_test {

using namespace weft;

namespace {

using Members = std::vector<std::uint32_t>;
const std::vector<Dimension> grid{{"a", 4, "ring", 1'000'000'000}, {"b", 3, "ring", 1'000'000'000}};

std::string axes(const Members& members, const std::vector<Dimension>& dimensions = grid)
{
    const auto found = grid_of(members, dimensions);
    if (!found) return "none";
    std::string text;
    for (const GroupAxis& axis : *found) text += std::to_string(axis.dimension) + ":" + std::to_string(axis.size) + " ";
    return text;
}

TraceSchedules online()
{
    AlgorithmOptions options;
    options.dimensions = grid;
    options.scheduling.order = DimensionOrder::online_greedy;
    return {"multi_dim", options};
}

Members all()
{
    Members members;
    for (std::uint32_t rank = 0; rank < 12; ++rank) members.push_back(rank);
    return members;
}

// Bytes from rank 0 to its neighbour in a dimension.
std::uint64_t sent(const Schedule& schedule, std::uint32_t neighbour)
{
    return traffic_of(schedule, Layout(schedule, 12 * 8 * 4096, 4)).between(0, neighbour);
}

}  // namespace

TEST(GroupGrid, IsAllCombinationsOfCoordinates)
{
    EXPECT_EQ(axes(all()), "0:4 1:3 ");
    EXPECT_EQ(axes({4, 5, 6, 7}), "0:4 ");
    EXPECT_EQ(axes({1, 5, 9}), "1:3 ");
    EXPECT_EQ(axes({0, 2, 8, 10}), "0:2 1:2 ");
    EXPECT_EQ(axes({7}), "");
    EXPECT_EQ(axes({0, 1, 4}), "none");
    EXPECT_EQ(axes({0, 5}), "none");
    EXPECT_EQ(axes({1, 0}), "none");
    EXPECT_EQ(axes({0, 4, 1, 5}), "none");
    EXPECT_EQ(axes({0, 1}, {}), "none");
}

TEST(DimensionLedger, CountsWhatIsPlannedUntilItIsOver)
{
    using Times = std::vector<DimensionLedger::Time>;
    DimensionLedger ledger(2);
    const auto first = ledger.open({0, 1}, {{0, 100, 200}, {1, 200, 260}});
    const auto second = ledger.open({1, 2}, {{0, 150, 250}});
    EXPECT_EQ(ledger.outstanding({0}, 100), (Times{100, 60}));
    EXPECT_EQ(ledger.outstanding({0}, 130), (Times{70, 60}));
    EXPECT_EQ(ledger.outstanding({0}, 230), (Times{0, 30}));
    EXPECT_EQ(ledger.outstanding({0, 1, 2}, 100), (Times{200, 60}));
    EXPECT_EQ(ledger.outstanding({3}, 100), (Times{0, 0}));
    ledger.leave(first);
    EXPECT_EQ(ledger.outstanding({1}, 100), (Times{200, 60}));
    ledger.leave(first);
    EXPECT_EQ(ledger.outstanding({1}, 100), (Times{100, 0}));
    ledger.leave(second);
    ledger.leave(second);
    EXPECT_EQ(ledger.outstanding({0, 1, 2}, 100), (Times{0, 0}));
}

TEST(TraceSchedules, OnlineOrdersDependOnWhatIsInFlight)
{
    constexpr std::uint64_t bytes = 12 * 8 * 4096;
    TraceSchedules alone = online();
    const TraceSchedules::Collective one = alone.collective(CollectiveOp::all_reduce, all(), bytes, 1, 0);
    ASSERT_TRUE(one.entry);
    TraceSchedules busy = online();
    busy.collective(CollectiveOp::all_reduce, {0, 1, 2, 3}, 16 * bytes, 1, 0);  // in dimension a
    const TraceSchedules::Collective beside = busy.collective(CollectiveOp::all_reduce, all(), bytes, 1, 0);
    EXPECT_LT(sent(*beside.schedule, 1), sent(*one.schedule, 1));
    EXPECT_GT(sent(*beside.schedule, 4), sent(*one.schedule, 4));
    EXPECT_EQ(sent(*beside.schedule, 1), bytes * 2 * 3 / 4 / 3);  // all chunks go through b first
    // Of others than the members nothing counts, nor does what is over.
    TraceSchedules elsewhere = online();
    elsewhere.collective(CollectiveOp::all_reduce, {0, 1, 2, 3}, 16 * bytes, 1, 0);
    elsewhere.collective(CollectiveOp::all_reduce, {8, 9, 10, 11}, bytes, 1, 0);
    EXPECT_EQ(sent(*elsewhere.collective(CollectiveOp::all_reduce, all(), bytes, 1, 1'000'000'000'000).schedule, 1),
        sent(*one.schedule, 1));
}

TEST(TraceSchedules, AreMadeOnceForEachShape)
{
    TraceSchedules schedules = online();
    const auto first = schedules.collective(CollectiveOp::all_gather, {0, 1, 2, 3}, 4096, 1, 0);
    for (int i = 0; i < 4; ++i) schedules.leave(*first.entry);
    const auto same = schedules.collective(CollectiveOp::all_gather, {4, 5, 6, 7}, 4096, 1, 0);
    EXPECT_EQ(first.schedule, same.schedule);
    const auto column = schedules.collective(CollectiveOp::all_gather, {0, 4, 8}, 4096, 1, 0);
    EXPECT_EQ(column.schedule->size(), 3u);
    // No grid: as without dimensions, and nothing to be entered.
    const auto odd = schedules.collective(CollectiveOp::all_gather, {0, 1, 5, 9}, 4096, 1, 0);
    EXPECT_EQ(odd.schedule->size(), 4u);
    EXPECT_FALSE(odd.entry);
    EXPECT_FALSE(schedules.collective(CollectiveOp::broadcast, {0, 1, 2, 3}, 4096, 1, 0).entry);
}

}  // namespace dimension_ledger_test
