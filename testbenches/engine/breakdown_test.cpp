// How a rank spends its time, worked out by hand.
#include <numeric>

#include <gtest/gtest.h>

#include "collectives/engine/breakdown.h"

namespace breakdown_test {

using namespace weft;

namespace {

std::uint64_t at(const Breakdown::Times& times, Activity activity) { return times[static_cast<unsigned>(activity)]; }

}  // namespace

TEST(Breakdown, EveryMomentBelongsToTheFirstActivityThatApplies)
{
    // compute        [10, 40)
    // communication       [30, 60)
    // memory                   [50, 70)
    // cpu                           [65, 80)
    // waiting   [5, 30) ...                [75, 95)
    Breakdown rank;
    rank.begin(Doing::waiting, 5);
    rank.begin(Doing::compute, 10);
    rank.end(Doing::waiting, 30);
    rank.begin(Doing::communication, 30);
    EXPECT_EQ(rank.activity(), Activity::overlap);
    rank.end(Doing::compute, 40);
    rank.begin(Doing::memory, 50);
    rank.end(Doing::communication, 60);
    rank.begin(Doing::cpu, 65);
    rank.end(Doing::memory, 70);
    rank.begin(Doing::waiting, 75);
    rank.end(Doing::cpu, 80);
    rank.end(Doing::waiting, 95);
    rank.finish(97);
    const Breakdown::Times times = rank.until(110);
    EXPECT_EQ(at(times, Activity::waiting), 5u + 15u);
    EXPECT_EQ(at(times, Activity::compute), 20u);
    EXPECT_EQ(at(times, Activity::overlap), 10u);
    EXPECT_EQ(at(times, Activity::communication), 20u);
    EXPECT_EQ(at(times, Activity::memory), 10u);
    EXPECT_EQ(at(times, Activity::cpu), 10u);
    EXPECT_EQ(at(times, Activity::idle), 5u + 2u);
    EXPECT_EQ(at(times, Activity::done), 13u);
    EXPECT_EQ(std::accumulate(times.begin(), times.end(), std::uint64_t{0}), 110u);
}

TEST(Breakdown, SeveralNodesOfAKindCountOnce)
{
    Breakdown rank;
    rank.begin(Doing::communication, 0);
    rank.begin(Doing::communication, 10);
    rank.end(Doing::communication, 20);
    EXPECT_EQ(rank.activity(), Activity::communication);
    rank.end(Doing::communication, 30);
    EXPECT_EQ(at(rank.until(30), Activity::communication), 30u);
    EXPECT_EQ(at(rank.until(40), Activity::idle), 10u);  // asking changes nothing
    EXPECT_EQ(at(rank.until(35), Activity::idle), 5u);
}

}  // namespace breakdown_test
