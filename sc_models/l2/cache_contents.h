// The bytes that one cache holds (l2.contents = cached): 64 for each sector of each place of its tags (tag_array.h).
//
// Which of them are valid say the tags alone; what is not valid are the bytes of whoever had the place before. Memory of the
// host is taken as places are used. What the cache does with bytes when a line comes, goes, or takes a place can be
// overridden: tests plant defects there and see whether they are found.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "base/line_size.h"
#include "sc_models/l2/tag_array.h"

namespace weft {

class CacheContents {
public:
    CacheContents(std::uint64_t places, unsigned sectors)
        : sectors_(sectors), blocks_((places + block_places - 1) / block_places)
    {
    }
    virtual ~CacheContents() = default;
    CacheContents(const CacheContents&) = delete;
    CacheContents& operator=(const CacheContents&) = delete;

    // The first sector of a place; the second lies behind it.
    std::uint8_t* at(std::size_t place)
    {
        std::unique_ptr<std::uint8_t[]>& block = blocks_[place / block_places];
        if (!block) block = std::make_unique<std::uint8_t[]>(block_places * sectors_ * line_bytes);
        return block.get() + place % block_places * sectors_ * line_bytes;
    }

    // A sector's bytes have come.
    virtual void fill(std::uint8_t* sector, const std::uint8_t* bytes) { std::memcpy(sector, bytes, line_bytes); }
    // They leave for memory.
    virtual void write_back(std::uint8_t* bytes, const std::uint8_t* sector) { std::memcpy(bytes, sector, line_bytes); }
    // The sectors of a displaced word that have to be written back, bit 2 x sector each.
    virtual std::uint32_t to_be_written(const TagArray& tags, std::uint32_t victim)
    {
        return tags.dirty_sectors(victim);
    }
    // The states that a line takes a place with, of which one sector is on its way.
    virtual std::uint32_t valid(std::uint32_t states) { return states; }

private:
    static constexpr std::size_t block_places = 32;

    unsigned sectors_;
    std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
};

// Makes the contents of a cache of so many places and sectors.
using ContentsFactory = std::function<std::unique_ptr<CacheContents>(std::uint64_t places, unsigned sectors)>;

}  // namespace weft
