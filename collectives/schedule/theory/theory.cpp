#include "collectives/schedule/theory/theory.h"

#include <cmath>
#include <limits>

#include "base/diagnostic.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

Formulas formulas_of(const TheoryCase& theory)
{
    const AlgorithmInfo* info = algorithm_info(theory.op, theory.algorithm);
    if (info && theory.ranks == 1) return {0, [](std::uint32_t, std::uint32_t) { return 0; }};
    // Phases come first: they are what a ring in another order is made of.
    for (const auto family : {phase_formulas, simple_formulas, tree_formulas, recursive_formulas, switch_formulas}) {
        if (!info) break;
        if (std::optional<Formulas> formulas = family(theory)) return *std::move(formulas);
    }
    throw InputError("", 0, "no formula for " + theory.algorithm + " " + name_of(theory.op),
        "a built-in algorithm of this collective");
}

}  // namespace

TheoryCase theory_case(CollectiveOp op, const std::string& algorithm, std::uint32_t ranks, std::uint64_t bytes,
    std::uint32_t element_bytes, const AlgorithmOptions& options)
{
    return {op, algorithm, ranks, bytes, element_bytes, has_root(op) ? options.root : 0, options.pipeline,
        options.rings, options.orders, options.dimensions, options.scheduling};
}

std::uint64_t theory_bytes_between(const TheoryCase& theory, std::uint32_t from, std::uint32_t to)
{
    return formulas_of(theory).between(from, to);
}

std::uint64_t theory_bytes_sent(const TheoryCase& theory, std::uint32_t rank)
{
    const Formulas formulas = formulas_of(theory);
    if (formulas.sent) return formulas.sent(rank);
    std::uint64_t sum = 0;
    for (std::uint32_t to = 0; to < theory.ranks; ++to) sum += formulas.between(rank, to);
    return sum;
}

std::vector<std::uint64_t> theory_bytes_pairs(const TheoryCase& theory)
{
    const Formulas formulas = formulas_of(theory);
    std::vector<std::uint64_t> pairs;
    for (std::uint32_t from = 0; from < theory.ranks; ++from)
        for (std::uint32_t to = 0; to < theory.ranks; ++to) pairs.push_back(formulas.between(from, to));
    return pairs;
}

std::uint32_t theory_steps(const TheoryCase& theory) { return formulas_of(theory).steps; }

std::uint64_t alpha_beta_ps(std::uint32_t steps, std::uint64_t alpha_ps, std::uint64_t bytes, std::uint64_t bytes_per_s)
{
    const long double transfer =
        std::ceil(static_cast<long double>(bytes) * 1e12L / static_cast<long double>(bytes_per_s));
    const long double total = static_cast<long double>(steps) * static_cast<long double>(alpha_ps) + transfer;
    if (total >= 18446744073709551615.0L) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(total);
}

double bus_factor(CollectiveOp op, std::uint32_t ranks)
{
    const double n = ranks;
    switch (op) {
    case CollectiveOp::all_reduce: return 2 * (n - 1) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter: return (n - 1) / n;
    default: return 1;
    }
}

}  // namespace weft
