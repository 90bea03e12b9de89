// The least that any schedule of a collective needs.
#include <gtest/gtest.h>

#include "collectives/plans/bounds.h"

namespace bounds_test {

using namespace weft;

namespace {

constexpr CollectiveOp bounded[] = {CollectiveOp::all_reduce, CollectiveOp::reduce_scatter, CollectiveOp::all_gather,
    CollectiveOp::all_to_all, CollectiveOp::gather, CollectiveOp::scatter, CollectiveOp::broadcast,
    CollectiveOp::reduce};

void expect_bound(CollectiveOp op, std::uint32_t ranks, std::uint64_t bytes, const LowerBound& wanted)
{
    const auto bound = lower_bound(op, ranks, bytes);
    ASSERT_TRUE(bound) << name_of(op);
    EXPECT_EQ(bound->steps, wanted.steps) << name_of(op);
    EXPECT_EQ(bound->steps_with_bytes, wanted.steps_with_bytes) << name_of(op);
    EXPECT_EQ(bound->bytes, wanted.bytes) << name_of(op);
}

}  // namespace

// What two ranks exchange at once is the whole all-reduce, with the fewest bytes.
TEST(Bounds, OfTwoRanksOneTransferIsEnough)
{
    for (const CollectiveOp op : bounded) {
        const bool whole =
            op == CollectiveOp::all_reduce || op == CollectiveOp::broadcast || op == CollectiveOp::reduce;
        expect_bound(op, 2, 1024, {1, 1, whole ? 1024u : 512u});
    }
}

TEST(Bounds, OneRankNeedsNothing)
{
    for (const CollectiveOp op : bounded) expect_bound(op, 1, 1024, {0, 0, 0});
    for (const CollectiveOp op : {CollectiveOp::barrier, CollectiveOp::send_receive, CollectiveOp::custom})
        for (const std::uint32_t ranks : {1u, 2u, 4u}) EXPECT_FALSE(lower_bound(op, ranks, 1024)) << name_of(op);
}

TEST(Bounds, OfFourRanks)
{
    expect_bound(CollectiveOp::all_reduce, 4, 1024, {1, 2, 1536});
    expect_bound(CollectiveOp::broadcast, 4, 1024, {1, 2, 1024});
    expect_bound(CollectiveOp::reduce, 4, 1024, {1, 2, 1024});
    for (const CollectiveOp op : {CollectiveOp::reduce_scatter, CollectiveOp::all_gather, CollectiveOp::all_to_all,
             CollectiveOp::gather, CollectiveOp::scatter})
        expect_bound(op, 4, 1024, {1, 1, 768});
}

// Five bytes are 3 and 2: the rank of the shorter share gets 3. A root with the longer one gets 2.
TEST(Bounds, SharesMayDifferByAByte)
{
    expect_bound(CollectiveOp::all_reduce, 2, 5, {1, 1, 5});
    expect_bound(CollectiveOp::all_gather, 2, 5, {1, 1, 3});
    expect_bound(CollectiveOp::gather, 2, 5, {1, 1, 2});
    expect_bound(CollectiveOp::all_reduce, 65536, (std::uint64_t{1} << 48) + 1,
        {1, 2, (std::uint64_t{1} << 49) - (std::uint64_t{1} << 33) + 2});
}

}  // namespace bounds_test
