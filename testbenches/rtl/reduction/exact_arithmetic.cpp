#include "testbenches/rtl/reduction/exact_arithmetic.h"

#include <algorithm>
#include <cstring>

namespace weft::test {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::uint32_t infinity = 0x7f800000u;
constexpr std::uint32_t nan_bits = 0x7fffffffu;

bool is_nan(std::uint32_t x) { return (x & ~0x80000000u) > infinity; }
bool is_infinite(std::uint32_t x) { return (x & ~0x80000000u) == infinity; }

// A finite number is mantissa * 2^scale.
std::uint32_t mantissa_of(std::uint32_t x)
{
    const std::uint32_t fraction = x & 0x7fffffu;
    return (x >> 23 & 255u) == 0 ? fraction : fraction | 0x800000u;
}
int scale_of(std::uint32_t x)
{
    const int exponent = static_cast<int>(x >> 23 & 255u);
    return exponent == 0 ? 1 : exponent;
}

int bits_of(Wide value)
{
    int bits = 0;
    for (; value != 0; value >>= 1) ++bits;
    return bits;
}

// value * 2^scale (scale 1: the unit of subnormals) as the nearest binary32 number, ties to even. `more`: the value is
// a little larger than it looks.
std::uint32_t nearest_fp32(bool negative, Wide value, int scale, bool more)
{
    const int drop = std::max(bits_of(value) - 24, 1 - scale);
    if (drop > 0) {
        const Wide rest = value & ((Wide{1} << drop) - 1);
        const Wide half = Wide{1} << (drop - 1);
        value >>= drop;
        if (rest > half || (rest == half && (more || (value & 1) != 0))) ++value;
    } else {
        value <<= -drop;
    }
    scale += drop;
    if (value == Wide{1} << 24) {
        value >>= 1;
        ++scale;
    }
    const std::uint32_t sign = negative ? 0x80000000u : 0;
    if (value < Wide{1} << 23) return sign | static_cast<std::uint32_t>(value);
    if (scale >= 255) return sign | infinity;
    return sign | static_cast<std::uint32_t>(scale) << 23 | (static_cast<std::uint32_t>(value) & 0x7fffffu);
}

// An order of all numbers that are no NaN; both zeros are the same.
std::int64_t rank_fp32(std::uint32_t x)
{
    const std::int64_t magnitude = x & 0x7fffffffu;
    return (x >> 31) != 0 ? -magnitude : magnitude;
}

std::uint32_t chosen_fp32(ReduceOp op, std::uint32_t a, std::uint32_t b)
{
    if (is_nan(a) && is_nan(b)) return nan_bits;
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    const bool other = op == ReduceOp::min ? rank_fp32(b) < rank_fp32(a) : rank_fp32(b) > rank_fp32(a);
    return other ? b : a;
}

template <typename Element, typename Function>
void each(std::uint8_t* accumulator, const std::uint8_t* operand, Function function)
{
    for (unsigned i = 0; i < 64; i += sizeof(Element)) {
        Element a;
        Element b;
        std::memcpy(&a, accumulator + i, sizeof a);
        std::memcpy(&b, operand + i, sizeof b);
        a = static_cast<Element>(function(a, b));
        std::memcpy(accumulator + i, &a, sizeof a);
    }
}

template <typename Number>
Number whole(ReduceOp op, Number a, Number b, std::int64_t wrap)
{
    const auto x = static_cast<std::int64_t>(a);
    const auto y = static_cast<std::int64_t>(b);
    if (op == ReduceOp::sum) return static_cast<Number>(((x + y) % wrap + wrap) % wrap);
    return (op == ReduceOp::min) == (y < x) && x != y ? b : a;
}

}  // namespace

std::uint32_t exact_fp32_sum(std::uint32_t a, std::uint32_t b)
{
    const bool negative_a = (a >> 31) != 0;
    const bool negative_b = (b >> 31) != 0;
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b) && negative_a != negative_b)) return nan_bits;
    if (is_infinite(a)) return a;
    if (is_infinite(b)) return b;
    if (rank_fp32(a & 0x7fffffffu) < rank_fp32(b & 0x7fffffffu)) return exact_fp32_sum(b, a);
    // a is the larger by magnitude. Beyond 64 binary places b is only a hint of which side the sum lies on.
    const int distance = std::min(scale_of(a) - scale_of(b), 64);
    Wide sum = Wide{mantissa_of(a)} << distance;
    bool more = false;
    const bool hint = scale_of(a) - scale_of(b) > 64;
    if (negative_a == negative_b) {
        sum += hint ? 0 : mantissa_of(b);
        more = hint && mantissa_of(b) != 0;
    } else {
        sum -= hint ? (mantissa_of(b) != 0 ? 1 : 0) : mantissa_of(b);
        more = hint && mantissa_of(b) != 0;
    }
    if (sum == 0 && !more) return negative_a && negative_b ? 0x80000000u : 0;
    return nearest_fp32(negative_a, sum, scale_of(a) - distance, more);
}

std::uint16_t exact_bf16_sum(std::uint16_t a, std::uint16_t b)
{
    const std::uint32_t sum = exact_fp32_sum(std::uint32_t{a} << 16, std::uint32_t{b} << 16);
    if (is_nan(sum)) return 0x7fff;
    const std::uint32_t rest = sum & 0xffffu;
    std::uint32_t upper = sum >> 16;
    if (rest > 0x8000u || (rest == 0x8000u && upper % 2 == 1)) ++upper;
    return static_cast<std::uint16_t>(upper);
}

void exact_combine(ElementType type, ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand)
{
    switch (type) {
    case ElementType::int32:
        each<std::int32_t>(accumulator, operand,
            [op](std::int32_t a, std::int32_t b) { return whole(op, a, b, std::int64_t{1} << 32); });
        break;
    case ElementType::u8:
        each<std::uint8_t>(accumulator, operand, [op](std::uint8_t a, std::uint8_t b) { return whole(op, a, b, 256); });
        break;
    case ElementType::fp32:
        each<std::uint32_t>(accumulator, operand, [op](std::uint32_t a, std::uint32_t b) {
            return op == ReduceOp::sum ? exact_fp32_sum(a, b) : chosen_fp32(op, a, b);
        });
        break;
    case ElementType::bf16:
        each<std::uint16_t>(accumulator, operand, [op](std::uint16_t a, std::uint16_t b) {
            return op == ReduceOp::sum
                ? exact_bf16_sum(a, b)
                : static_cast<std::uint16_t>(chosen_fp32(op, std::uint32_t{a} << 16, std::uint32_t{b} << 16) >> 16);
        });
        break;
    }
}

}  // namespace weft::test
