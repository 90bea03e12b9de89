#include "base/nearest.h"

#include <gtest/gtest.h>

namespace nearest_test {

TEST(Nearest, FindsTheClosestOrNothing)
{
    EXPECT_EQ(weft::nearest_name("bandwith", {"latency", "bandwidth"}), "bandwidth");
    EXPECT_EQ(weft::nearest_name("zzzzzz", {"latency", "bandwidth"}), "");
}

}  // namespace nearest_test
