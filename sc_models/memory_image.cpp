#include "sc_models/memory_image.h"

#include <algorithm>
#include <cstring>

namespace weft {

void MemoryImage::read(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) const
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

void MemoryImage::write(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes)
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
    const std::uint64_t index = (local - flag_base) / 8;
    if (index >= flags_.size()) flags_.resize(index + 1, 0);
    return flags_[index];
}

void MemoryImage::discard(std::uint64_t local, std::uint64_t bytes)
{
    const std::uint64_t first = (local + page_bytes - 1) / page_bytes;
    const std::uint64_t last = std::min<std::uint64_t>((local + bytes) / page_bytes, pages_.size());
    for (std::uint64_t page = first; page < last; ++page) pages_[page].reset();
}

}  // namespace weft
