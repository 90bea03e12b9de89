// Bytes that are newer than what a fill on its way carries.
//
// Caches of a GPU know each other's contents in no time (l2_slice.h). What one of them writes, or gives up, while another one
// waits for the same sector is kept here and laid over the fill when it comes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/line_size.h"

namespace weft {

class FillPatches {
public:
    static constexpr std::uint16_t none = 0xffff;

    // `patch` is none or that of the fill so far.
    void add(std::uint16_t& patch, unsigned offset, const std::uint8_t* bytes, unsigned size)
    {
        if (patch == none) patch = take();
        Patch& entry = patches_[patch];
        std::memcpy(entry.bytes.data() + offset, bytes, size);
        entry.mask |= ones(size) << offset;
    }
    // Lays it over the sector.
    void apply(std::uint16_t patch, std::uint8_t* sector) const
    {
        if (patch == none) return;
        const Patch& entry = patches_[patch];
        for (unsigned i = 0; i < line_bytes; ++i)
            if ((entry.mask >> i & 1U) != 0) sector[i] = entry.bytes[i];
    }
    // The same over another one's.
    void add(std::uint16_t& patch, const FillPatches& others, std::uint16_t other)
    {
        if (other == none) return;
        if (patch == none) patch = take();
        others.apply(other, patches_[patch].bytes.data());
        patches_[patch].mask |= others.patches_[other].mask;
    }
    void release(std::uint16_t patch)
    {
        if (patch != none) free_.push_back(patch);
    }

private:
    struct Patch {
        std::array<std::uint8_t, line_bytes> bytes;
        std::uint64_t mask = 0;  // of the bytes that count
    };
    static std::uint64_t ones(unsigned count)
    {
        return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
    // At most as many as fills are in flight: below `none`.
    std::uint16_t take()
    {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint16_t>(patches_.size()));
            patches_.emplace_back();
        }
        const std::uint16_t patch = free_.back();
        free_.pop_back();
        patches_[patch].mask = 0;
        return patch;
    }

    std::vector<Patch> patches_;
    std::vector<std::uint16_t> free_;
};

}  // namespace weft
