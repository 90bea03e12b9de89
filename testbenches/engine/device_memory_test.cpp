#include <gtest/gtest.h>

#include "collectives/engine/lines/symmetric_memory.h"

namespace device_memory_test {

using weft::DeviceMemory;
using weft::SymmetricMemory;

TEST(DeviceMemory, HandsOutWholeLinesFromItsBase)
{
    DeviceMemory memory(1 << 20, 1024);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    ASSERT_TRUE(memory.allocate(1, a));
    ASSERT_TRUE(memory.allocate(65, b));
    EXPECT_EQ(a, 1u << 20);
    EXPECT_EQ(b, (1u << 20) + 64);
    EXPECT_EQ(memory.high_water(), 64u + 128u);
}

TEST(DeviceMemory, WhatIsFreedIsUsedAgainForTheSameNumberOfLines)
{
    DeviceMemory memory(0, 1024);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    ASSERT_TRUE(memory.allocate(100, a));
    memory.release(a, 100);
    ASSERT_TRUE(memory.allocate(64, b));  // another size: new memory
    ASSERT_TRUE(memory.allocate(128, c));
    EXPECT_EQ(b, 128u);
    EXPECT_EQ(c, a);
    EXPECT_EQ(memory.high_water(), 192u);
}

TEST(DeviceMemory, RefusesWhatDoesNotFit)
{
    DeviceMemory memory(4096, 128);
    std::uint64_t a = 77;
    EXPECT_FALSE(memory.allocate(129, a));
    EXPECT_EQ(a, 77u);
    EXPECT_TRUE(memory.allocate(128, a));
    EXPECT_FALSE(memory.allocate(1, a));
    memory.release(a, 128);
    EXPECT_TRUE(memory.allocate(127, a));
    EXPECT_EQ(a, 4096u);
}

TEST(DeviceMemory, SizesNearTheLargestNumberDoNotWrapAround)
{
    DeviceMemory memory(0, 1024);
    std::uint64_t a = 77;
    EXPECT_FALSE(memory.allocate(~std::uint64_t{0}, a));
    EXPECT_FALSE(memory.allocate(~std::uint64_t{0} - 62, a));
    EXPECT_EQ(a, 77u);
}

TEST(SymmetricMemory, IsAtTheSamePlaceOfAllItsEndpointsAndUsedAgainByThem)
{
    std::vector<DeviceMemory> memories;
    for (std::uint64_t e = 0; e < 3; ++e) memories.emplace_back(e << 32, 4096);
    std::uint64_t own = 0;
    ASSERT_TRUE(memories[1].allocate(500, own));
    SymmetricMemory symmetric(memories);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    ASSERT_EQ(symmetric.allocate({0, 1}, 1000, a), -1);
    EXPECT_EQ(a, 512u);
    EXPECT_EQ(memories[0].high_water(), 512u + 1024u);
    // The other one has no part in it.
    EXPECT_EQ(memories[2].high_water(), 0u);
    symmetric.release({0, 1}, 1000, a);
    ASSERT_EQ(symmetric.allocate({1, 2}, 1000, b), -1);  // others: memory of their own
    EXPECT_EQ(b, 1536u);
    ASSERT_EQ(symmetric.allocate({0, 1}, 1024, b), -1);  // as many lines
    EXPECT_EQ(b, a);
    // Nobody gets part of it by himself.
    ASSERT_TRUE(memories[0].allocate(64, own));
    EXPECT_EQ(own, 1536u);
    // Who has no room is named, and nothing is taken.
    EXPECT_EQ(symmetric.allocate({0, 2}, 2048, b), 0);
    EXPECT_EQ(symmetric.allocate({0, 1, 2}, ~std::uint64_t{0}, b), 0);
}

}  // namespace device_memory_test
