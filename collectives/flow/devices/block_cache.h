// Which blocks of kernels a cache holds: least recently used, whole blocks of some KiB in place of lines. Ways and sets do not count.
//
// A block comes in up to eight parts, each at a time of its own.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace weft {

class BlockCache {
public:
    static constexpr unsigned parts = 8;

    explicit BlockCache(std::uint64_t lines) : room_(lines) {}

    // When this part of the block is there; 0: it is not.
    std::uint64_t find(std::uint64_t block, unsigned part)
    {
        const auto at = places_.find(block);
        if (at == places_.end()) return 0;
        touch(at->second);
        return entries_[at->second].there[part];
    }
    // The part is there from `time` on. `lines` that the block takes. Lines to be written back for it.
    std::uint64_t fill(std::uint64_t block, unsigned part, std::uint64_t lines, std::uint64_t time)
    {
        return put(block, lines, false, [&](Entry& entry) { entry.there[part] = time; });
    }
    // All of the block is written.
    std::uint64_t write(std::uint64_t block, std::uint64_t lines, std::uint64_t time)
    {
        return put(block, lines, true, [&](Entry& entry) { entry.there.fill(time); });
    }

    void clear() { *this = BlockCache(room_); }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        std::uint64_t block = 0;
        std::uint64_t lines = 0;
        bool dirty = false;
        std::uint32_t newer = none;
        std::uint32_t older = none;
        std::array<std::uint64_t, parts> there{};
    };

    template <class Change>
    std::uint64_t put(std::uint64_t block, std::uint64_t lines, bool dirty, const Change& change);
    void touch(std::uint32_t place);
    void unlink(std::uint32_t place);
    void link_newest(std::uint32_t place);

    std::uint64_t room_;
    std::uint64_t held_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> free_;
    std::uint32_t newest_ = none;
    std::uint32_t oldest_ = none;
};

template <class Change>
std::uint64_t BlockCache::put(std::uint64_t block, std::uint64_t lines, bool dirty, const Change& change)
{
    std::uint64_t written_back = 0;
    const auto [at, fresh] = places_.try_emplace(block, 0);
    if (fresh) {
        std::uint32_t place = static_cast<std::uint32_t>(entries_.size());
        if (free_.empty()) {
            entries_.emplace_back();
        } else {
            place = free_.back();
            free_.pop_back();
        }
        at->second = place;
        entries_[place] = Entry{};
        entries_[place].block = block;
        entries_[place].lines = lines;
        held_ += lines;
        link_newest(place);
        while (held_ > room_ && oldest_ != place) {
            const std::uint32_t victim = oldest_;
            unlink(victim);
            held_ -= entries_[victim].lines;
            if (entries_[victim].dirty) written_back += entries_[victim].lines;
            places_.erase(entries_[victim].block);
            free_.push_back(victim);
        }
    } else {
        touch(at->second);
    }
    Entry& entry = entries_[places_.find(block)->second];
    entry.dirty = entry.dirty || dirty;
    change(entry);
    return written_back;
}

inline void BlockCache::touch(std::uint32_t place)
{
    if (place == newest_) return;
    unlink(place);
    link_newest(place);
}

inline void BlockCache::unlink(std::uint32_t place)
{
    Entry& entry = entries_[place];
    (entry.newer == none ? newest_ : entries_[entry.newer].older) = entry.older;
    (entry.older == none ? oldest_ : entries_[entry.older].newer) = entry.newer;
    entry.newer = entry.older = none;
}

inline void BlockCache::link_newest(std::uint32_t place)
{
    entries_[place].older = newest_;
    (newest_ == none ? oldest_ : entries_[newest_].newer) = place;
    newest_ = place;
}

}  // namespace weft
