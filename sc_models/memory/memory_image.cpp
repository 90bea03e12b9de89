#include "sc_models/memory/memory_image.h"

#include <algorithm>
#include <cstring>

#include "sc_models/memory/flag_stride.h"

namespace weft {

void MemoryImage::stored_read(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) const
{
    if (!data_on_) return;
    while (bytes > 0) {
        const std::uint64_t page = local / page_bytes;
        const std::uint64_t offset = local % page_bytes;
        const std::uint64_t count = std::min(bytes, page_bytes - offset);
        if (page < pages_.size() && pages_[page]) {
            std::memcpy(out, pages_[page].get() + offset, count);
        } else {
            std::memset(out, 0, count);
        }
        out += count;
        local += count;
        bytes -= count;
    }
}

void MemoryImage::stored_write(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes)
{
    if (!data_on_) return;
    while (bytes > 0) {
        const std::uint64_t page = local / page_bytes;
        const std::uint64_t offset = local % page_bytes;
        const std::uint64_t count = std::min(bytes, page_bytes - offset);
        if (page >= pages_.size()) pages_.resize(page + 1);
        if (!pages_[page]) pages_[page] = std::make_unique<std::uint8_t[]>(page_bytes);
        std::memcpy(pages_[page].get() + offset, in, count);
        in += count;
        local += count;
        bytes -= count;
    }
}

std::uint64_t& MemoryImage::flag(std::uint64_t local)
{
    if (local % flag_stride != 0) return other_words_[local / 8];
    const std::uint64_t index = (local - flag_base) / flag_stride;
    if (index >= flags_.size()) flags_.resize(index + 1, 0);
    return flags_[index];
}

namespace {

// Calls visit(page, word, bits) for every word of marks that [local, local + bytes) has a part in, until it is false.
template <typename Visit>
bool for_each_word(std::uint64_t local, std::uint64_t bytes, Visit visit)
{
    constexpr std::uint64_t grain = MemoryImage::packet_grain;
    constexpr std::uint64_t word_bytes = 64 * grain;
    const std::uint64_t end = local + bytes;
    while (local < end) {
        const std::uint64_t stop = std::min(end, local / word_bytes * word_bytes + word_bytes);
        const std::uint64_t count = (stop - local) / grain;
        const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        if (!visit(local / MemoryImage::page_bytes, local % MemoryImage::page_bytes / word_bytes,
                ones << local / grain % 64))
            return false;
        local = stop;
    }
    return true;
}

}  // namespace

void MemoryImage::mark(std::uint64_t local, std::uint64_t bytes, bool come)
{
    for_each_word(local, bytes, [&](std::uint64_t page, std::uint64_t word, std::uint64_t bits) {
        if (page >= marks_.size()) marks_.resize(page + 1);
        if (!marks_[page]) marks_[page] = std::make_unique<Marks>();
        std::uint64_t& marks = (*marks_[page])[word];
        marks = come ? marks | bits : marks & ~bits;
        return true;
    });
}

bool MemoryImage::packets_there(std::uint64_t local, std::uint64_t bytes) const
{
    return for_each_word(local, bytes, [&](std::uint64_t page, std::uint64_t word, std::uint64_t bits) {
        return page < marks_.size() && marks_[page] && ((*marks_[page])[word] & bits) == bits;
    });
}

void MemoryImage::discard(std::uint64_t local, std::uint64_t bytes)
{
    tell(local, bytes);
    const std::uint64_t first = (local + page_bytes - 1) / page_bytes;
    const std::uint64_t last = std::min<std::uint64_t>((local + bytes) / page_bytes, pages_.size());
    for (std::uint64_t page = first; page < last; ++page) pages_[page].reset();
}

}  // namespace weft
