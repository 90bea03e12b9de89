// Tags of one cache slice: set-associative, least recently used replacement.
//
// A set is a row of 32-bit words in order of use, most recent first, so that a look-up touches one host
// cache line and replacement needs no counters.
#pragma once

#include <cstdint>
#include <vector>

#include "base/divider.h"

namespace weft {

class TagArray {
public:
    // Up to 2^20 sets.
    TagArray(std::uint64_t sets, unsigned ways);
    TagArray(const TagArray&) = delete;
    TagArray& operator=(const TagArray&) = delete;

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t dirty_bit = 1;
    static constexpr std::uint32_t pending_bit = 2;  // allocated, fill on its way

    // `number` is the line's number within the slice (dense, below 2^30 x sets).
    // Word of the line, moved to the front of its set; nullptr when it is not there.
    std::uint32_t* find(std::uint64_t number);

    void prefetch(std::uint64_t number) const { __builtin_prefetch(first_ + std::size_t{sets_.remainder(number)} * ways_, 1); }

    struct Victim {
        bool dirty = false;
        std::uint64_t number = 0;
    };
    // Puts the line at the front of its set in place of the least recently used one that is not
    // pending. Null when every way of the set is pending. `victim` says what had to go.
    std::uint32_t* allocate(std::uint64_t number, std::uint32_t bits, Victim& victim);

private:
    std::uint32_t* row(std::uint64_t number) { return first_ + std::size_t{sets_.remainder(number)} * ways_; }
    std::uint32_t tag(std::uint64_t number) const { return static_cast<std::uint32_t>(sets_.quotient(number)) << 2; }

    Divider sets_;
    unsigned ways_;
    std::vector<std::uint32_t> words_;
    std::uint32_t* first_;  // of words_, at the start of a host cache line: 16 ways fill one
};

}  // namespace weft
