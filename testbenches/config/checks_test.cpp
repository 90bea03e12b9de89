// Values that are in range alone and wrong together.
#include <gtest/gtest.h>

#include "testbenches/config/support.h"

namespace weft::checks_test {
namespace {

TEST(Checks, CacheGeometry)
{
    EXPECT_EQ(error_of([] { resolved("parameters:\n  l2.size: 50000000\n"); }),
        "system.yaml:3: l2.size = 50 MB of box.0.xpu.0 does not divide into 80 slices of 16 ways of 128 "
        "B lines; "
        "expected a multiple of 160 KiB");
    EXPECT_NE(error_of([] { resolved("", {"l2.ways=7"}); }).find("--set: l2.size = 50 MiB"), std::string::npos);
    EXPECT_EQ(error_of([] { resolved("", {"l2.slices=40", "hbm.channels=40"}); }), "");
}

TEST(Checks, AnL1IsWholeSets)
{
    EXPECT_EQ(error_of([] {
        resolved("", {"l1.size=3000", "l1.ways=4", "l1.line=64"});
    }),
        "--set: l1.size = 3 KB of box.0.xpu.0 does not divide into sets of 4 lines of 64 B; expected a multiple of "
        "256 B");
    EXPECT_EQ(error_of([] { resolved("", {"l1.size=2816", "l1.ways=4", "l1.line=64"}); }), "");
    EXPECT_NE(error_of([] {
        resolved("", {"l1.size=128", "l1.ways=4", "l1.line=64"});
    }).find("holds no set"),
        std::string::npos);
}

TEST(Checks, WidthsOfStripesAndTransactionsArePowersOfTwo)
{
    EXPECT_EQ(error_of([] { resolved("routing:\n  stripe: 100 B\n"); }),
        "system.yaml:3: routing.stripe = 100 B is not a power of 2; expected 64 B, 128 B, 256 B, ...");
    EXPECT_EQ(error_of([] { resolved("", {"engine.grain=100"}); }),
        "--set: engine.grain = 100 B is not a power of 2; expected 64 B, 128 B, 256 B or 512 B");
    EXPECT_EQ(error_of([] { resolved("", {"routing.stripe=128", "engine.grain=512"}); }), "");
}

TEST(Checks, RequestsOfAUnitAreWholeLines)
{
    EXPECT_EQ(error_of([] { resolved("", {"gpu.coalesce=100"}); }),
        "--set: gpu.coalesce of box.0.xpu.0 is 100 B; expected 64 B or 128 B");
    EXPECT_EQ(error_of([] { resolved("", {"gpu.coalesce=64"}); }), "");
}

// The limits that a message prints are accepted as values.
TEST(Checks, LimitsAreValues)
{
    const std::string error = error_of([] { resolved("", {"gpu.peak_flops=1 FLOP/s"}); });
    EXPECT_NE(error.find("1 MFLOP/s to 1000000 TFLOP/s"), std::string::npos) << error;
    EXPECT_EQ(error_of([] { resolved("", {"gpu.peak_flops=1 MFLOP/s"}); }), "");
    EXPECT_EQ(error_of([] { resolved("", {"gpu.peak_flops=1000000 TFLOP/s"}); }), "");
}

TEST(Checks, ChannelsAndSlices)
{
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=32"}); }),
        "--set: l2.slices = 80 and hbm.channels = 32 of box.0.xpu.0 do not divide each other; expected that one is a "
        "multiple of the other");
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=20"}); }), "");
    EXPECT_EQ(error_of([] { resolved("", {"hbm.channels=160"}); }), "");
}

TEST(Checks, CapacityHoldsTheCache)
{
    EXPECT_NE(
        error_of([] { resolved("", {"hbm.capacity=1 MiB"}); }).find("hbm.capacity = 1 MiB of box.0.xpu.0 is less"),
        std::string::npos);
}

TEST(Checks, WriteMarksOfTheMemory)
{
    EXPECT_EQ(error_of([] { resolved("", {"hbm.write_low=96"}); }),
        "--set: hbm.write_low = 96, write_high = 96 and write_queue = 128 of box.0.xpu.0; expected the low mark below "
        "the "
        "high one, and that within the queue");
    EXPECT_NE(error_of([] { resolved("", {"hbm.write_queue=95"}); }).find("write_queue = 95"), std::string::npos);
    EXPECT_EQ(error_of([] { resolved("", {"hbm.write_queue=8", "hbm.write_high=8", "hbm.write_low=7"}); }), "");
}

TEST(Checks, RefreshesLeaveTime)
{
    EXPECT_EQ(error_of([] { resolved("", {"hbm.t_rfc=4 us"}); }),
        "--set: hbm.t_rfc = 4 us and hbm.t_refi = 3.9 us of box.0.xpu.0 leave no time between refreshes; expected a "
        "refresh shorter than its interval");
    EXPECT_EQ(error_of([] { resolved("", {"hbm.t_rfc=4 us", "hbm.t_refi=5 us"}); }), "");
}

TEST(Checks, SetsOfASlice)
{
    EXPECT_EQ(error_of([] {
        resolved("", {"l2.size=4 GiB", "l2.slices=2", "l2.ways=16", "l2.line=64 B", "hbm.channels=1"});
    }),
        "--set: l2.size = 4 GiB of box.0.xpu.0 makes 2097152 sets in each of 2 slices; expected at most 1048576 "
        "sets: more slices or ways");
}

TEST(Checks, LinesAreOf64Or128Bytes)
{
    EXPECT_EQ(error_of([] { resolved("", {"l2.line=96 B"}); }),
        "--set: l2.line of box.0.xpu.0 is 96 B; expected 64 B or 128 B");
    EXPECT_EQ(error_of([] {
        resolved("", {"memory_side.size=80 MiB", "memory_side.line=65 B"});
    }),
        "--set: memory_side.line of box.0.xpu.0 is 65 B; expected 64 B or 128 B");
    EXPECT_EQ(error_of([] { resolved("", {"l2.line=64 B"}); }), "");
}

TEST(Checks, PartitionsOfAnL2)
{
    EXPECT_EQ(error_of([] { resolved("", {"l2.partitions=3"}); }),
        "--set: l2.slices = 80 of box.0.xpu.0 do not divide each other into 3 partitions; expected a multiple of 3\n"
        "--set: box.0.xpu.0 has 3 mirrored partitions; expected 2, or l2.partition_policy = private");
    EXPECT_EQ(error_of([] { resolved("parameters:\n  l2.partition_policy: private\n"); }),
        "system.yaml:3: box.0.xpu.0 has private L2 partitions and no cache that joins them; expected a memory-side "
        "cache: memory_side.size");
    EXPECT_EQ(error_of([] { resolved("", {"l2.partition_policy=private", "memory_side.size=160 MiB"}); }), "");
    EXPECT_EQ(error_of([] {
        resolved("", {"l2.partitions=4", "l2.partition_policy=private", "memory_side.size=160 MiB"});
    }),
        "");
}

TEST(Checks, MemorySideCache)
{
    EXPECT_EQ(error_of([] { resolved("", {"memory_side.size=1 MB"}); }),
        "--set: memory_side.size = 1 MB of box.0.xpu.0 does not divide into 160 slices of 16 ways of 128 B lines; "
        "expected a multiple of 320 KiB");
    // It is in front of the channels, so slices need not divide into them.
    EXPECT_EQ(error_of([] { resolved("", {"memory_side.size=64 MiB", "hbm.channels=32"}); }), "");
}

TEST(Checks, WorkgroupsOfAGpu)
{
    EXPECT_EQ(error_of([] {
        resolved("", {"gpu.compute_units=1024", "gpu.workgroups_per_unit=5"});
    }),
        "--set: box.0.xpu.0 has 1024 compute units of 5 workgroups each; expected at most 4096 workgroups on a GPU");
}

TEST(Checks, TilesOfAMesh)
{
    EXPECT_EQ(error_of([] {
        resolved("", {"network.columns=33", "network.rows=16"});
    }),
        "--set: box.0.xpu.0 has a mesh of 33 x 16 tiles; expected at most 512 tiles");
    EXPECT_EQ(error_of([] { resolved("", {"network.columns=32", "network.rows=16"}); }), "");
}

// Flow fidelity and `weft check` make no link that would refuse them.
TEST(Checks, FramesBundlesAndBitErrorsOfALinkFitTogether)
{
    const std::string frames = error_of([] { resolved("", {"link.frame_payload=64"}); });
    EXPECT_EQ(frames.find("--set: frames of 0 B with 64 B of packets, at box.0"), 0U) << frames;
    EXPECT_NE(frames.find("expected link.frame_payload from 1 to link.frame, or both 0"), std::string::npos) << frames;
    EXPECT_NE(error_of([] { resolved("", {"link.frame=100B"}); }), "");
    EXPECT_NE(error_of([] { resolved("", {"link.frame=64B", "link.frame_payload=65B"}); }), "");
    EXPECT_EQ(error_of([] { resolved("", {"link.frame=64B", "link.frame_payload=60B"}); }), "");
    EXPECT_NE(error_of([] { resolved("", {"link.bundle=2", "link.retry=go_back_n"}); }), "");
    EXPECT_NE(error_of([] { resolved("", {"link.bit_error_rate=1e-9"}); }), "");
    EXPECT_EQ(error_of([] { resolved("", {"link.bit_error_rate=1e-9", "link.retry=timeout"}); }), "");
}

TEST(Checks, BuiltInProfilesPass)
{
    for (const char* name : {"generic", "h100", "h200", "h20", "a100", "v100", "b200", "mi300x"})
        EXPECT_EQ(error_of([&] { resolved(std::string("profile: ") + name + "\n"); }), "") << name;
}

}  // namespace
}  // namespace weft::checks_test
