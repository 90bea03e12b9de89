#include "base/nearest.h"

#include <gtest/gtest.h>

TEST(Nearest, FindsTheClosestOrNothing)
{
    EXPECT_EQ(weft::nearest_name("bandwith", {"latency", "bandwidth"}), "bandwidth");
    EXPECT_EQ(weft::nearest_name("zzzzzz", {"latency", "bandwidth"}), "");
}
