// Rings in the order of ranks, exchanges of everybody with everybody, and barriers.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

using Between = decltype(Formulas::between);

// The right neighbour gets all but one share in each phase: in the reduction all but the one that
// this rank ends up with, in the distribution all but the one that the neighbour ends up with.
std::optional<Formulas> ring(const TheoryCase& theory)
{
    const Shares s(theory);
    const std::uint32_t n = theory.ranks;
    const auto neighbour = [n](auto amount) -> Between {
        return [n, amount](std::uint32_t from, std::uint32_t to) {
            return to == (from + 1) % n ? amount(from) : std::uint64_t{0};
        };
    };
    switch (theory.op) {
    case CollectiveOp::all_reduce:
        return Formulas{2 * (n - 1),
            neighbour([s](std::uint32_t rank) { return 2 * s.all() - s.of(rank + 1) - s.of(rank + 2); })};
    case CollectiveOp::all_gather:
        return Formulas{n - 1, neighbour([s](std::uint32_t rank) { return s.all() - s.of(rank + 1); })};
    case CollectiveOp::reduce_scatter:
        return Formulas{n - 1, neighbour([s](std::uint32_t rank) { return s.all() - s.of(rank); })};
    case CollectiveOp::barrier: return Formulas{2 * (n - 1), [](std::uint32_t, std::uint32_t) { return 0; }};
    default: return std::nullopt;
    }
}

std::optional<Formulas> exchange(const TheoryCase& theory, std::uint32_t steps)
{
    const Shares s(theory);
    const auto others = [](auto amount) -> Between {
        return
            [amount](std::uint32_t from, std::uint32_t to) { return from == to ? std::uint64_t{0} : amount(from, to); };
    };
    const std::uint32_t root = theory.root;
    switch (theory.op) {
    case CollectiveOp::all_reduce:
        return Formulas{steps, others([s](std::uint32_t from, std::uint32_t to) { return s.of(from) + s.of(to); })};
    case CollectiveOp::all_gather:
        return Formulas{steps, others([s](std::uint32_t from, std::uint32_t) { return s.of(from); })};
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
        return Formulas{steps, others([s](std::uint32_t, std::uint32_t to) { return s.of(to); })};
    case CollectiveOp::broadcast:
        return Formulas{steps,
            others([s, root](std::uint32_t from, std::uint32_t) { return from == root ? s.all() : 0; })};
    case CollectiveOp::reduce:
        return Formulas{steps, others([s, root](std::uint32_t, std::uint32_t to) { return to == root ? s.all() : 0; })};
    case CollectiveOp::gather:
        return Formulas{steps,
            others([s, root](std::uint32_t from, std::uint32_t to) { return to == root ? s.of(from) : 0; })};
    case CollectiveOp::scatter:
        return Formulas{steps,
            others([s, root](std::uint32_t from, std::uint32_t to) { return from == root ? s.of(to) : 0; })};
    default: return Formulas{steps, [](std::uint32_t, std::uint32_t) { return 0; }};
    }
}

}  // namespace

std::optional<Formulas> simple_formulas(const TheoryCase& theory)
{
    const std::string& name = theory.algorithm;
    const std::uint32_t n = theory.ranks;
    if (theory.op == CollectiveOp::all_to_all && (name == "ring" || name == "pairwise")) return exchange(theory, n - 1);
    if (name == "ring") return ring(theory);
    if (name == "direct") return exchange(theory, theory.op == CollectiveOp::all_reduce ? 2 : 1);
    if (name == "direct_get" || name == "two_shot_get") return exchange(theory, 1);
    if (name == "two_shot_load" || name == "two_shot_staged") return exchange(theory, 2);
    if (name == "one_shot" || name == "one_shot_get" || name == "one_shot_staged")
        return Formulas{1, [all = theory.bytes](std::uint32_t from, std::uint32_t to) { return from == to ? 0 : all; }};
    if (theory.op != CollectiveOp::barrier) return std::nullopt;
    if (name == "dissemination") return exchange(theory, shapes::ceil_log2(n));
    if (name == "tree") return exchange(theory, 2 * shapes::floor_log2(n));
    return std::nullopt;
}

}  // namespace weft
