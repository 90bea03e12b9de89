// A set of 64-bit ids that stays small when they are dense: runs of whole 64-id words are kept as
// intervals, other words as bits. Ids 0..n-1 in any order end as one interval; every second id costs
// about 1.5 bytes apiece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace weft::chakra {

class IdSet {
public:
    bool insert(std::uint64_t id);  // false when it was there
    bool contains(std::uint64_t id) const;
    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // Intervals and partly filled words in memory.
    std::size_t pieces() const { return full_.size() + partial_.size(); }

private:
    bool is_full(std::uint64_t word) const;
    void fill(std::uint64_t word);

    std::map<std::uint64_t, std::uint64_t> full_;     // first word -> last word
    std::map<std::uint64_t, std::uint64_t> partial_;  // word -> bits
    std::uint64_t size_ = 0;
};

}  // namespace weft::chakra
