#include "collectives/schedule/theory.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

using namespace weft;

// Figures worked out by hand for 8 ranks and 1 MiB.
TEST(Theory, KnowsTheTextbookFigures)
{
    const std::uint64_t mib = 1048576;
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::all_reduce, "ring", 8, mib, 4, 0, 1}, 3), 1835008u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::all_reduce, "direct", 8, mib, 4, 0, 1}, 3), 1835008u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::all_gather, "ring", 8, mib, 4, 0, 1}, 0), 917504u);
    EXPECT_EQ(theory_bytes_between({CollectiveOp::all_to_all, "ring", 8, mib, 4, 0, 1}, 2, 5), 131072u);
    EXPECT_EQ(theory_bytes_between({CollectiveOp::all_reduce, "direct", 8, mib, 4, 0, 1}, 2, 5), 262144u);
    EXPECT_EQ(theory_bytes_between({CollectiveOp::all_reduce, "ring", 8, mib, 4, 0, 1}, 2, 5), 0u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::broadcast, "direct", 8, mib, 4, 2, 1}, 2), 7 * mib);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::broadcast, "ring", 8, mib, 4, 2, 1}, 1), 0u);
    EXPECT_EQ(theory_steps({CollectiveOp::all_reduce, "ring", 8, mib, 4, 0, 1}), 14u);
    EXPECT_EQ(theory_steps({CollectiveOp::all_reduce, "direct", 8, mib, 4, 0, 1}), 2u);
    EXPECT_EQ(theory_steps({CollectiveOp::broadcast, "ring", 8, mib, 4, 0, 16}), 22u);
    for (const char* name : {"one_shot", "one_shot_get"}) {
        EXPECT_EQ(theory_bytes_sent({CollectiveOp::all_reduce, name, 8, mib, 4, 0, 1}, 3), 7 * mib);
        EXPECT_EQ(theory_bytes_between({CollectiveOp::all_reduce, name, 8, mib, 4, 0, 1}, 2, 5), mib);
        EXPECT_EQ(theory_steps({CollectiveOp::all_reduce, name, 8, mib, 4, 0, 1}), 1u);
    }
    EXPECT_EQ(theory_bytes_between({CollectiveOp::all_gather, "direct_get", 8, mib, 4, 0, 1}, 2, 5), 131072u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::reduce_scatter, "direct_get", 8, mib, 4, 0, 1}, 0), 917504u);
    EXPECT_EQ(theory_steps({CollectiveOp::reduce_scatter, "direct_get", 8, mib, 4, 0, 1}), 1u);
    EXPECT_THROW(theory_steps({CollectiveOp::all_to_all, "direct_get", 8, mib, 4, 0, 1}), InputError);
    EXPECT_THROW(theory_steps({CollectiveOp::all_reduce, "tree", 8, mib, 4, 0, 1}), InputError);
}

// 10 bytes among 4 ranks: shares of 3, 3, 2 and 2.
TEST(Theory, IsExactForUnevenShares)
{
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::reduce_scatter, "direct", 4, 10, 1, 0, 1}, 0), 7u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::reduce_scatter, "direct", 4, 10, 1, 0, 1}, 3), 8u);
    EXPECT_EQ(theory_bytes_sent({CollectiveOp::all_reduce, "ring", 4, 10, 1, 0, 1}, 0), 15u);
}

TEST(Theory, AlphaBetaTime)
{
    EXPECT_EQ(alpha_beta_ps(14, 1000000, 1835008, 450000000000), 14000000u + 4077796u);
    EXPECT_EQ(alpha_beta_ps(0, 1, 0, 1), 0u);
    EXPECT_EQ(alpha_beta_ps(1, 5, 64, 900000000000), 5u + 72u);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::all_reduce, 8), 1.75);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::all_gather, 8), 0.875);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::broadcast, 8), 1.0);
}
