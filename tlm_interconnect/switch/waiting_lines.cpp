#include "tlm_interconnect/switch/waiting_lines.h"

#include "base/line_size.h"

namespace weft {

static_assert(line_bytes == 64, "a line's number is its address without six bits");

void WaitingLines::clear_into_more_places()
{
    places_ *= 4;
    table_.assign(table_.size(), {});
    used_ = 0;
    lines_ = 0;
}

// What stands behind an empty entry moves up, or it would not be found.
void WaitingLines::close(std::size_t hole)
{
    --used_;
    for (std::size_t i = (hole + 1) & mask_; table_[i].count > 0; i = (i + 1) & mask_) {
        const std::size_t wanted = table_[i].number & mask_;
        if (((i - wanted) & mask_) < ((i - hole) & mask_)) continue;
        table_[hole] = table_[i];
        hole = i;
    }
    table_[hole] = {};
}

void WaitingLines::grow()
{
    const std::vector<Place> old = std::move(table_);
    table_.assign(old.size() * 2, {});
    mask_ = table_.size() - 1;
    for (const Place& place : old) {
        if (place.count == 0) continue;
        std::size_t i = place.number & mask_;
        while (table_[i].count > 0) i = (i + 1) & mask_;
        table_[i] = place;
    }
}

}  // namespace weft
