#include "sc_models/l2/write_backs.h"

#include <cstring>

namespace weft {

void WriteBacks::add(std::uint64_t sector, Line& line)
{
    patch(sector, 0, line.data(), line_bytes);
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (free_.empty()) {
        slots_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    std::uint32_t& chain = bucket(sector);
    slots_[slot] = {sector, &line, chain};
    chain = slot;
}

void WriteBacks::remove(std::uint64_t sector, const Line& line)
{
    std::uint32_t* link = &bucket(sector);
    while (slots_[*link].line != &line) link = &slots_[*link].chained;
    const std::uint32_t slot = *link;
    *link = slots_[slot].chained;
    free_.push_back(slot);
}

Line* WriteBacks::find(std::uint64_t sector)
{
    for (std::uint32_t slot = bucket(sector); slot != none; slot = slots_[slot].chained)
        if (slots_[slot].sector == sector) return slots_[slot].line;
    return nullptr;
}

void WriteBacks::patch(std::uint64_t sector, unsigned offset, const std::uint8_t* bytes, unsigned size)
{
    for (std::uint32_t slot = bucket(sector); slot != none; slot = slots_[slot].chained)
        if (slots_[slot].sector == sector) std::memcpy(slots_[slot].line->data() + offset, bytes, size);
}

}  // namespace weft
