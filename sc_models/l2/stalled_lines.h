// Lines that a cache slice has no room for, in order of arrival.
//
// A turn looks at those that can have room now: in order while there is any, and further only at lines whose sector
// has come in or is on its way. What has no place yet keeps its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

class StalledLines {
public:
    enum class Outcome : std::uint8_t {
        gone,
        stays,       // until there is room, or its sector comes in
        looks_again  // until the next turn, whatever happens
    };

    StalledLines() { buckets_.fill(none); }

    bool empty() const { return first_ == none; }
    void add(Line& line, std::uint64_t sector, Outcome how);
    // The sector is here or on its way: who waits for it is to be looked at in this turn, or else in the next.
    void arrived(std::uint64_t sector);

    // `look` gets a line and its sector and says what became of it; `room` says whether misses can begin.
    template <class Room, class Look>
    void turn(const Room& room, const Look& look)
    {
        std::uint32_t slot = first_;
        in_turn_ = true;
        position_ = 0;
        while (slot != none && room()) {
            const std::uint32_t following = slots_[slot].after;
            visit(slot, look);
            slot = following;
        }
        while (!due_.empty()) {
            std::pop_heap(due_.begin(), due_.end(), later);
            const Entry entry = due_.back();
            due_.pop_back();
            if (entry.first > position_ && slots_[entry.second].number == entry.first) visit(entry.second, look);
        }
        in_turn_ = false;
        due_.swap(next_);
        std::make_heap(due_.begin(), due_.end(), later);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    using Entry = std::pair<std::uint64_t, std::uint32_t>;  // number of a line, its slot

    struct Slot {
        Line* line;
        std::uint64_t sector;
        std::uint64_t number;  // by order of arrival, from 1; 0: free
        std::uint32_t before;  // in order of arrival
        std::uint32_t after;
        std::uint32_t chained;  // next in its bucket
    };

    static bool later(const Entry& a, const Entry& b) { return a.first > b.first; }
    std::uint32_t& bucket(std::uint64_t sector) { return buckets_[(sector * 0x9e3779b97f4a7c15ULL) >> 56U]; }
    void remove(std::uint32_t slot);

    template <class Look>
    void visit(std::uint32_t slot, const Look& look)
    {
        const std::uint64_t number = slots_[slot].number;
        position_ = number;
        switch (look(*slots_[slot].line, slots_[slot].sector)) {
        case Outcome::gone: remove(slot); break;
        case Outcome::stays: break;
        case Outcome::looks_again: next_.emplace_back(number, slot); break;
        }
    }

    std::uint32_t first_ = none;
    std::uint32_t last_ = none;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::array<std::uint32_t, 256> buckets_;
    std::uint64_t arrivals_ = 0;
    std::uint64_t position_ = 0;  // of the line that is looked at
    bool in_turn_ = false;
    std::vector<Entry> due_;   // heap by arrival: to be looked at, room or not
    std::vector<Entry> next_;  // the same in the turn after this one
};

}  // namespace weft
