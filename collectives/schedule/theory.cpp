#include "collectives/schedule/theory.h"

#include <cmath>
#include <limits>

#include "base/diagnostic.h"

namespace weft {

namespace {

// The i-th of n nearly equal shares (i modulo n).
std::uint64_t share(const TheoryCase& theory, std::uint64_t i)
{
    const std::uint64_t elements = theory.bytes / theory.element_bytes;
    const bool longer = i % theory.ranks < elements % theory.ranks;
    return (elements / theory.ranks + (longer ? 1 : 0)) * theory.element_bytes;
}

// The right neighbour gets all but one share in each phase: in the reduction all but the one that
// this rank ends up with, in the distribution all but the one that the neighbour ends up with.
std::uint64_t ring_to_neighbour(const TheoryCase& theory, std::uint32_t rank)
{
    const std::uint64_t all = theory.bytes;
    switch (theory.op) {
    case CollectiveOp::all_reduce: return 2 * all - share(theory, rank + 1ull) - share(theory, rank + 2ull);
    case CollectiveOp::all_gather: return all - share(theory, rank + 1ull);
    case CollectiveOp::reduce_scatter: return all - share(theory, rank);
    case CollectiveOp::broadcast: return (rank + 1) % theory.ranks == theory.root ? 0 : all;
    default: return 0;
    }
}

bool one_shot(const TheoryCase& theory)
{
    return theory.op == CollectiveOp::all_reduce &&
           (theory.algorithm == "one_shot" || theory.algorithm == "one_shot_get");
}

std::uint64_t direct_between(const TheoryCase& theory, std::uint32_t from, std::uint32_t to)
{
    switch (theory.op) {
    case CollectiveOp::all_reduce:
        return one_shot(theory) ? theory.bytes : share(theory, from) + share(theory, to);
    case CollectiveOp::all_gather: return share(theory, from);
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all: return share(theory, to);
    case CollectiveOp::broadcast: return from == theory.root ? theory.bytes : 0;
    default: return 0;
    }
}

// Everybody exchanges with everybody, by put or by get.
bool direct(const TheoryCase& theory)
{
    const bool get = theory.algorithm == "direct_get" &&
                     (theory.op == CollectiveOp::all_gather || theory.op == CollectiveOp::reduce_scatter);
    return theory.algorithm == "direct" || get || one_shot(theory);
}

void known(const TheoryCase& theory)
{
    const bool op = theory.op == CollectiveOp::all_reduce || theory.op == CollectiveOp::all_gather ||
        theory.op == CollectiveOp::reduce_scatter || theory.op == CollectiveOp::all_to_all ||
        theory.op == CollectiveOp::broadcast || theory.op == CollectiveOp::barrier;
    if (!op || (theory.algorithm != "ring" && !direct(theory)))
        throw InputError("", 0, "no formula for " + theory.algorithm + " " + name_of(theory.op),
            "ring or direct");
}

}  // namespace

std::uint64_t theory_bytes_between(const TheoryCase& theory, std::uint32_t from, std::uint32_t to)
{
    known(theory);
    if (from == to || theory.op == CollectiveOp::barrier) return 0;
    // The pairwise exchange visits the same pairs as direct, one after the other.
    if (direct(theory) || theory.op == CollectiveOp::all_to_all)
        return direct_between(theory, from, to);
    return to == (from + 1) % theory.ranks ? ring_to_neighbour(theory, from) : 0;
}

std::uint64_t theory_bytes_sent(const TheoryCase& theory, std::uint32_t rank)
{
    known(theory);
    const std::uint64_t others = theory.ranks - 1;
    if (others == 0 || theory.op == CollectiveOp::barrier) return 0;
    if (theory.op == CollectiveOp::all_to_all) return theory.bytes - share(theory, rank);
    if (theory.algorithm == "ring") return ring_to_neighbour(theory, rank);
    switch (theory.op) {
    case CollectiveOp::all_reduce:
        if (one_shot(theory)) return others * theory.bytes;
        return theory.bytes - share(theory, rank) + others * share(theory, rank);
    case CollectiveOp::all_gather: return others * share(theory, rank);
    case CollectiveOp::reduce_scatter: return theory.bytes - share(theory, rank);
    case CollectiveOp::broadcast: return rank == theory.root ? others * theory.bytes : 0;
    default: return 0;
    }
}

std::uint32_t theory_steps(const TheoryCase& theory)
{
    known(theory);
    const std::uint32_t others = theory.ranks - 1;
    if (others == 0) return 0;
    if (direct(theory)) return theory.op == CollectiveOp::all_reduce && !one_shot(theory) ? 2 : 1;
    switch (theory.op) {
    case CollectiveOp::all_reduce:
    case CollectiveOp::barrier: return 2 * others;
    case CollectiveOp::broadcast: return others + theory.pipeline - 1;
    default: return others;
    }
}

std::uint64_t alpha_beta_ps(std::uint32_t steps, std::uint64_t alpha_ps, std::uint64_t bytes,
    std::uint64_t bytes_per_s)
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
