// The fills that a cache slice has in flight, each with the lines that wait for it and with bytes that are newer than what it
// carries (fill_patches.h).
//
// A fill keeps its slot until it ends: the line that fetches it names the slot, so that its end needs no search.
//
// Lines that a wide transaction fetches are a row: a bit each, until somebody else waits for one of them or writes to it. That one
// is a fill by itself from then on (of()), and the row knows of it no more.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/l2/fill_patches.h"
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
        std::uint32_t chained = none;  // next in its bucket, or free one
    };
    // Lines on their way for one wide transaction, of eight sectors in a row.
    struct Row {
        std::uint64_t key = 0;         // of the eight
        std::uint32_t wide = none;     // number of the transaction
        std::uint32_t chained = none;  // next in its bucket, or free one
        std::uint8_t lines = 0;        // those that are no fills by themselves
        std::uint8_t open = 0;         // lines that have not come
        bool far = false;
    };

    // `mirrored`: above the sector's number there is a bit for the home of its tag.
    SliceFills(unsigned sector_shift, bool mirrored)
        : within_tag_(mirrored ? (1U << sector_shift) - 1 : 7U), home_shift_(mirrored ? 1 : 0)
    {
        buckets_.fill(none);
        row_buckets_.fill(none);
    }

    std::size_t size() const { return count_; }
    Fill& at(std::uint32_t slot) { return fills_[slot]; }
    const Fill& at(std::uint32_t slot) const { return fills_[slot]; }
    // The fill of a sector that is on its way. If the sector is in a row, it is taken out of that first.
    Fill& of(std::uint64_t number) { return fills_[slot_of(number)]; }
    std::uint32_t slot_of(std::uint64_t number)
    {
        std::uint32_t slot = bucket(number);
        while (slot != none && fills_[slot].number != number) slot = fills_[slot].chained;
        return __builtin_expect(slot == none, 0) ? leave_row(number) : slot;
    }
    // Whether what is on its way comes from the other partition.
    bool is_far(std::uint64_t number) const;

    // Begins one for `line`, which is ready at `ready`; returns its slot, which holds until the next begin().
    std::uint32_t begin(std::uint64_t number, Line& line, Time ready, bool far);
    // A row, still without lines, for the transaction with this number that has the sector.
    std::uint32_t begin_row(std::uint64_t sector, std::uint32_t wide, bool far);
    Row& row(std::uint32_t slot) { return rows_[slot]; }
    // `lines`: a bit for each, from the first of the eight sectors.
    void join_row(std::uint32_t slot, std::uint32_t lines, std::uint32_t count)
    {
        Row& to = rows_[slot];
        to.lines = static_cast<std::uint8_t>(to.lines | lines);
        to.open = static_cast<std::uint8_t>(to.open + count);
        count_ += count;
    }
    // So many lines of it have come, of which those of the bits were still in it. With the last one the row is no more.
    void leave_row(std::uint32_t slot, std::uint32_t lines, std::uint32_t in_row, std::uint32_t count);
    // Which of the eight sectors in a row it is.
    std::uint32_t place_in_row(std::uint64_t number) const
    {
        return static_cast<std::uint32_t>((number >> home_shift_ & 7U & ~within_tag_) | (number & within_tag_));
    }
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
    void prefetch_begin_row(std::uint64_t number) const
    {
        __builtin_prefetch(&row_buckets_[place_of(key_of(number))], 1);
        if (free_row_ != none) __builtin_prefetch(&rows_[free_row_], 1);
    }

private:
    std::uint32_t add(const Fill& fill);
    static std::size_t place_of(std::uint64_t number) { return (number * 0x9e3779b97f4a7c15ULL) >> 57U; }
    std::uint32_t& bucket(std::uint64_t number) { return buckets_[place_of(number)]; }
    std::uint64_t key_of(std::uint64_t number) const
    {
        return number & ~std::uint64_t{(7U & ~within_tag_) << home_shift_ | within_tag_};
    }
    std::uint32_t row_of(std::uint64_t number) const;
    [[gnu::noinline]] std::uint32_t leave_row(std::uint64_t number);

    std::vector<Fill> fills_;
    std::size_t count_ = 0;
    std::uint32_t free_ = none;  // the slot that was freed last
    std::array<std::uint32_t, 128> buckets_;
    std::uint32_t
        within_tag_;  // the bits of a sector's number that say where it is in its tag; without homes, of the eight
    unsigned home_shift_;
    std::uint32_t free_row_ = none;
    std::vector<Row> rows_;
    std::array<std::uint32_t, 128> row_buckets_;

public:
    // Newer bytes of a fill.
    FillPatches patches;
};

}  // namespace weft
