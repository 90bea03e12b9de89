#include "sc_models/l2/slice_fills.h"

namespace weft {

std::uint32_t SliceFills::add(const Fill& fill)
{
    std::uint32_t slot = free_;
    if (slot == none) {
        slot = static_cast<std::uint32_t>(fills_.size());
        fills_.emplace_back();
    } else {
        free_ = fills_[slot].chained;
    }
    std::uint32_t& chain = bucket(fill.number);
    fills_[slot] = fill;
    fills_[slot].chained = chain;
    chain = slot;
    ++count_;
    return slot;
}

std::uint32_t SliceFills::begin(std::uint64_t number, Line& line, Time ready, bool far)
{
    line.scratch.slice.ready = ready;  // the slice's own work is done then; the fill may come earlier or later
    line.next = nullptr;
    return add({number, &line, &line, 0, FillPatches::none, line.op != LineOp::read, far});
}

std::uint32_t SliceFills::begin_row(std::uint64_t sector, std::uint32_t wide, bool far)
{
    std::uint32_t slot = free_row_;
    if (slot == none) {
        slot = static_cast<std::uint32_t>(rows_.size());
        rows_.emplace_back();
    } else {
        free_row_ = rows_[slot].chained;
    }
    const std::uint64_t key = key_of(sector);
    std::uint32_t& chain = row_buckets_[place_of(key)];
    rows_[slot] = {key, wide, chain, 0, 0, far};
    chain = slot;
    return slot;
}

void SliceFills::leave_row(std::uint32_t slot, std::uint32_t lines, std::uint32_t in_row, std::uint32_t count)
{
    Row& from = rows_[slot];
    from.lines = static_cast<std::uint8_t>(from.lines & ~lines);
    from.open = static_cast<std::uint8_t>(from.open - count);
    count_ -= in_row;
    if (from.open > 0) return;
    std::uint32_t* link = &row_buckets_[place_of(from.key)];
    while (*link != slot) link = &rows_[*link].chained;
    *link = from.chained;
    from.chained = free_row_;
    free_row_ = slot;
}

// The row that has the sector.
std::uint32_t SliceFills::row_of(std::uint64_t number) const
{
    const std::uint64_t key = key_of(number);
    const std::uint32_t bit = 1U << place_in_row(number);
    std::uint32_t slot = row_buckets_[place_of(key)];
    while (rows_[slot].key != key || (rows_[slot].lines & bit) == 0) slot = rows_[slot].chained;
    return slot;
}

// A sector of a row becomes a fill by itself.
std::uint32_t SliceFills::leave_row(std::uint64_t number)
{
    Row& from = rows_[row_of(number)];
    from.lines = static_cast<std::uint8_t>(from.lines & ~(1U << place_in_row(number)));
    --count_;  // add() counts it again
    return add({number, nullptr, nullptr, 0, FillPatches::none, false, from.far});
}

bool SliceFills::is_far(std::uint64_t number) const
{
    std::uint32_t slot = buckets_[place_of(number)];
    while (slot != none && fills_[slot].number != number) slot = fills_[slot].chained;
    return slot == none ? rows_[row_of(number)].far : fills_[slot].far;
}

void SliceFills::join(Fill& fill, Line& line, Time ready)
{
    ++fill.waiting;
    line.scratch.slice.ready = ready;
    line.next = nullptr;
    if (fill.first == nullptr) {
        fill.first = &line;
    } else {
        fill.last->next = &line;
    }
    fill.last = &line;
}

Line* SliceFills::end(std::uint32_t slot)
{
    Fill& fill = fills_[slot];
    std::uint32_t* link = &bucket(fill.number);
    while (*link != slot) link = &fills_[*link].chained;
    *link = fill.chained;
    fill.chained = free_;
    free_ = slot;
    --count_;
    Line* const first = fill.first;
    fill.first = nullptr;
    return first;
}

}  // namespace weft
