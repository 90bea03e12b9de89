#include "sc_models/slice_fills.h"

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

std::uint32_t SliceFills::begin(std::uint64_t number, std::uint32_t wide, bool far)
{
    return add({number, nullptr, nullptr, 0, FillPatches::none, false, far, wide});
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
