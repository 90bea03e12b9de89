// Texts of stall reports: circles of waits, and ranks that wait alike.
#include <gtest/gtest.h>

#include "collectives/schedule/stall_lines.h"

namespace stall_lines_test {

using namespace weft;
using Lines = std::vector<std::string>;

TEST(WaitGraph, TheFirstCircleIsNamedWithTheMeetingsThatItPasses)
{
    WaitGraph waits(5);
    waits.wait(0, 4);  // which waits for nobody
    waits.wait(0, 1);
    waits.meeting("ALL_REDUCE", {1}, {2});
    waits.wait(2, 3);
    EXPECT_EQ(waits.circle(), "");
    waits.wait(3, 0);
    EXPECT_EQ(waits.circle(),
        "circular wait: rank 0 waits for rank 1, which waits in ALL_REDUCE for rank 2, which waits "
        "for rank 3, which waits for rank 0");
}

TEST(WaitGraph, ACircleMayBeginWithAMeetingAndMayBeOfOneRank)
{
    WaitGraph meetings(2);
    meetings.meeting("A", {0}, {1});
    meetings.meeting("B", {1}, {0});
    EXPECT_EQ(meetings.circle(), "circular wait: rank 0 waits in A for rank 1, which waits in B for rank 0");
    WaitGraph alone(2);
    alone.wait(1, 1);
    EXPECT_EQ(alone.circle(), "circular wait: rank 1 waits for rank 1");
}

TEST(WaitGraph, OfALongCircleTheFirstRanksAndTheLastAreNamed)
{
    constexpr std::uint32_t n = 20'000;
    WaitGraph waits(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) waits.wait(rank, (rank + 1) % n);
    const std::string text = waits.circle();
    EXPECT_EQ(text.rfind("circular wait: rank 0 waits for rank 1, which waits for rank 2, which", 0), 0U) << text;
    EXPECT_NE(text.find("rank 7, which waits, over 19991 more, for rank 19999, which waits for rank 0"),
        std::string::npos)
        << text;
}

TEST(StallLines, RanksThatWaitAlikeShareALine)
{
    StallLines lines(8);
    for (std::uint32_t rank = 0; rank < 8; ++rank) lines.add(rank, ": r waits for rank ", (rank + 1) % 8, ", tag 5");
    for (std::uint32_t rank = 1; rank < 8; ++rank) lines.add(rank, ": s waits for rank ", 0U);
    for (const std::uint32_t rank : {0U, 1U, 2U, 4U, 6U, 7U}) lines.add(rank, ": t ends");
    EXPECT_EQ(lines.text(10),
        (Lines{"rank r: r waits for rank r+1, tag 5, for r = 0-7 (modulo 8)", "rank r: s waits for rank 0, for r = 1-7",
            "rank r: t ends, for r = 0-2 4 6 7"}));
}

TEST(StallLines, FewRanksAndUnlikeOnesAreNamedOneByOne)
{
    StallLines lines(100, "job: rank ");
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        for (int thread = 0; thread < 2; ++thread) lines.add(rank, " waits for rank ", rank + 1);
    EXPECT_EQ(lines.text(10),
        (Lines{"job: rank 0 waits for rank 1", "job: rank 1 waits for rank 2", "job: rank 2 waits for rank 3",
            "job: rank 3 waits for rank 4"}));
    EXPECT_EQ(lines.text(1), (Lines{"job: rank 0 waits for rank 1", "3 lines more"}));
}

TEST(StallLines, RangesOfNumbers)
{
    EXPECT_EQ(ranges_text({}), "");
    EXPECT_EQ(ranges_text({3}), "3");
    EXPECT_EQ(ranges_text({0, 1, 3, 4, 5, 9}), "0 1 3-5 9");
}

}  // namespace stall_lines_test
