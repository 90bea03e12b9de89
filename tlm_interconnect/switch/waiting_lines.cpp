#include "tlm_interconnect/switch/waiting_lines.h"

#include <systemc>

#include "base/line_size.h"
#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

static_assert(line_bytes == 64, "a line's number is its address without six bits");
static_assert(alignof(Line) == 64 && max_vcs <= 64, "the slot fits beside the address of a line");
static_assert(sizeof(WaitingLines::Place) == 16, "four places fill a cache line of the host");

void WaitingLines::report_too_many()
{
    SC_REPORT_FATAL("/weft/port", "more than 2^20 packets to one address wait at a port");
}

// What stands behind an empty entry moves up, or it would not be found.
void WaitingLines::close(std::size_t hole)
{
    --used_;
    for (std::size_t i = (hole + 1) & mask_; table_[i].count_ > 0; i = (i + 1) & mask_) {
        const std::size_t wanted = table_[i].number_ & mask_;
        if (((i - wanted) & mask_) < ((i - hole) & mask_)) continue;
        table_[hole] = table_[i];
        hole = i;
    }
    table_[hole] = Place();
}

void WaitingLines::resize(std::size_t size)
{
    const std::vector<Place> old = std::move(table_);
    table_.assign(size, Place());
    mask_ = table_.size() - 1;
    for (const Place& place : old) {
        if (place.count_ == 0) continue;
        std::size_t i = place.number_ & mask_;
        while (table_[i].count_ > 0) i = (i + 1) & mask_;
        table_[i] = place;
    }
}

}  // namespace weft
