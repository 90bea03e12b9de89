#include "collectives/schedule/theory/theory.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace theory_test {

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
    EXPECT_THROW(theory_steps({CollectiveOp::all_reduce, "binomial", 8, mib, 4, 0, 1}), InputError);
}

// The shared cost table, for 8 ranks and (where it differs) 11: n S-byte figures by hand, S = n times 4 KiB.
TEST(Theory, HasTheFiguresOfTheCostTable)
{
    struct Figure {
        CollectiveOp op;
        const char* algorithm;
        std::uint32_t ranks;
        std::uint32_t rank;
        double sent;  // in S
        std::uint32_t steps;
    };
    using Op = CollectiveOp;
    const double two = 2 * 7.0 / 8;
    const double one = 7.0 / 8;
    const Figure figures[] = {{Op::all_reduce, "two_shot_get", 8, 3, two, 1}, {Op::all_reduce, "rings", 8, 3, two, 14},
        {Op::all_reduce, "one_shot_staged", 8, 3, 7, 1}, {Op::all_reduce, "two_shot_load", 8, 3, two, 2},
        {Op::all_reduce, "two_shot_staged", 8, 3, two, 2}, {Op::all_reduce, "bidirectional_ring", 8, 3, two, 14},
        {Op::all_reduce, "bruck", 8, 3, two, 6}, {Op::all_reduce, "pat", 8, 3, two, 6},
        {Op::all_reduce, "hierarchical", 8, 3, two, 8}, {Op::all_reduce, "tree", 8, 4, 3, 6 + 3},
        {Op::all_reduce, "tree", 8, 0, 1, 6 + 3}, {Op::all_reduce, "tree", 7, 0, 2, 4 + 3},
        {Op::all_reduce, "double_tree", 11, 4, 2, 6 + 3}, {Op::all_reduce, "chain", 8, 3, 2, 14 + 3},
        {Op::all_reduce, "chain", 8, 0, 1, 14 + 3}, {Op::all_reduce, "recursive_doubling", 8, 3, 3, 3},
        {Op::all_reduce, "recursive_doubling", 11, 10, 1, 3 + 2},
        {Op::all_reduce, "recursive_doubling", 11, 2, 4, 3 + 2}, {Op::all_reduce, "halving_doubling", 8, 3, two, 6},
        {Op::all_reduce, "halving_doubling", 11, 2, two + 1, 6 + 2},
        {Op::all_reduce, "halving_doubling", 11, 9, 1, 6 + 2}, {Op::all_reduce, "nvls", 8, 3, 1 + 1.0 / 8, 1},
        {Op::all_reduce, "nvls_one_shot", 8, 3, 8, 1}, {Op::all_reduce, "push_reduce", 8, 3, 1, 1},
        {Op::all_reduce, "nvls_tree", 8, 3, 1 + 2.0 / 4, 2 + 1 + 9}, {Op::all_gather, "rings", 8, 3, one, 7},
        {Op::all_gather, "bidirectional_ring", 8, 3, one, 7}, {Op::all_gather, "recursive_doubling", 8, 3, one, 3},
        {Op::all_gather, "bruck", 8, 3, one, 3}, {Op::all_gather, "bruck", 11, 3, 10.0 / 11, 4},
        {Op::all_gather, "pat", 11, 3, 10.0 / 11, 4}, {Op::all_gather, "hierarchical", 8, 3, one, 4},
        {Op::all_gather, "multicast", 8, 3, 1.0 / 8, 1}, {Op::reduce_scatter, "recursive_halving", 8, 3, one, 3},
        {Op::reduce_scatter, "bruck", 11, 3, 10.0 / 11, 4}, {Op::reduce_scatter, "pat", 11, 3, 10.0 / 11, 4},
        {Op::reduce_scatter, "load_reduce", 8, 3, 1, 1}, {Op::reduce_scatter, "hierarchical", 8, 3, one, 4},
        {Op::reduce_scatter, "rings", 8, 3, one, 7}, {Op::all_to_all, "pairwise", 8, 3, one, 7},
        {Op::all_to_all, "bruck", 8, 3, 1.5, 3}, {Op::all_to_all, "bruck", 11, 3, (5 + 5 + 4 + 3) / 11.0, 4},
        {Op::broadcast, "tree", 8, 2, 1, 3 + 3}, {Op::broadcast, "binomial", 8, 2, 3, 3},
        {Op::broadcast, "binomial", 11, 2, 4, 4}, {Op::broadcast, "scatter_all_gather", 8, 2, one + one, 3 + 7},
        {Op::broadcast, "scatter_all_gather", 8, 1, 0, 3 + 7}, {Op::broadcast, "multicast", 8, 2, 1, 1},
        {Op::reduce, "ring", 8, 1, 1, 7 + 3}, {Op::reduce, "direct", 8, 1, 1, 1}, {Op::reduce, "tree", 8, 1, 1, 3 + 3},
        {Op::reduce, "binomial", 8, 1, 1, 3}, {Op::reduce, "load_reduce", 8, 1, 1, 1},
        {Op::gather, "direct", 8, 1, 1.0 / 8, 1}, {Op::gather, "ring", 8, 1, one, 7},
        {Op::gather, "binomial", 8, 6, 0.5, 3}, {Op::scatter, "direct", 8, 2, one, 1},
        {Op::scatter, "ring", 8, 3, 6.0 / 8, 7}, {Op::scatter, "binomial", 8, 6, 3.0 / 8, 3}};
    for (const Figure& figure : figures) {
        AlgorithmOptions options;
        options.pipeline = 4;
        options.root = 2;
        const std::uint64_t bytes = std::uint64_t{figure.ranks} * 4096;
        const TheoryCase theory = theory_case(figure.op, figure.algorithm, figure.ranks, bytes, 4, options);
        // Several lanes and pieces divide more finely than by ranks.
        EXPECT_NEAR(static_cast<double>(theory_bytes_sent(theory, figure.rank)),
            figure.sent * static_cast<double>(bytes), 64)
            << name_of(figure.op) << " " << figure.algorithm << " " << figure.ranks;
        EXPECT_EQ(theory_steps(theory), figure.steps) << name_of(figure.op) << " " << figure.algorithm;
    }
    for (const auto& [name, steps] : {std::pair{"dissemination", 4u}, {"tree", 6u}, {"ring", 20u}, {"direct", 1u}})
        EXPECT_EQ(theory_steps(theory_case(Op::barrier, name, 11, 0, 1, {})), steps) << name;
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

}  // namespace theory_test
