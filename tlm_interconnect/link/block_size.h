// The size of aligned blocks of addresses, most often a power of two: whether a block begins at an address takes no division then.
#pragma once

#include <cstdint>

namespace weft {

class BlockSize {
public:
    explicit BlockSize(std::uint64_t bytes = 0)
        : bytes_(static_cast<std::uint32_t>(bytes)), mask_((bytes & (bytes - 1)) == 0 ? bytes_ - 1 : no_mask)
    {
    }

    operator std::uint32_t() const { return bytes_; }
    // Of a size above 0.
    bool begins(std::uint64_t address) const
    {
        return mask_ != no_mask ? (address & mask_) == 0 : address % bytes_ == 0;
    }

private:
    static constexpr std::uint32_t no_mask = ~std::uint32_t{0};

    std::uint32_t bytes_;
    std::uint32_t mask_;  // of a power of two
};

}  // namespace weft
