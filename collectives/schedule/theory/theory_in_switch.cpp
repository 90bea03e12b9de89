// What goes through a switch that combines and copies: between pairs as if everybody had sent to everybody,
// the rank itself included; sent once.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

std::optional<Formulas> nvls_tree(const TheoryCase& theory)
{
    AlgorithmOptions options;
    options.dimensions = theory.dimensions;
    const std::uint32_t node = dimensions_of(options, theory.ranks).front().size;
    const std::uint32_t nodes = theory.ranks / node;
    const std::uint32_t k = theory.pipeline;
    const Shares s(theory);
    const shapes::Tree tree = shapes::binary_tree(nodes, 0);
    const auto shard = [=](std::uint32_t rank) { return s.of(rank % node * k, node * k, k); };
    const std::uint32_t steps = nodes == 1 ? k : 2 * shapes::floor_log2(nodes) + 1 + 3 * (k - 1);
    return Formulas{steps,
        [=](std::uint32_t from, std::uint32_t to) -> std::uint64_t {
            if (from / node == to / node) return shard(to) + shard(from);
            if (from % node != to % node) return 0;
            return tree.parent[from / node] == to / node || tree.parent[to / node] == from / node ? shard(from) : 0;
        },
        [=](std::uint32_t rank) {
            const std::uint64_t neighbours = tree.children[rank / node].size() + (rank / node == tree.root ? 0 : 1);
            return s.all() + (1 + neighbours) * shard(rank);
        }};
}

}  // namespace

std::optional<Formulas> switch_formulas(const TheoryCase& theory)
{
    const Shares s(theory);
    const std::uint32_t n = theory.ranks;
    const std::uint32_t root = theory.root;
    const std::string& name = theory.algorithm;
    using Rank = std::uint32_t;
    const auto all = [s](Rank) { return s.all(); };
    if (name == "nvls_tree") return nvls_tree(theory);
    if (name == "nvls")
        return Formulas{1, [s](Rank from, Rank to) { return s.of(to) + s.of(from); },
            [s](Rank rank) { return s.all() + s.of(rank); }};
    if (name == "nvls_one_shot")
        return Formulas{1, [s](Rank, Rank) { return s.all(); }, [s, n](Rank) { return n * s.all(); }};
    if (name == "push_reduce") return Formulas{1, [s](Rank from, Rank to) { return from == to ? 0 : s.all(); }, all};
    if (name == "multicast" && theory.op == CollectiveOp::all_gather)
        return Formulas{1, [s](Rank from, Rank) { return s.of(from); }, [s](Rank rank) { return s.of(rank); }};
    if (name == "multicast")
        return Formulas{1, [s, root](Rank from, Rank) { return from == root ? s.all() : 0; },
            [s, root](Rank rank) { return rank == root ? s.all() : 0; }};
    if (name == "load_reduce" && theory.op == CollectiveOp::reduce_scatter)
        return Formulas{1, [s](Rank, Rank to) { return s.of(to); }, all};
    if (name == "load_reduce") return Formulas{1, [s, root](Rank, Rank to) { return to == root ? s.all() : 0; }, all};
    return std::nullopt;
}

}  // namespace weft
