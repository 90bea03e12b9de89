#include "collectives/schedule/algorithms/shapes.h"

#include <algorithm>
#include <numeric>

namespace weft::shapes {

namespace {

std::uint32_t low_bit(std::uint32_t x) { return x & (~x + 1); }

// Fills children and height from `parent` and `root`.
void finish(Tree& tree)
{
    const std::uint32_t n = tree.size();
    tree.children.resize(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        if (rank != tree.root) tree.children[tree.parent[rank]].push_back(rank);
        std::uint32_t depth = 0;
        for (std::uint32_t at = rank; at != tree.root; at = tree.parent[at]) ++depth;
        tree.height = std::max(tree.height, depth);
    }
}

// Parent of position x of 1 to n in the in-order tree; its root is the largest power of two.
std::uint32_t in_order_parent(std::uint32_t n, std::uint32_t x)
{
    do {
        const std::uint32_t bit = low_bit(x);
        x = (x ^ bit) | bit << 1;
    } while (x > n);
    return x;
}

// `rank_at` gives the rank at position x of 1 to n.
template <typename RankAt>
Tree in_order_tree(std::uint32_t n, RankAt&& rank_at)
{
    Tree tree;
    tree.parent.resize(n);
    const std::uint32_t top = 1u << floor_log2(n);
    tree.root = rank_at(top);
    for (std::uint32_t x = 1; x <= n; ++x)
        tree.parent[rank_at(x)] = x == top ? tree.root : rank_at(in_order_parent(n, x));
    finish(tree);
    return tree;
}

}  // namespace

std::uint32_t floor_log2(std::uint32_t n)
{
    std::uint32_t log = 0;
    while (n >>= 1) ++log;
    return log;
}

std::uint32_t ceil_log2(std::uint32_t n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }

std::uint32_t pattern_steps(Pattern pattern, std::uint32_t p)
{
    switch (pattern) {
    case Pattern::ring: return p - 1;
    case Pattern::direct: return p > 1 ? 1 : 0;
    case Pattern::near_first:
    case Pattern::far_first: return ceil_log2(p);
    }
    return 0;
}

std::uint32_t pattern_parent(Pattern pattern, std::uint32_t offset)
{
    switch (pattern) {
    case Pattern::ring: return offset - 1;
    case Pattern::direct: return 0;
    case Pattern::near_first: return offset - (1u << floor_log2(offset));
    case Pattern::far_first: return offset - low_bit(offset);
    }
    return 0;
}

std::vector<std::uint32_t> pattern_offsets(Pattern pattern, std::uint32_t p, std::uint32_t step)
{
    std::uint32_t first = 1;
    std::uint32_t stride = 1;
    std::uint32_t end = p;
    if (pattern == Pattern::ring) {
        first = step + 1;
        end = first + 1;
    } else if (pattern == Pattern::near_first) {
        first = 1u << step;
        end = std::min(p, 2 * first);
    } else if (pattern == Pattern::far_first) {
        first = 1u << (ceil_log2(p) - 1 - step);
        stride = 2 * first;
    }
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t o = first; o < end; o += stride) offsets.push_back(o);
    return offsets;
}

Tree binary_tree(std::uint32_t n, std::uint32_t root)
{
    const std::uint32_t top = 1u << floor_log2(n);
    return in_order_tree(n, [=](std::uint32_t x) { return (x + n - top + root) % n; });
}

std::vector<Tree> double_binary_tree(std::uint32_t n)
{
    const auto straight = [](std::uint32_t x) { return x - 1; };
    const auto mirrored = [n](std::uint32_t x) { return n - x; };
    const auto shifted = [n](std::uint32_t x) { return x % n; };
    return {in_order_tree(n, straight), n % 2 == 0 ? in_order_tree(n, mirrored) : in_order_tree(n, shifted)};
}

Tree binomial_tree(std::uint32_t n, std::uint32_t root)
{
    Tree tree;
    tree.root = root;
    tree.parent.resize(n);
    for (std::uint32_t o = 0; o < n; ++o) tree.parent[(root + o) % n] = (root + o - low_bit(o)) % n;
    finish(tree);
    for (std::vector<std::uint32_t>& children : tree.children)
        std::sort(children.begin(), children.end(),
            [n, root](std::uint32_t a, std::uint32_t b) { return (a + n - root) % n > (b + n - root) % n; });
    return tree;
}

Tree chain_tree(const std::vector<std::uint32_t>& order, std::uint32_t root)
{
    const auto n = static_cast<std::uint32_t>(order.size());
    Tree tree;
    tree.root = root;
    tree.parent.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) tree.parent[order[i]] = order[i] == root ? root : order[(i + 1) % n];
    tree.children.resize(n);
    for (std::uint32_t rank = 0; rank < n; ++rank)
        if (rank != root) tree.children[tree.parent[rank]].push_back(rank);
    tree.height = n - 1;
    return tree;
}

std::vector<std::uint32_t> subtree(const Tree& tree, std::uint32_t top)
{
    std::vector<std::uint32_t> ranks{top};
    for (std::uint32_t child : tree.children[top]) {
        const std::vector<std::uint32_t> below = subtree(tree, child);
        ranks.insert(ranks.end(), below.begin(), below.end());
    }
    return ranks;
}

Ring identity_ring(std::uint32_t n)
{
    Ring ring(n);
    std::iota(ring.begin(), ring.end(), 0u);
    return ring;
}

}  // namespace weft::shapes
