#include "collectives/chakra/id_set.h"

#include <iterator>

namespace weft::chakra {

namespace {

constexpr unsigned word_bits = 6;

std::uint64_t bit_of(std::uint64_t id) { return std::uint64_t{1} << (id & 63); }

}  // namespace

bool IdSet::is_full(std::uint64_t word) const
{
    auto after = full_.upper_bound(word);
    return after != full_.begin() && std::prev(after)->second >= word;
}

bool IdSet::contains(std::uint64_t id) const
{
    const std::uint64_t word = id >> word_bits;
    if (is_full(word)) return true;
    const auto found = partial_.find(word);
    return found != partial_.end() && (found->second & bit_of(id)) != 0;
}

bool IdSet::insert(std::uint64_t id)
{
    if (contains(id)) return false;
    const std::uint64_t word = id >> word_bits;
    std::uint64_t& bits = partial_[word];
    bits |= bit_of(id);
    ++size_;
    if (~bits == 0) {
        partial_.erase(word);
        fill(word);
    }
    return true;
}

void IdSet::fill(std::uint64_t word)
{
    // Words are below 2^58: neither neighbour wraps.
    std::uint64_t last = word;
    const auto next = full_.find(word + 1);
    if (next != full_.end()) {
        last = next->second;
        full_.erase(next);
    }
    const auto after = full_.upper_bound(word);
    if (after != full_.begin() && std::prev(after)->second + 1 == word)
        std::prev(after)->second = last;
    else
        full_.emplace(word, last);
}

}  // namespace weft::chakra
