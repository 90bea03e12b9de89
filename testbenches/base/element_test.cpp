#include "base/element.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace element_test {

using namespace weft;

namespace {

float from_bits(std::uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

std::uint32_t bits_of(float value)
{
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool is_nan_bf16(std::uint16_t value) { return (value & 0x7fff) > 0x7f80; }

// Independent of the code under test: the nearer of the two neighbouring bf16 values, found by
// distance in double precision; a tie goes to the even one; beyond half a step above the largest
// finite value lies infinity.
std::uint16_t nearest_bf16(float value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isinf(value)) return sign | 0x7f80;
    const double magnitude = std::fabs(static_cast<double>(value));
    const std::uint16_t below = static_cast<std::uint16_t>((bits_of(value) & 0x7fffffffu) >> 16);
    const std::uint16_t above = below + 1;
    const double low = from_bits(static_cast<std::uint32_t>(below) << 16);
    const double high = above == 0x7f80 ? std::ldexp(1.0, 128) : from_bits(static_cast<std::uint32_t>(above) << 16);
    const double to_low = magnitude - low;
    const double to_high = high - magnitude;
    std::uint16_t chosen = below;
    if (to_high < to_low || (to_high == to_low && (above & 1) == 0)) chosen = above;
    return sign | chosen;
}

const std::vector<std::uint16_t> special_bf16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x7f7f,
    0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff};

}  // namespace

TEST(Element, NamesAndSizes)
{
    for (ElementType type : {ElementType::int32, ElementType::fp32, ElementType::bf16, ElementType::u8}) {
        ElementType back = ElementType::u8;
        EXPECT_TRUE(element_type_from_name(name_of(type), back));
        EXPECT_EQ(back, type);
    }
    ElementType untouched = ElementType::bf16;
    EXPECT_FALSE(element_type_from_name("fp64", untouched));
    EXPECT_EQ(untouched, ElementType::bf16);
    EXPECT_EQ(size_of(ElementType::int32), 4u);
    EXPECT_EQ(size_of(ElementType::bf16), 2u);
    EXPECT_EQ(size_of(ElementType::u8), 1u);
    EXPECT_STREQ(name_of(ReduceOp::max), "max");
}

TEST(Element, EveryBf16SurvivesTheWayThroughFp32)
{
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const auto value = static_cast<std::uint16_t>(bits);
        const std::uint16_t back = fp32_to_bf16(bf16_to_fp32(value));
        if (is_nan_bf16(value))
            ASSERT_EQ(back, value | 0x40);
        else
            ASSERT_EQ(back, value);
    }
}

namespace {

void check_rounding(std::uint32_t bits)
{
    const float value = from_bits(bits);
    const std::uint16_t rounded = fp32_to_bf16(value);
    if (std::isnan(value))
        ASSERT_TRUE(is_nan_bf16(rounded) && (rounded & 0x40)) << std::hex << bits;
    else
        ASSERT_EQ(rounded, nearest_bf16(value)) << std::hex << bits;
}

}  // namespace

// Every upper half with the lower halves where rounding changes.
TEST(Element, Bf16RoundsToNearestEvenEverywhere)
{
    for (std::uint32_t high = 0; high <= 0xffff; ++high)
        for (std::uint32_t low : {0x0000u, 0x0001u, 0x1234u, 0x7fffu, 0x8000u, 0x8001u, 0xabcdu, 0xfffeu, 0xffffu})
            check_rounding(high << 16 | low);
}

// Every lower half, at both signs, all exponents and the smallest and largest mantissas.
TEST(Element, Bf16RoundsToNearestEvenForEveryRemainder)
{
    for (std::uint32_t exponent = 0; exponent < 512; ++exponent)
        for (std::uint32_t mantissa : {0u, 1u, 126u, 127u})
            for (std::uint32_t low = 0; low <= 0xffff; ++low) check_rounding(exponent << 23 | mantissa << 16 | low);
}

TEST(Element, Bf16SumOfAllSpecialPairsAndRandomOnes)
{
    std::mt19937 random(7);
    std::vector<std::uint16_t> a;
    std::vector<std::uint16_t> b;
    for (std::uint16_t x : special_bf16)
        for (std::uint16_t y : special_bf16) {
            a.push_back(x);
            b.push_back(y);
        }
    for (int i = 0; i < 200000; ++i) {
        a.push_back(static_cast<std::uint16_t>(random()));
        b.push_back(static_cast<std::uint16_t>(random()));
    }
    std::vector<std::uint16_t> sum = a;
    reduce_elements(ElementType::bf16, ReduceOp::sum, reinterpret_cast<std::uint8_t*>(sum.data()),
        reinterpret_cast<const std::uint8_t*>(b.data()), sum.size() * 2);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const float exact =
            from_bits(static_cast<std::uint32_t>(a[i]) << 16) + from_bits(static_cast<std::uint32_t>(b[i]) << 16);
        if (std::isnan(exact))
            ASSERT_EQ(sum[i], 0x7fff) << std::hex << a[i] << " + " << b[i];
        else
            ASSERT_EQ(sum[i], nearest_bf16(exact)) << std::hex << a[i] << " + " << b[i];
    }
}

TEST(Element, Int32AndBytesWrap)
{
    std::int32_t a[] = {2147483647, -2147483647 - 1, 5, -7};
    const std::int32_t b[] = {1, -1, -9, 7};
    reduce_elements(ElementType::int32, ReduceOp::sum, reinterpret_cast<std::uint8_t*>(a),
        reinterpret_cast<const std::uint8_t*>(b), sizeof a);
    EXPECT_EQ(a[0], -2147483647 - 1);
    EXPECT_EQ(a[1], 2147483647);
    EXPECT_EQ(a[2], -4);
    EXPECT_EQ(a[3], 0);
    std::uint8_t c[] = {250, 3};
    const std::uint8_t d[] = {10, 4};
    reduce_elements(ElementType::u8, ReduceOp::sum, c, d, 2);
    EXPECT_EQ(c[0], 4);
    EXPECT_EQ(c[1], 7);
}

TEST(Element, Fp32HandlesNanInfinityAndSubnormals)
{
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float tiny = std::numeric_limits<float>::denorm_min();
    float a[] = {inf, inf, nan, tiny, 1.5f};
    const float b[] = {1.0f, -inf, 1.0f, tiny, 2.25f};
    reduce_elements(ElementType::fp32, ReduceOp::sum, reinterpret_cast<std::uint8_t*>(a),
        reinterpret_cast<const std::uint8_t*>(b), sizeof a);
    EXPECT_EQ(a[0], inf);
    EXPECT_TRUE(std::isnan(a[1]));
    EXPECT_TRUE(std::isnan(a[2]));
    EXPECT_EQ(a[3], 2 * tiny);
    EXPECT_EQ(a[4], 3.75f);
}

TEST(Element, MinAndMaxPreferNumbersToNan)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float a[] = {1.0f, nan, 4.0f, nan, -2.0f};
    const float b[] = {nan, 3.0f, -1.0f, nan, -1.0f};
    for (ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
        float c[5];
        std::memcpy(c, a, sizeof c);
        reduce_elements(ElementType::fp32, op, reinterpret_cast<std::uint8_t*>(c),
            reinterpret_cast<const std::uint8_t*>(b), sizeof c);
        EXPECT_EQ(c[0], 1.0f);
        EXPECT_EQ(c[1], 3.0f);
        EXPECT_EQ(c[2], op == ReduceOp::min ? -1.0f : 4.0f);
        EXPECT_TRUE(std::isnan(c[3]));
        EXPECT_EQ(c[4], op == ReduceOp::min ? -2.0f : -1.0f);
    }
    std::int32_t x[] = {-5};
    const std::int32_t y[] = {3};
    reduce_elements(ElementType::int32, ReduceOp::max, reinterpret_cast<std::uint8_t*>(x),
        reinterpret_cast<const std::uint8_t*>(y), 4);
    EXPECT_EQ(x[0], 3);
}

// Whatever NaN comes in, in whatever order, and whatever the host makes of it.
TEST(Element, EveryNanResultIsTheSame)
{
    const std::uint32_t nans[] = {0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x7fc12345};
    for (const std::uint32_t x : nans)
        for (const std::uint32_t y : nans)
            for (ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
                std::uint32_t a[] = {x, x, 0x3f800000};
                const std::uint32_t b[] = {y, 0x3f800000, y};
                reduce_elements(ElementType::fp32, op, reinterpret_cast<std::uint8_t*>(a),
                    reinterpret_cast<const std::uint8_t*>(b), sizeof a);
                const std::uint32_t with_one = op == ReduceOp::sum ? 0x7fffffff : 0x3f800000;
                EXPECT_EQ(a[0], 0x7fffffffU) << std::hex << x << " " << y;
                EXPECT_EQ(a[1], with_one) << std::hex << x;
                EXPECT_EQ(a[2], with_one) << std::hex << y;
                std::uint16_t c[] = {0x7f81, 0xffc0, 0xff80};
                const std::uint16_t d[] = {0xffff, 0x7fc1, 0x7f80};
                reduce_elements(ElementType::bf16, op, reinterpret_cast<std::uint8_t*>(c),
                    reinterpret_cast<const std::uint8_t*>(d), sizeof c);
                EXPECT_EQ(c[0], 0x7fff);
                EXPECT_EQ(c[1], 0x7fff);
                EXPECT_EQ(c[2], op == ReduceOp::sum ? 0x7fff : op == ReduceOp::min ? 0xff80 : 0x7f80);
            }
}

// Any start address, any length: nothing outside the range is touched.
TEST(Element, UnalignedRangesAreExact)
{
    std::mt19937 random(3);
    for (std::size_t start = 0; start < 9; ++start)
        for (std::size_t count = 0; count <= 40; ++count) {
            std::vector<std::uint8_t> a(256);
            std::vector<std::uint8_t> b(256);
            for (auto& byte : a) byte = static_cast<std::uint8_t>(random());
            for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
            std::vector<std::uint8_t> expected = a;
            for (std::size_t i = 0; i < count; ++i) {
                std::uint32_t x;
                std::uint32_t y;
                std::memcpy(&x, &a[start + 4 * i], 4);
                std::memcpy(&y, &b[start + 1 + 4 * i], 4);
                x += y;
                std::memcpy(&expected[start + 4 * i], &x, 4);
            }
            reduce_elements(ElementType::int32, ReduceOp::sum, &a[start], &b[start + 1], count * 4);
            ASSERT_EQ(a, expected) << start << " " << count;
        }
}

}  // namespace element_test
