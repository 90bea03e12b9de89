// Undirected edges between small integers, each once, in the order of first appearance.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class EdgeSet {
public:
    // Index of the edge {a, b}; `added` tells whether it is new, numbered after all earlier ones.
    std::uint32_t insert(std::uint32_t a, std::uint32_t b, bool& added)
    {
        if (2 * (keys_.size() + 1) > slots_.size()) grow();
        const std::uint64_t key = key_of(a, b);
        for (std::size_t slot = hash(key) & mask_;; slot = (slot + 1) & mask_) {
            if (slots_[slot] == 0) {
                keys_.push_back(key);
                slots_[slot] = static_cast<std::uint32_t>(keys_.size());
                added = true;
                return slots_[slot] - 1;
            }
            if (keys_[slots_[slot] - 1] == key) {
                added = false;
                return slots_[slot] - 1;
            }
        }
    }

    // Index of the edge {a, b}, or `none`.
    std::uint32_t find(std::uint32_t a, std::uint32_t b) const
    {
        if (slots_.empty()) return none;
        const std::uint64_t key = key_of(a, b);
        for (std::size_t slot = hash(key) & mask_; slots_[slot] != 0; slot = (slot + 1) & mask_)
            if (keys_[slots_[slot] - 1] == key) return slots_[slot] - 1;
        return none;
    }

    static constexpr std::uint32_t none = 0xffffffffU;

private:
    static std::uint64_t key_of(std::uint32_t a, std::uint32_t b)
    {
        return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
    }

    static std::size_t hash(std::uint64_t key)
    {
        key ^= key >> 32;
        key *= 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(key ^ key >> 29);
    }

    void grow()
    {
        slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
        mask_ = slots_.size() - 1;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            std::size_t slot = hash(keys_[i]) & mask_;
            while (slots_[slot] != 0) slot = (slot + 1) & mask_;
            slots_[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> slots_;  // open addressing, index + 1
    std::size_t mask_ = 0;
};

}  // namespace weft
