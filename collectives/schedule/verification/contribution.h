// Symbolic values: what a chunk holds is a multiset of contributions, each one input chunk of one
// rank. Equal multisets have equal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/element.h"

namespace weft {

struct Contribution {
    std::uint32_t rank = 0;
    std::uint32_t chunk = 0;
    std::uint32_t times = 1;
};

using ValueId = std::uint32_t;
constexpr ValueId nothing_written = 0;

class Contributions {
public:
    // Minimum and maximum do not change when a contribution comes twice: it counts once.
    explicit Contributions(ReduceOp reduction);

    ValueId input(std::uint32_t rank, std::uint32_t chunk) { return intern({{rank, chunk, 1}}); }
    // The same input chunk of ranks 0 to ranks - 1.
    ValueId sum_over_ranks(std::uint32_t ranks, std::uint32_t chunk);
    // Nothing combined with anything is nothing.
    ValueId combine(ValueId a, ValueId b);

    // "input chunk 3 of ranks 0-2, 5 (2 times)"
    std::string text(ValueId value) const;
    // Contributions held by all values together: what memory is spent on.
    std::size_t held() const { return held_; }

private:
    ValueId intern(std::vector<Contribution> sorted);

    ReduceOp reduction_;
    std::vector<std::vector<Contribution>> values_;
    std::unordered_multimap<std::uint64_t, ValueId> by_hash_;
    std::unordered_map<std::uint64_t, ValueId> combined_;
    std::size_t held_ = 0;
};

}  // namespace weft
