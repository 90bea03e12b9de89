// A hash table from 64-bit keys to 32-bit numbers, open addressing, without removal: a few nanoseconds a look-up. Nothing may
// depend on the order of its entries, so it has none to walk along.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class FlatMap {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // `none` where the key is unknown.
    std::uint32_t find(std::uint64_t key) const
    {
        if (entries_.empty()) return none;
        for (std::size_t at = slot_of(key);; at = (at + 1) & (entries_.size() - 1))
            if (entries_[at].value == none || entries_[at].key == key) return entries_[at].value;
    }
    // The key must be unknown, the value not `none`.
    void insert(std::uint64_t key, std::uint32_t value)
    {
        if (2 * (size_ + 1) > entries_.size()) grow();
        place(key, value);
        ++size_;
    }
    std::size_t size() const { return size_; }
    void clear()
    {
        entries_.clear();
        size_ = 0;
    }

private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t value = none;
    };

    std::size_t slot_of(std::uint64_t key) const
    {
        key ^= key >> 32;
        key *= 0x9e3779b97f4a7c15U;
        return static_cast<std::size_t>((key ^ key >> 29) & (entries_.size() - 1));
    }
    void place(std::uint64_t key, std::uint32_t value)
    {
        std::size_t at = slot_of(key);
        while (entries_[at].value != none) at = (at + 1) & (entries_.size() - 1);
        entries_[at] = {key, value};
    }
    void grow()
    {
        std::vector<Entry> old = std::move(entries_);
        entries_.assign(old.empty() ? 16 : 2 * old.size(), {});
        for (const Entry& entry : old)
            if (entry.value != none) place(entry.key, entry.value);
    }

    std::vector<Entry> entries_;
    std::size_t size_ = 0;
};

}  // namespace weft
