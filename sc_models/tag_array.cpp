#include "sc_models/tag_array.h"

namespace weft {

namespace {

constexpr std::size_t host_line = 64;

std::uint32_t* aligned(std::uint32_t* words)
{
    const auto address = reinterpret_cast<std::uintptr_t>(words);
    return words + ((address + host_line - 1) / host_line * host_line - address) / sizeof(std::uint32_t);
}

}  // namespace

TagArray::TagArray(std::uint64_t sets, unsigned ways)
    : sets_(static_cast<std::uint32_t>(sets)), ways_(ways),
      words_(sets * ways + host_line / sizeof(std::uint32_t), none), first_(aligned(words_.data()))
{
}

std::uint32_t* TagArray::find(std::uint64_t number)
{
    std::uint32_t* words = row(number);
    const std::uint32_t wanted = tag(number);
    // Most look-ups of a stream miss: first a pass without branches, then the place.
    unsigned present = 0;
    for (unsigned way = 0; way < ways_; ++way) present |= (words[way] & ~(dirty_bit | pending_bit)) == wanted ? 1U : 0U;
    if (present == 0) return nullptr;
    for (unsigned way = 0; way < ways_; ++way) {
        if ((words[way] & ~(dirty_bit | pending_bit)) != wanted || words[way] == none) continue;
        const std::uint32_t word = words[way];
        for (; way > 0; --way) words[way] = words[way - 1];
        words[0] = word;
        return words;
    }
    return nullptr;
}

std::uint32_t* TagArray::allocate(std::uint64_t number, std::uint32_t bits, Victim& victim)
{
    std::uint32_t* words = row(number);
    unsigned way = ways_;
    while (way > 0 && words[way - 1] != none && (words[way - 1] & pending_bit) != 0) --way;
    if (way == 0) return nullptr;
    --way;
    victim.dirty = words[way] != none && (words[way] & dirty_bit) != 0;
    victim.number = std::uint64_t{words[way] >> 2} * sets_.divisor() + sets_.remainder(number);
    for (; way > 0; --way) words[way] = words[way - 1];
    words[0] = tag(number) | bits;
    return words;
}

}  // namespace weft
