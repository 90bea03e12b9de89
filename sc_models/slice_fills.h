// The fills that a cache slice has in flight, each with the lines that wait for it and with bytes that are newer than what it
// carries (fill_patches.h).
//
// A fill keeps its slot until it ends: the line that fetches it names the slot, so that its end needs no search.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/fill_patches.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class SliceFills {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Fill {
        std::uint64_t number = 0;  // of the sector
        Line* first = nullptr;     // lines that wait for it
        Line* last = nullptr;
        std::uint32_t waiting = 0;  // beside the first
        std::uint16_t patch = FillPatches::none;
        bool write = false;            // one of them writes
        bool far = false;              // from the other partition
        std::uint32_t wide = none;     // number of the wide transaction that waits for it, too
        std::uint32_t chained = none;  // next in its bucket, or free one
    };

    SliceFills() { buckets_.fill(none); }

    std::size_t size() const { return count_; }
    Fill& at(std::uint32_t slot) { return fills_[slot]; }
    const Fill& at(std::uint32_t slot) const { return fills_[slot]; }
    // Of a sector that is on its way.
    Fill& of(std::uint64_t number) { return fills_[slot_of(number)]; }
    std::uint32_t slot_of(std::uint64_t number)
    {
        std::uint32_t slot = bucket(number);
        while (fills_[slot].number != number) slot = fills_[slot].chained;
        return slot;
    }

    // Begins one for `line`, which is ready at `ready`; returns its slot, which holds until the next begin().
    std::uint32_t begin(std::uint64_t number, Line& line, Time ready, bool far);
    // The same for a line of the wide transaction with this number.
    std::uint32_t begin(std::uint64_t number, std::uint32_t wide, bool far);
    // `line` waits for it, too.
    static void join(Fill& fill, Line& line, Time ready);
    // It has ended. The lines that waited, linked by `next`.
    Line* end(std::uint32_t slot);

    void prefetch(std::uint32_t slot) const { __builtin_prefetch(fills_[slot].first, 1); }
    // Fetches into the host's caches what the next begin() writes.
    void prefetch_begin(std::uint64_t number) const
    {
        __builtin_prefetch(&buckets_[place_of(number)], 1);
        if (free_ != none) __builtin_prefetch(&fills_[free_], 1);
    }

private:
    std::uint32_t add(const Fill& fill);
    static std::size_t place_of(std::uint64_t number) { return (number * 0x9e3779b97f4a7c15ULL) >> 57U; }
    std::uint32_t& bucket(std::uint64_t number) { return buckets_[place_of(number)]; }

    std::vector<Fill> fills_;
    std::size_t count_ = 0;
    std::uint32_t free_ = none;  // the slot that was freed last
    std::array<std::uint32_t, 128> buckets_;

public:
    // Newer bytes of a fill.
    FillPatches patches;
};

}  // namespace weft
