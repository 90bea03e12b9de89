#include "platform/parallel/bytes.h"

#include <gtest/gtest.h>

namespace bytes_test {

using weft::Bytes;

TEST(Bytes, WhatIsThereStaysWhereTheyGrow)
{
    Bytes bytes;
    for (std::uint32_t value = 0; value < 10'000; ++value) bytes.append(&value, sizeof value);
    ASSERT_EQ(bytes.size(), 40'000U);
    for (std::uint32_t value = 0; value < 10'000; ++value) {
        std::uint32_t read = 0;
        std::memcpy(&read, bytes.data() + value * sizeof value, sizeof read);
        ASSERT_EQ(read, value);
    }
    bytes.append(nullptr, 0);
    EXPECT_EQ(bytes.size(), 40'000U);
}

TEST(Bytes, TheirRoomStaysWhenTheyAreEmptied)
{
    Bytes bytes(1000);
    const std::byte* const room = bytes.data();
    bytes.clear();
    EXPECT_TRUE(bytes.empty());
    EXPECT_EQ(bytes.add(600), room);
    EXPECT_EQ(bytes.add(400), room + 600);
}

TEST(Bytes, CopiesAreTheirOwn)
{
    const char text[] = "abc";
    Bytes one;
    one.append(text, 3);
    Bytes other = one;
    EXPECT_EQ(one, other);
    *other.data() = std::byte{'x'};
    EXPECT_FALSE(one == other);
    one = other;
    EXPECT_EQ(one, other);
    Bytes empty;
    one.swap(empty);
    EXPECT_EQ(empty, other);
    EXPECT_EQ(one, Bytes());
    EXPECT_FALSE(one == other);
}

}  // namespace bytes_test
