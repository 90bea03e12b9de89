// Trees and chains: what goes up and down their edges.
#include <algorithm>

#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

shapes::Ring order_of(const TheoryCase& theory)
{
    AlgorithmOptions options;
    options.orders = theory.orders;
    return theory.orders.empty() ? shapes::identity_ring(theory.ranks) : ring_orders(options, theory.ranks).front();
}

// Edges of one tree: bytes up from each rank to its parent, and down to it.
struct Edges {
    shapes::Tree tree;
    std::vector<std::uint64_t> up;
    std::vector<std::uint64_t> down;

    std::uint64_t between(std::uint32_t from, std::uint32_t to) const
    {
        std::uint64_t bytes = 0;
        if (from != tree.root && tree.parent[from] == to) bytes += up[from];
        if (to != tree.root && tree.parent[to] == from) bytes += down[to];
        return bytes;
    }
};

// The same on every edge.
Edges even(shapes::Tree tree, std::uint64_t up, std::uint64_t down)
{
    const std::uint32_t n = tree.size();
    return {std::move(tree), std::vector<std::uint64_t>(n, up), std::vector<std::uint64_t>(n, down)};
}

// The shares of all ranks below each edge.
Edges subtrees(shapes::Tree tree, const Shares& shares, bool up)
{
    Edges edges = even(std::move(tree), 0, 0);
    for (std::uint32_t rank = 0; rank < edges.tree.size(); ++rank)
        for (std::uint32_t below : shapes::subtree(edges.tree, rank))
            (up ? edges.up : edges.down)[rank] += shares.of(below);
    return edges;
}

Formulas over(std::uint32_t steps, std::vector<Edges> trees)
{
    return {steps, [trees = std::move(trees)](std::uint32_t from, std::uint32_t to) {
                std::uint64_t bytes = 0;
                for (const Edges& edges : trees) bytes += edges.between(from, to);
                return bytes;
            }};
}

std::optional<Formulas> all_reduce(const TheoryCase& theory)
{
    const std::uint32_t n = theory.ranks;
    const std::uint32_t k = theory.pipeline;
    const std::uint64_t all = theory.bytes;
    const std::uint32_t steps = 2 * shapes::floor_log2(n) + k - 1;
    if (theory.algorithm == "tree") return over(steps, {even(shapes::binary_tree(n, 0), all, all)});
    if (theory.algorithm == "double_tree") {
        const std::vector<shapes::Tree> trees = shapes::double_binary_tree(n);
        const std::uint64_t first = Shares(theory).of(0, 2 * k, k);
        return over(steps, {even(trees[0], first, first), even(trees[1], all - first, all - first)});
    }
    if (theory.algorithm != "chain") return std::nullopt;
    const shapes::Ring order = order_of(theory);
    return over(2 * (n - 1) + k - 1, {even(shapes::chain_tree(order, order.back()), all, all)});
}

std::optional<Formulas> from_or_to_root(const TheoryCase& theory)
{
    const std::uint32_t n = theory.ranks;
    const bool reduce = theory.op == CollectiveOp::reduce;
    const std::uint64_t up = reduce ? theory.bytes : 0;
    const std::uint64_t down = theory.bytes - up;
    const std::uint32_t follow = theory.pipeline - 1;
    shapes::Ring order = order_of(theory);
    if (!reduce) std::reverse(order.begin(), order.end());  // parents come before
    if (theory.algorithm == "chain" || theory.algorithm == "ring")
        return over(n - 1 + follow, {even(shapes::chain_tree(order, theory.root), up, down)});
    if (theory.algorithm == "tree")
        return over(shapes::floor_log2(n) + follow, {even(shapes::binary_tree(n, theory.root), up, down)});
    const std::uint32_t steps = reduce ? shapes::floor_log2(n) : shapes::ceil_log2(n);
    if (theory.algorithm == "binomial") return over(steps, {even(shapes::binomial_tree(n, theory.root), up, down)});
    if (theory.algorithm != "scatter_all_gather") return std::nullopt;
    const Shares shares(theory);
    Edges ring = even(shapes::chain_tree(order, theory.root), 0, 0);
    for (std::uint32_t to = 0; to < n; ++to) ring.down[to] = theory.bytes - shares.of(to);
    return over(steps + n - 1, {subtrees(shapes::binomial_tree(n, theory.root), shares, false), std::move(ring)});
}

std::optional<Formulas> blocks(const TheoryCase& theory)
{
    const std::uint32_t n = theory.ranks;
    const bool gather = theory.op == CollectiveOp::gather;
    const Shares shares(theory);
    shapes::Ring order = order_of(theory);
    if (!gather) std::reverse(order.begin(), order.end());
    if (theory.algorithm == "ring")
        return over(n - 1, {subtrees(shapes::chain_tree(order, theory.root), shares, gather)});
    if (theory.algorithm == "binomial")
        return over(gather ? shapes::floor_log2(n) : shapes::ceil_log2(n),
            {subtrees(shapes::binomial_tree(n, theory.root), shares, gather)});
    return std::nullopt;
}

}  // namespace

std::optional<Formulas> tree_formulas(const TheoryCase& theory)
{
    switch (theory.op) {
    case CollectiveOp::all_reduce: return all_reduce(theory);
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce: return from_or_to_root(theory);
    case CollectiveOp::gather:
    case CollectiveOp::scatter: return blocks(theory);
    default: return std::nullopt;
    }
}

}  // namespace weft
