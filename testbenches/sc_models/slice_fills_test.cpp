// Fills in flight of a slice: lines of wide transactions are a row until somebody else needs one of them.
#include <gtest/gtest.h>

#include "sc_models/l2/slice_fills.h"
#include "tlm_interconnect/protocol/line_pool.h"

namespace weft {

TEST(SliceFills, ALineOfARowBecomesAFillForWhoWaits)
{
    SliceFills fills(1, true);  // tags of two sectors, each with its home
    // Sectors 0 and 1 of the tags 8, 10, 12 and 14 of home 0: eight in a row.
    const std::uint64_t first = 8 << 1;
    EXPECT_EQ(fills.place_in_row(first), 0u);
    EXPECT_EQ(fills.place_in_row(first + 1), 1u);
    EXPECT_EQ(fills.place_in_row(10 << 1), 2u);
    EXPECT_EQ(fills.place_in_row((14 << 1) + 1), 7u);
    EXPECT_EQ(fills.place_in_row((9 << 1) + 1), 1u);  // of the other home

    const std::uint32_t near = fills.begin_row(first, 5, false);
    fills.join_row(near, 0x0f, 4);
    const std::uint32_t far = fills.begin_row(12 << 1, 5, true);
    fills.join_row(far, 0xf0, 4);
    const std::uint32_t other_home = fills.begin_row(9 << 1, 6, true);
    fills.join_row(other_home, 0xff, 8);
    EXPECT_EQ(fills.size(), 16u);
    EXPECT_FALSE(fills.is_far(10 << 1));
    EXPECT_TRUE(fills.is_far(12 << 1));
    EXPECT_TRUE(fills.is_far((9 << 1) + 1));

    SliceFills::Fill& alone = fills.of((12 << 1) + 1);
    EXPECT_TRUE(alone.far);
    EXPECT_EQ(alone.waiting, 0u);
    EXPECT_EQ(fills.row(far).lines, 0xd0);
    EXPECT_EQ(fills.size(), 16u);
    EXPECT_TRUE(fills.is_far((12 << 1) + 1));
    EXPECT_EQ(&fills.of((12 << 1) + 1), &alone);

    EXPECT_EQ(fills.end(fills.slot_of((12 << 1) + 1)), nullptr);
    fills.leave_row(far, 0xd0, 3, 4);
    EXPECT_EQ(fills.size(), 12u);
    fills.leave_row(near, 0x03, 2, 2);
    EXPECT_FALSE(fills.is_far(10 << 1));
    fills.leave_row(near, 0x0c, 2, 2);
    fills.leave_row(other_home, 0xff, 8, 8);
    EXPECT_EQ(fills.size(), 0u);
}

// A row whose lines have all left keeps its place until what was asked for has come: another one must not be taken for it.
TEST(SliceFills, ARowEndsWithTheLastLineThatComes)
{
    SliceFills fills(0, false);
    const std::uint32_t row = fills.begin_row(24, 1, false);
    fills.join_row(row, 0x3, 2);
    fills.of(24);
    fills.of(25);
    EXPECT_EQ(fills.row(row).lines, 0);
    const std::uint32_t next = fills.begin_row(24, 2, false);
    EXPECT_NE(next, row);
    fills.end(fills.slot_of(24));
    fills.end(fills.slot_of(25));
    fills.leave_row(row, 0, 0, 2);
    EXPECT_EQ(fills.begin_row(32, 3, false), row);  // its place is free
    EXPECT_EQ(fills.size(), 0u);
}

}  // namespace weft
