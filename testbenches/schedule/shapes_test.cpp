// The shapes that algorithms are drawn from.
#include "collectives/schedule/algorithms/shapes.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace shapes_test {

using namespace weft::shapes;

namespace {

// Every directed link once, every ring through all ranks.
std::string defect(const std::vector<Ring>& rings, std::uint32_t n)
{
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    for (const Ring& ring : rings) {
        if (std::set<std::uint32_t>(ring.begin(), ring.end()).size() != n || ring.size() != n) return "not a ring";
        for (std::uint32_t i = 0; i < n; ++i)
            if (!used.emplace(ring[i], ring[(i + 1) % n]).second) return "a link is used twice";
    }
    return "";
}

}  // namespace

TEST(Shapes, Logarithms)
{
    for (const auto& [n, floor, ceil] : {std::tuple{1u, 0u, 0u}, {2u, 1u, 1u}, {3u, 1u, 2u}, {4u, 2u, 2u}, {5u, 2u, 3u},
             {64u, 6u, 6u}, {65u, 6u, 7u}}) {
        EXPECT_EQ(floor_log2(n), floor);
        EXPECT_EQ(ceil_log2(n), ceil);
    }
}

TEST(Shapes, DisjointRingsAreAsManyAsThereCanBe)
{
    for (std::uint32_t n = 2; n <= 24; ++n) {
        const std::uint32_t all = n == 4 || n == 6 ? n - 2 : n - 1;
        ASSERT_EQ(most_disjoint_rings(n), all);
        for (std::uint32_t count : {1u, all / 2, all}) {
            if (count == 0) continue;
            const std::vector<Ring> rings = disjoint_rings(n, count);
            ASSERT_EQ(rings.size(), count) << n;
            ASSERT_EQ(defect(rings, n), "") << n;
        }
    }
    for (std::uint32_t n = 25; n <= 64; ++n) {
        ASSERT_EQ(most_disjoint_rings(n), n % 2 == 1 ? n - 1 : n - 2);
        ASSERT_EQ(defect(disjoint_rings(n, most_disjoint_rings(n)), n), "") << n;
    }
}

TEST(Shapes, ARingTwiceIsNoticed) { EXPECT_NE(defect({identity_ring(5), identity_ring(5)}, 5), ""); }

TEST(Shapes, DoubleTreesHaveInnerRanksOfTheirOwn)
{
    for (std::uint32_t n = 2; n <= 130; ++n) {
        const std::vector<Tree> trees = double_binary_tree(n);
        ASSERT_EQ(trees.size(), 2u);
        for (const Tree& tree : trees) {
            ASSERT_EQ(tree.height, floor_log2(n)) << n;
            ASSERT_EQ(subtree(tree, tree.root).size(), n);
        }
        for (std::uint32_t rank = 0; rank < n; ++rank) {
            ASSERT_LE(trees[0].children[rank].size(), 2u);
            ASSERT_LE(trees[1].children[rank].size(), 2u);
            ASSERT_TRUE(trees[0].children[rank].empty() || trees[1].children[rank].empty()) << n << " " << rank;
        }
    }
}

TEST(Shapes, TreesStandOnTheirRoot)
{
    for (std::uint32_t n = 1; n <= 40; ++n)
        for (std::uint32_t root = 0; root < n; ++root) {
            for (const Tree& tree :
                {binary_tree(n, root), binomial_tree(n, root), chain_tree(identity_ring(n), root)}) {
                std::vector<std::uint32_t> all = subtree(tree, root);
                std::sort(all.begin(), all.end());
                ASSERT_EQ(all, identity_ring(n)) << n << " " << root;
                ASSERT_EQ(tree.parent[root], root);
            }
            ASSERT_EQ(binomial_tree(n, root).children[root].size(), ceil_log2(n));
        }
}

TEST(Shapes, SpreadsReachEveryOffsetOnceAndAfterItsParent)
{
    for (Pattern pattern : {Pattern::ring, Pattern::direct, Pattern::near_first, Pattern::far_first})
        for (std::uint32_t p = 1; p <= 70; ++p) {
            std::set<std::uint32_t> reached{0};
            for (std::uint32_t step = 0; step < pattern_steps(pattern, p); ++step) {
                const std::set<std::uint32_t> before = reached;
                for (std::uint32_t offset : pattern_offsets(pattern, p, step)) {
                    ASSERT_EQ(before.count(pattern_parent(pattern, offset)), 1u);
                    ASSERT_TRUE(reached.insert(offset).second);
                }
            }
            ASSERT_EQ(reached.size(), p);
            ASSERT_EQ(*reached.rbegin(), p - 1);
        }
}

}  // namespace shapes_test
