#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "sc_models/memory/memory_image.h"

namespace memory_image_test {

using weft::MemoryImage;

TEST(MemoryImage, RangesMayCrossPagesAndUnwrittenMemoryIsZero)
{
    MemoryImage image(true);
    std::vector<std::uint8_t> flat(4 * MemoryImage::page_bytes, 0);
    std::mt19937 random(3);
    for (unsigned i = 0; i < 2000; ++i) {
        const std::size_t at = random() % (flat.size() - 1000);
        std::vector<std::uint8_t> data(1 + random() % 900);
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        if (i % 3 == 0) {
            image.write(at, data.data(), data.size());
            std::memcpy(&flat[at], data.data(), data.size());
        } else {
            image.read(at, data.data(), data.size());
            ASSERT_EQ(std::memcmp(data.data(), &flat[at], data.size()), 0);
        }
    }
    std::uint8_t far = 77;
    image.read(std::uint64_t{1} << 40, &far, 1);
    EXPECT_EQ(far, 0);
}

TEST(MemoryImage, WithDataOffOnlyFlagsAreKept)
{
    MemoryImage image(false);
    std::uint8_t byte = 5;
    image.write(100, &byte, 1);
    byte = 9;
    image.read(100, &byte, 1);
    EXPECT_EQ(byte, 9);  // untouched
    image.flag(MemoryImage::flag_base + 80) = 7;
    EXPECT_EQ(image.flag(MemoryImage::flag_base + 80), 7u);
    EXPECT_EQ(image.flag(MemoryImage::flag_base), 0u);
    EXPECT_TRUE(MemoryImage::is_flag(MemoryImage::flag_base));
    EXPECT_FALSE(MemoryImage::is_flag(MemoryImage::flag_base - 1));
}

TEST(MemoryImage, DiscardForgetsWholePagesOnly)
{
    MemoryImage image(true);
    const std::uint64_t page = MemoryImage::page_bytes;
    std::vector<std::uint8_t> ones(3 * page, 1);
    image.write(0, ones.data(), ones.size());
    image.discard(10, 2 * page);  // covers page 1 entirely, parts of 0 and 2
    std::uint8_t byte = 0;
    image.read(page - 1, &byte, 1);
    EXPECT_EQ(byte, 1);
    image.read(page, &byte, 1);
    EXPECT_EQ(byte, 0);
    image.read(2 * page, &byte, 1);
    EXPECT_EQ(byte, 1);
    image.discard(0, std::uint64_t{1} << 50);
    image.read(2 * page, &byte, 1);
    EXPECT_EQ(byte, 0);
}

// Against a list of which 16 bytes have come.
TEST(MemoryImage, KnowsWhichPacketsHaveCome)
{
    constexpr std::uint64_t grain = MemoryImage::packet_grain;
    for (const bool data_on : {true, false}) {
        MemoryImage image(data_on);
        EXPECT_FALSE(image.packets_there(0, grain));
        std::vector<bool> come(3 * MemoryImage::page_bytes / grain, false);
        std::mt19937 random(5);
        for (unsigned i = 0; i < 3000; ++i) {
            const std::size_t first = random() % come.size();
            const std::size_t count = 1 + random() % std::min<std::size_t>(come.size() - first, 200);
            if (i % 3 == 2) {
                bool all = true;
                for (std::size_t k = 0; k < count; ++k) all = all && come[first + k];
                ASSERT_EQ(image.packets_there(first * grain, count * grain), all);
            } else {
                const bool comes = i % 3 == 0;
                const std::size_t marked = comes ? count : count / 8;
                if (comes) {
                    image.packets_came(first * grain, marked * grain);
                } else {
                    image.expect_packets(first * grain, marked * grain);
                }
                for (std::size_t k = 0; k < marked; ++k) come[first + k] = comes;
            }
        }
        EXPECT_FALSE(image.packets_there(std::uint64_t{1} << 40, grain));
    }
}

// A word for each flag, not for each of its line; words beside flags are kept all the same, each by itself.
TEST(MemoryImage, FlagsTakeAWordEach)
{
    MemoryImage image(false);
    constexpr std::uint64_t base = MemoryImage::flag_base;
    for (std::uint64_t i = 4096; i-- > 0;) image.flag(base + 64 * i) = i;
    for (std::uint64_t i = 0; i < 4096; i += 5) image.flag(base + 64 * i + 8 * (1 + i % 7)) = 7 * i;
    EXPECT_EQ(image.flag_bytes(), 4096 * 8U);
    for (std::uint64_t i = 0; i < 4096; ++i) {
        ASSERT_EQ(image.flag(base + 64 * i), i);
        if (i % 5 != 0) continue;
        ASSERT_EQ(image.flag(base + 64 * i + 8 * (1 + i % 7)), 7 * i);
    }
    EXPECT_EQ(image.flag(base + 8), 0U);
}

}  // namespace memory_image_test
