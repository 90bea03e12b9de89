// Operands from every corner of their type: random bits, zeros, subnormals, infinities, NaNs, powers, neighbours of
// what came before (cancellation), and pairs whose sum lies halfway between two numbers.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/element.h"

namespace weft::test {

// xorshift: fast, the same everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU) {}
    std::uint64_t bits()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545f4914f6cdd1dU;
    }
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>((bits() >> 32) * count >> 32); }
    bool chance(double probability) { return static_cast<double>(bits() >> 11) * 0x1p-53 < probability; }

private:
    std::uint64_t state_;
};

class OperandSource {
public:
    explicit OperandSource(std::uint64_t seed) : dice_(seed) {}

    // 64 bytes.
    void line(ElementType type, std::uint8_t* out)
    {
        for (unsigned i = 0; i < 64; i += 4) {
            std::uint32_t word = 0;
            if (type == ElementType::fp32) {
                word = fp32();
            } else if (type == ElementType::bf16) {
                word = fp32() & 0xffff0000u;
                word |= fp32() >> 16;
            } else {
                word = whole();
            }
            std::memcpy(out + i, &word, 4);
        }
    }

private:
    std::uint32_t whole()
    {
        const auto random = static_cast<std::uint32_t>(dice_.bits() >> 32);
        static constexpr std::uint32_t corners[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x7f80ff01};
        return random % 4 == 0 ? corners[dice_.below(6)] : random % 4 == 1 ? random >> (random >> 27) : random;
    }
    std::uint32_t fp32()
    {
        const std::uint64_t random = dice_.bits();
        const auto word = static_cast<std::uint32_t>(random >> 32);
        const std::uint32_t sign = word & 0x80000000u;
        static constexpr std::uint32_t corners[] = {0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000,
            0x7f7fffff, 0x7f7f0000, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x00010000, 0x4b000000, 0x4b800000};
        std::uint32_t value = word;
        switch (random & 15U) {
        case 0: value = sign | corners[dice_.below(14)]; break;
        case 1: value = sign | (word & 0x007fffffu); break;  // subnormal
        case 2: value = sign | infinity_ | ((random & 256U) != 0 ? word & 0x7fffffu : 0); break;
        case 3: value = last_ ^ 0x80000000u; break;                              // cancels
        case 4: value = (last_ ^ 0x80000000u) + (word & 3U) - 1; break;          // nearly
        case 5: value = sign | (last_ & infinity_) | (word & 0x7fffffu); break;  // same exponent
        case 6: value = near_exponent(word, 24) & 0xff800000u; break;            // halfway: a power far below
        case 7: value = near_exponent(word, 25); break;
        case 8: value = near_exponent(word, 9) & 0xffff0000u; break;  // halfway of bf16
        case 9: value = sign | (word & 0xffu) << 16 | 0x3f800000u; break;
        case 10: value = sign | (0x7f000000u + (word & 0x00ffffffu)); break;  // overflows
        case 11: value = sign | (word & 0x01ffffffu); break;                  // at the edge of subnormals
        default: break;
        }
        if ((random & 0x100000U) != 0) last_ = value;
        return value;
    }
    // Up to `places` binary places below the one before.
    std::uint32_t near_exponent(std::uint32_t word, std::uint32_t places)
    {
        const std::uint32_t exponent = last_ >> 23 & 255U;
        const std::uint32_t down = dice_.below(places + 2);
        return (word & 0x807fffffu) | (exponent > down ? exponent - down : 0) << 23;
    }

    static constexpr std::uint32_t infinity_ = 0x7f800000u;
    Dice dice_;
    std::uint32_t last_ = 0x3f800000u;
};

}  // namespace weft::test
