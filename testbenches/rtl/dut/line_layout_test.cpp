#include <random>

#include <gtest/gtest.h>

#include "rtl/dut/line_layout.h"

namespace line_layout_test {

using namespace weft;

namespace {

LineBits random_bits(std::mt19937_64& random)
{
    LineBits out;
    for (std::uint8_t& byte : out.bytes) byte = static_cast<std::uint8_t>(random());
    return out;
}

}  // namespace

TEST(LineLayout, FieldsLieWhereLineBitsHasThem)
{
    LineBits bits;
    bits.clear();
    bits.set_place(0x1234, 0x56789abcdef0);
    bits.set_rest(0x4321, 7, true, 64, 5, 0xa5, 0xabcdef, true);
    for (const auto& [field, value] : std::vector<std::pair<LineField, std::uint64_t>>{
             {LineField::address, 0x56789abcdef0}, {LineField::destination, 0x1234}, {LineField::source, 0x4321},
             {LineField::operation, 7}, {LineField::response, 1}, {LineField::size, 64}, {LineField::function, 5},
             {LineField::flags, 0xa5}, {LineField::tag, 0xabcdef}, {LineField::failed, 1}}) {
        LineLayout layout;
        layout.add(field, 3, width_of(field));
        std::uint8_t bytes[16];
        layout.pack(bits, bytes);
        std::uint64_t got = 0;
        std::memcpy(&got, bytes, 8);
        EXPECT_EQ(got, value << 3) << name_of(field);
    }
}

TEST(LineLayout, AnyOrderOfFieldsThereAndBackIsTheSameLine)
{
    std::mt19937_64 random(4);
    LineLayout turned;
    unsigned at = 1;
    for (unsigned i = line_fields; i-- > 0; at += width_of(static_cast<LineField>(i)))
        turned.add(static_cast<LineField>(i), at, width_of(static_cast<LineField>(i)));
    EXPECT_EQ(turned.bits(), 641U);
    EXPECT_EQ(LineLayout::whole().bits(), 640U);
    for (const LineLayout& layout : {turned, LineLayout::whole()})
        for (int i = 0; i < 100; ++i) {
            const LineBits in = random_bits(random);
            LineBits out = random_bits(random);
            std::vector<std::uint8_t> bytes(layout.bytes());
            layout.pack(in, bytes.data());
            layout.unpack(bytes.data(), out);
            EXPECT_TRUE(in == out);
        }
}

TEST(LineLayout, AValueThatDoesNotFitIsNamed)
{
    LineBits bits;
    bits.clear();
    bits.set_place(300, 0);
    EXPECT_EQ(misfit(bits, LineField::destination, 8), "destination 300 in 8 bits");
    EXPECT_EQ(misfit(bits, LineField::destination, 9), "");
    EXPECT_EQ(misfit(bits, LineField::source, 1), "");
}

}  // namespace line_layout_test
