// Recursive halving and doubling with p = 2^floor(log2 n), and Bruck's all_to_all.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

bool power_of_two(std::uint32_t x) { return x != 0 && (x & (x - 1)) == 0; }

// `exchanged`(rank, d): what is exchanged at distance d that belongs to the block of d ranks around `rank`;
// `handed`(from, to): what a folded rank hands in, or is handed.
template <typename Exchanged, typename Handed>
Formulas folded(std::uint32_t n, std::uint32_t steps, Exchanged exchanged, Handed handed)
{
    const std::uint32_t p = 1u << shapes::floor_log2(n);
    return {steps + (n > p ? 2u : 0u), [=](std::uint32_t from, std::uint32_t to) -> std::uint64_t {
                if (from < p && to < p) return power_of_two(from ^ to) ? exchanged(from, to, from ^ to) : 0;
                return from + p == to || to + p == from ? handed(from, to) : 0;
            }};
}

std::optional<Formulas> all_to_all(const TheoryCase& theory)
{
    const Shares s(theory);
    const std::uint32_t n = theory.ranks;
    return Formulas{shapes::ceil_log2(n), [=](std::uint32_t from, std::uint32_t to) -> std::uint64_t {
                        const std::uint32_t hop = (to + n - from) % n;
                        if (!power_of_two(hop)) return 0;
                        // Blocks that go o ranks in all, have gone the lower bits of o and now go this one.
                        std::uint64_t bytes = 0;
                        for (std::uint32_t o = hop; o < n; ++o)
                            if (o & hop) bytes += s.of(from + n - (o & (hop - 1)) + o);
                        return bytes;
                    }};
}

}  // namespace

std::optional<Formulas> recursive_formulas(const TheoryCase& theory)
{
    const Shares s(theory);
    const std::uint32_t n = theory.ranks;
    const std::uint32_t log = shapes::floor_log2(n);
    const std::uint32_t p = 1u << log;
    const std::string& name = theory.algorithm;
    const auto everything = [s](std::uint32_t, std::uint32_t) { return s.all(); };
    // Shares of the block of d ranks that holds `rank`, and of those folded into them.
    const auto block = [s, n, p](std::uint32_t rank, std::uint32_t d) {
        const std::uint32_t first = rank & ~(d - 1);
        std::uint64_t bytes = s.of(first, n, d);
        for (std::uint32_t i = first + p; i < first + p + d && i < n; ++i) bytes += s.of(i);
        return bytes;
    };
    if (theory.op == CollectiveOp::all_to_all && name == "bruck") return all_to_all(theory);
    if (theory.op == CollectiveOp::all_reduce && name == "recursive_doubling")
        return folded(
            n, log, [s](std::uint32_t, std::uint32_t, std::uint32_t) { return s.all(); }, everything);
    if (theory.op == CollectiveOp::all_reduce && name == "halving_doubling")
        return folded(
            n, 2 * log,
            [s, p](std::uint32_t from, std::uint32_t to, std::uint32_t d) {
                return s.of(to & ~(d - 1), p, d) + s.of(from & ~(d - 1), p, d);
            },
            everything);
    if (theory.op == CollectiveOp::all_gather && name == "recursive_doubling")
        return folded(
            n, log, [block](std::uint32_t from, std::uint32_t, std::uint32_t d) { return block(from, d); },
            [s](std::uint32_t from, std::uint32_t to) { return from > to ? s.of(from) : s.all() - s.of(to); });
    if (theory.op == CollectiveOp::reduce_scatter && name == "recursive_halving")
        return folded(
            n, log, [block](std::uint32_t, std::uint32_t to, std::uint32_t d) { return block(to, d); },
            [s](std::uint32_t from, std::uint32_t to) { return from > to ? s.all() - s.of(from) : s.of(to); });
    return std::nullopt;
}

}  // namespace weft
