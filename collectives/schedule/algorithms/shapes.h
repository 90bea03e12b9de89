// The shapes that algorithms are made of: how a block spreads along a line of positions, trees over ranks,
// rings that share no link. Builders draw schedules from them; theory.h counts with them.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::shapes {

std::uint32_t floor_log2(std::uint32_t n);  // n >= 1
std::uint32_t ceil_log2(std::uint32_t n);

// How the block of position 0 gets to all p positions of a line (that of position x likewise, x further on,
// modulo p). The position at offset o has it from the one at pattern_parent(o). Collecting a sum is the same
// run backwards.
enum class Pattern : std::uint8_t {
    ring,        // from the neighbour: p - 1 steps
    direct,      // from the origin: 1 step
    near_first,  // hops of 1, 2, 4, ...: ceil(log2 p) steps, the farthest with the most data (Bruck)
    far_first    // hops of ..., 4, 2, 1: ceil(log2 p) steps, the farthest with one block (PAT)
};

std::uint32_t pattern_steps(Pattern pattern, std::uint32_t p);
std::uint32_t pattern_parent(Pattern pattern, std::uint32_t offset);  // offset >= 1
// The offsets that are reached in a step, in ascending order.
std::vector<std::uint32_t> pattern_offsets(Pattern pattern, std::uint32_t p, std::uint32_t step);

struct Tree {
    std::uint32_t root = 0;
    std::uint32_t height = 0;                          // edges from the root to the deepest rank
    std::vector<std::uint32_t> parent;                 // of the root: itself
    std::vector<std::vector<std::uint32_t>> children;  // the order in which they are served
    std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
};

// In-order binary tree: position x of 1 to n with lowest bit b has its children at x - b/2 and x + b/2 (or
// what remains of that side); odd x are leaves; height floor(log2 n). Positions are shifted so that `root` is
// the root.
Tree binary_tree(std::uint32_t n, std::uint32_t root);
// The two trees of Sanders, Speck and Traff (2009): the in-order tree over ranks 0 to n - 1, and its mirror
// image (n even) or the same tree one rank further on (n odd). No rank has children in both.
std::vector<Tree> double_binary_tree(std::uint32_t n);
// Offset o from the root (modulo n) has its children at o + 2^j for 2^j below the lowest bit of o, far ones
// first.
Tree binomial_tree(std::uint32_t n, std::uint32_t root);
// Each rank's parent is the next one in `order`, which is turned so that `root` comes last.
Tree chain_tree(const std::vector<std::uint32_t>& order, std::uint32_t root);
// `top` and the ranks below it: itself, then the subtree of each child.
std::vector<std::uint32_t> subtree(const Tree& tree, std::uint32_t top);

using Ring = std::vector<std::uint32_t>;  // ranks in the order of the ring

Ring identity_ring(std::uint32_t n);
// The number of directed rings through all n ranks of a full mesh that disjoint_rings() can find such that no two share a
// directed link: n - 1, which is the maximum (Tillson 1980), except n - 2 for 4 and 6, where that is the maximum, and for
// even n above 24, where the last one is not searched for.
std::uint32_t most_disjoint_rings(std::uint32_t n);
// `count` of them, 1 to most_disjoint_rings(n): pairs of opposite rings, so that the first two are one
// undirected ring; the last one of an even n by a seeded search, always the same.
std::vector<Ring> disjoint_rings(std::uint32_t n, std::uint32_t count);

}  // namespace weft::shapes
