#include <gtest/gtest.h>

#include "collectives/engine/device_memory.h"

using weft::DeviceMemory;

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
