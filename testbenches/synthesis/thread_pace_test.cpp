// How a move goes in pieces: by hand, from the registers of a thread.
#include <gtest/gtest.h>

#include "collectives/synthesis/thread_pace.h"

namespace thread_pace_test {

using namespace weft;

namespace {

// 16 wavefronts with two sets of 512 B each.
CostRank rank_with(double outstanding = 0)
{
    CostRank out;
    out.registers = 16 * 2 * 512;
    out.sets = 2;
    out.wavefronts = 16;
    out.outstanding = outstanding;
    out.units = 4;
    return out;
}

MoveLoad loads(double bytes)
{
    MoveLoad out;
    out.bytes = out.data = out.issued = out.remote = bytes;
    out.gets = 1;
    out.load_ps = out.round_ps = 1000;
    return out;
}

}  // namespace

// Loads from the own memory come in rounds of 16 KiB, each as long as its farthest line takes; loads from peers come evenly.
TEST(ThreadPace, OwnDataComeInRounds)
{
    CostRank rank = rank_with();
    rank.issue_ps_per_byte = 0.01;
    const ThreadPace pace(rank, 1, 1);
    MoveLoad own = loads(32 * 512);
    own.gets = 0;
    own.remote = 0;
    own.refill_ps = 1800;
    EXPECT_EQ(pace.issue_ps(own), 164U);  // 16 KiB: slots alone
    own.bytes = own.data = own.issued = 33 * 512;
    EXPECT_EQ(pace.issue_ps(own), 1805U);  // and one set more
    own.bytes = own.data = own.issued = 64 * 512;
    EXPECT_EQ(pace.issue_ps(own), 1964U);  // two rounds
    own.bytes = own.data = own.issued = 80 * 512;
    EXPECT_EQ(pace.issue_ps(own), 2 * 1800U + 82);
    own.stays = true;
    EXPECT_EQ(pace.issue_ps(own), 3600U);
    own.refill_ps = 0;
    EXPECT_EQ(pace.issue_ps(own), 1500U);
    MoveLoad peers = own;
    peers.gets = 1;
    peers.refill_ps = 1800;
    EXPECT_EQ(pace.issue_ps(peers), 1500U);
}

// 160 ps of slots for 16 KiB of loads, and as much for stores; the first line comes after 1000 ps or after 100.
TEST(ThreadPace, SlotsOfLoadsFallIntoTheWaitForTheFirstLine)
{
    CostRank rank = rank_with();
    rank.issue_ps_per_byte = 160.0 / (32 * 512);
    const ThreadPace pace(rank, 1, 1);
    MoveLoad own = loads(32 * 512);
    own.gets = 0;
    own.issued = 2 * own.bytes;
    EXPECT_EQ(pace.issue_ps(own), 320U);
    own.loads = own.bytes;
    EXPECT_EQ(pace.issue_ps(own), 160U);
    EXPECT_EQ(pace.turn_ps(own), 1000U);  // the next one waits for registers
    own.load_ps = 100;
    EXPECT_EQ(pace.issue_ps(own), 220U);
    EXPECT_EQ(pace.turn_ps(own), 320U);  // or for slots
}

TEST(MovePieces, AreAsManyAsWavefrontsOrEightAtOnce)
{
    const CostRank rank = rank_with();
    const ThreadPace pace(rank, 1, 1);
    const auto expect = [&pace](double bytes, std::uint32_t count, double sets) {
        const MovePieces pieces = pace.in_pieces(loads(bytes));
        EXPECT_EQ(pieces.count, count) << bytes;
        EXPECT_DOUBLE_EQ(pieces.sets, sets) << bytes;
        EXPECT_FALSE(pieces.coarse) << bytes;
        EXPECT_EQ(pieces.issue_ps, 0U) << bytes;
    };
    expect(512, 1, 1);            // one wavefront has something to load; the set is taken all the same
    expect(1024, 2, 0.5);         // two
    expect(16 * 512, 4, 0.25);    // a set of all: four pieces, since two such moves are under way
    expect(32 * 512, 8, 0.25);    // all registers
    expect(320 * 512, 80, 0.25);  // ten times these
}

TEST(MovePieces, OfLongMovesAreCoarse)
{
    const CostRank rank = rank_with();
    const ThreadPace pace(rank, 1, 1);
    const MovePieces pieces = pace.in_pieces(loads(1 << 20));
    EXPECT_EQ(pieces.count, 128U);
    EXPECT_TRUE(pieces.coarse);
    EXPECT_DOUBLE_EQ(pieces.sets, 0.25);  // eight at once
    // Eight of 8 KiB, 64 KiB: what the registers do not hold, 48 KiB, three times theirs, comes in three round trips.
    EXPECT_EQ(pieces.issue_ps, 3000U);
    EXPECT_EQ(pieces.turn_ps, 375U);
    EXPECT_DOUBLE_EQ(pace.in_registers(loads(1)), 16384);
}

TEST(MovePieces, ThatHoldRegistersTogetherShareTheLimitOfRequests)
{
    const CostRank rank = rank_with(8192);
    const ThreadPace pace(rank, 1, 1);
    // All registers, 16 KiB, are twice what may be in flight: the second half is issued a round trip later.
    const MovePieces pieces = pace.in_pieces(loads(64 * 512));
    EXPECT_EQ(pieces.count, 16U);
    EXPECT_EQ(pieces.issue_ps, 1000U);
    EXPECT_EQ(pieces.turn_ps, 125U);
}

TEST(MovePieces, FindRegistersAsLongAsTheyLast)
{
    const CostRank rank = rank_with();
    const ThreadPace pace(rank, 1, 1);
    EXPECT_TRUE(pace.fits(1.75, 0.25));
    EXPECT_FALSE(pace.fits(1.75, 0.5));
    EXPECT_TRUE(pace.fits(0, 5));  // who holds none
    EXPECT_DOUBLE_EQ(pace.whole(loads(1 << 20)).sets, 2);
    CostRank any = rank;
    any.registers = 0;
    EXPECT_TRUE(ThreadPace(any, 1, 1).fits(100, 100));
    EXPECT_EQ(ThreadPace(any, 1, 1).in_pieces(loads(1 << 20)).count, 1U);
}

}  // namespace thread_pace_test
