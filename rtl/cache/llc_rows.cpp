#include "rtl/cache/llc_rows.h"

#include <algorithm>
#include <cstring>

namespace weft {

LlcRows::LlcRows(std::uint32_t sets, std::uint32_t ways, std::uint32_t index_low)
    : ways_(ways), index_low_(index_low), mask_(sets - 1), places_(std::size_t{sets} * ways), in_order_(places_.size())
{
    reset();
}

void LlcRows::reset()
{
    std::fill(places_.begin(), places_.end(), Place{});
    for (std::size_t i = 0; i < in_order_.size(); ++i) in_order_[i] = static_cast<std::uint8_t>(i % ways_);
}

std::uint32_t LlcRows::find(std::uint64_t line) const
{
    const std::uint32_t first = row(line) * ways_;
    for (std::uint32_t place = first; place < first + ways_; ++place)
        if (places_[place].line == line) return place;
    return none;
}

std::uint32_t LlcRows::victim(std::uint64_t line) const
{
    const std::uint32_t first = row(line) * ways_;
    for (std::uint32_t i = ways_; i-- > 0;) {
        const std::uint32_t place = first + in_order_[first + i];
        if (places_[place].state != pending) return place;
    }
    return none;
}

void LlcRows::touch(std::uint32_t place)
{
    const std::uint32_t first = place / ways_ * ways_;
    std::uint8_t* const order = in_order_.data() + first;
    const auto way = static_cast<std::uint8_t>(place - first);
    std::uint32_t at = 0;
    while (order[at] != way) ++at;
    std::memmove(order + 1, order, at);
    order[0] = way;
}

}  // namespace weft
