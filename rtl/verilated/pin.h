// A pin of a Verilated block, as Verilator stores it: a vector of bits, the lowest first.
#pragma once

#include <cstdint>
#include <cstring>

namespace weft {

class Pin {
public:
    Pin() = default;
    Pin(void* data, unsigned width)
        : data_(static_cast<std::uint8_t*>(data)), bytes_(width <= 8     ? 1
                                                           : width <= 16 ? 2
                                                           : width <= 32 ? 4
                                                           : width <= 64 ? 8
                                                                         : (width + 31) / 32 * 4),
          width_(width)
    {
    }

    unsigned width() const { return width_; }
    explicit operator bool() const { return data_ != nullptr; }

    // `count` bits (at most 56, or 64 at a multiple of 8) from `offset` on.
    std::uint64_t get(unsigned offset, unsigned count) const { return load(offset / 8) >> offset % 8 & mask(count); }
    void set(unsigned offset, unsigned count, std::uint64_t value)
    {
        const unsigned shift = offset % 8;
        const std::uint64_t place = mask(count) << shift;
        store(offset / 8, (load(offset / 8) & ~place) | (value << shift & place));
    }
    // Whole bytes, from any bit on.
    void copy_in(unsigned offset, const std::uint8_t* from, unsigned count)
    {
        if (offset % 8 == 0) {
            std::memcpy(data_ + offset / 8, from, count);
        } else {
            for (unsigned i = 0; i < count; ++i) set(offset + 8 * i, 8, from[i]);
        }
    }
    void copy_out(unsigned offset, std::uint8_t* to, unsigned count) const
    {
        if (offset % 8 == 0) {
            std::memcpy(to, data_ + offset / 8, count);
        } else {
            for (unsigned i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(get(offset + 8 * i, 8));
        }
    }
    void clear() { std::memset(data_, 0, bytes_); }

private:
    static constexpr std::uint64_t mask(unsigned count)
    {
        return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
    std::uint64_t load(unsigned at) const
    {
        std::uint64_t value = 0;
        std::memcpy(&value, data_ + at, bytes_ - at < 8 ? bytes_ - at : 8);
        return value;
    }
    void store(unsigned at, std::uint64_t value) { std::memcpy(data_ + at, &value, bytes_ - at < 8 ? bytes_ - at : 8); }

    std::uint8_t* data_ = nullptr;
    unsigned bytes_ = 0;
    unsigned width_ = 0;
};

}  // namespace weft
