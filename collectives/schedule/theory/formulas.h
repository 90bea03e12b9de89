// The formulas of one algorithm for one case, and the families they come in (theory_*.cpp).
#pragma once

#include <functional>
#include <optional>

#include "collectives/schedule/theory/theory.h"

namespace weft {

struct Formulas {
    std::uint32_t steps = 0;
    std::function<std::uint64_t(std::uint32_t from, std::uint32_t to)> between;
    // Empty: the sum of `between` over all others.
    std::function<std::uint64_t(std::uint32_t rank)> sent = {};
};

// Shares of the message of a case.
class Shares {
public:
    explicit Shares(const TheoryCase& theory)
        : bytes_(theory.bytes), element_bytes_(theory.element_bytes), ranks_(theory.ranks)
    {
    }

    std::uint64_t all() const { return bytes_; }
    // Size of one of n nearly equal shares; of `count` of `chunks` from `first` on.
    std::uint64_t of(std::uint32_t rank) const { return of(rank % ranks_, ranks_); }
    std::uint64_t of(std::uint32_t first, std::uint32_t chunks, std::uint32_t count = 1) const
    {
        return chunk_bounds(bytes_, element_bytes_, chunks, first, count).size();
    }

private:
    std::uint64_t bytes_;
    std::uint32_t element_bytes_;
    std::uint32_t ranks_;
};

// Each for 2 ranks or more; nothing if the algorithm is of another family.
std::optional<Formulas> simple_formulas(const TheoryCase& theory);  // ring, direct, barriers
std::optional<Formulas> phase_formulas(const TheoryCase& theory);
std::optional<Formulas> tree_formulas(const TheoryCase& theory);
std::optional<Formulas> recursive_formulas(const TheoryCase& theory);  // and Bruck's all_to_all
std::optional<Formulas> switch_formulas(const TheoryCase& theory);

}  // namespace weft
