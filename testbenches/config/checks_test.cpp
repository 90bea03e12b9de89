// Values that are in range alone and wrong together.
#include <gtest/gtest.h>

#include "testbenches/config/support.h"

namespace weft {
namespace {

TEST(Checks, CacheGeometry)
{
    EXPECT_EQ(error_of([] { resolved("parameters:\n  l2.size: 50000000\n"); }),
        "system.yaml:3: l2.size = 50000000 B of box.0.xpu.0 does not divide into 80 slices of 16 ways of 64 "
        "B lines; "
        "expected a multiple of 80 KiB");
    EXPECT_NE(error_of([] { resolved("", {"l2.ways=7"}); }).find("--set: l2.size = 50 MiB"),
        std::string::npos);
    EXPECT_EQ(error_of([] { resolved("", {"l2.slices=40", "hbm.channels=40"}); }), "");
}

TEST(Checks, ChannelsAndSlices)
{
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=32"}); }),
        "--set: l2.slices = 80 and hbm.channels = 32 of box.0.xpu.0 do not divide; expected one a multiple "
        "of the other");
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=20"}); }), "");
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=160"}); }), "");
}

TEST(Checks, CapacityHoldsTheCache)
{
    EXPECT_NE(error_of([] {
        resolved("", {"hbm.capacity=1 MiB"});
    }).find("hbm.capacity = 1 MiB of box.0.xpu.0 is less"),
        std::string::npos);
}

TEST(Checks, BuiltInProfilesPass)
{
    for (const char* name : {"generic", "h100", "h200", "a100", "v100", "b200", "mi300x"})
        EXPECT_EQ(error_of([&] { resolved(std::string("profile: ") + name + "\n"); }), "") << name;
}

}  // namespace
}  // namespace weft
