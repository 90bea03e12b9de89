// Values that do not go together are told at the place of the user's last word among them.
#include <fstream>

#include <gtest/gtest.h>

#include "platform/configuration/parameter_place.h"
#include "testbenches/config/support.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::last_word_test {
namespace {

// A profile's file, and a system that has it on line 2.
struct OwnProfile {
    test::ScratchFolder folder;
    std::string path = folder.file("own.yaml");
    explicit OwnProfile(const std::string& text) { std::ofstream(path) << text; }
    std::string refusal(const std::string& lines = "", const std::vector<std::string>& sets = {}) const
    {
        return error_of([&] { resolved("profile: " + path + "\n" + lines, sets); });
    }
};

const std::string refresh =
    " of box.0.xpu.0 leave no time between refreshes; expected a refresh shorter than its interval";

TEST(LastWord, OfAProfileIsItsLaterLine)
{
    const OwnProfile file("profile: x\nhbm:\n  t_rfc: 5 us\n  t_refi: 4 us\n");
    EXPECT_EQ(file.refusal(), file.path + ":4: hbm.t_rfc = 5 us and hbm.t_refi = 4 us" + refresh);
    const OwnProfile turned(
        "profile: x\nhbm:\n  t_refi: 4 us\n  t_rfc: {value: 5 us, source: a page, grade: inferred}\n");
    EXPECT_EQ(turned.refusal(), turned.path + ":4: hbm.t_rfc = 5 us and hbm.t_refi = 4 us" + refresh);
}

TEST(LastWord, IsNoDefaultAndNoFigureOfABuiltInBase)
{
    const OwnProfile ways("profile: x\nbase: h100\nl2:\n  ways: 7\n");
    EXPECT_EQ(ways.refusal(),
        ways.path +
            ":4: l2.size = 50 MiB of box.0.xpu.0 does not divide into 80 slices of 7 ways of 128 B lines; expected a "
            "multiple of 70 KiB");
    const OwnProfile slices("profile: x\nl2:\n  size: 6 MiB\n  slices: 12\n");
    EXPECT_EQ(slices.refusal(),
        slices.path +
            ":4: l2.slices = 12 and hbm.channels = 128 of box.0.xpu.0 do not divide each other; expected that one is a "
            "multiple of the other");
    const OwnProfile capacity("profile: x\nhbm:\n  capacity: 8 MiB\n");
    EXPECT_EQ(capacity.refusal(),
        capacity.path +
            ":3: hbm.capacity = 8 MiB of box.0.xpu.0 is less than its l2.size = 50 MiB; expected at least as much "
            "memory as cache");
    const OwnProfile channels("profile: x\nl2:\n  slices: 12\n  size: 6 MiB\nhbm:\n  channels: 5\n");
    EXPECT_EQ(channels.refusal(),
        channels.path +
            ":6: l2.slices = 12 and hbm.channels = 5 of box.0.xpu.0 do not divide each other; expected that one is a "
            "multiple of the other");
}

// Whichever of the two a check names first.
TEST(LastWord, IsThatOfTheLaterLayer)
{
    const OwnProfile file("profile: x\nhbm:\n  t_rfc: 3 us\n");
    const std::string text = "hbm.t_rfc = 3 us and hbm.t_refi = 2 us" + refresh;
    EXPECT_EQ(file.refusal("parameters:\n  hbm.t_refi: 2 us\n"), "system.yaml:4: " + text);
    EXPECT_EQ(file.refusal("", {"hbm.t_refi=2 us"}), "--set: " + text);
    EXPECT_EQ(error_of([] { resolved("parameters:\n  hbm.t_refi: 2 us\n", {"hbm.t_rfc=3 us"}); }), "--set: " + text);
    EXPECT_EQ(error_of([] { resolved("parameters:\n  hbm.t_rfc: 3 us\n", {"hbm.t_refi=2 us"}); }), "--set: " + text);
    EXPECT_EQ(error_of([] { resolved("parameters:\n  hbm.t_refi: 2 us\n  hbm.t_rfc: 3 us\n"); }),
        "system.yaml:4: " + text);
    EXPECT_EQ(error_of([] { resolved("parameters:\n  hbm.t_rfc: 3 us\n  hbm.t_refi: 2 us\n"); }),
        "system.yaml:4: " + text);
}

// Only what the rule of a link is about counts: here neither its header nor the bandwidth.
TEST(LastWord, OfALinkIsAmongTheValuesOfTheRule)
{
    EXPECT_EQ(error_of([] {
        resolved("parameters:\n  link.frame: 64 B\n  link.frame_payload: 65 B\n",
            {"link.header=8 B", "link.bandwidth=9 GB/s"});
    }).substr(0, 71),
        "system.yaml:4: frames of 64 B with 65 B of packets, at box.0.xpu.0~box.");
    EXPECT_EQ(error_of([] {
        resolved("parameters:\n  link.retry: timeout\n  link.replay_timeout: 1 us\n", {"link.latency=1 us"});
    }).substr(0, 33),
        "--set: a replay time-out of 1 us ");
}

TEST(LastWord, OfASliceBlockIsAmongWhatStandsInTheWay)
{
    const std::string error = error_of([] {
        resolved("parameters:\n  l2.model: rtl_slice\n  l2.outstanding_misses: 300\n",
            {"l2.line=64 B", "l2.partitions=1", "l2.size=40 MiB", "l2.latency=60 ns", "hbm.capacity=1 GiB"});
    });
    EXPECT_EQ(error,
        "system.yaml:4: l2.model = rtl_slice of box.0.xpu.0: a clocked slice of an L2 with 300 misses in flight; "
        "expected l2.outstanding_misses up to 256");
}

// A figure of a user's profile has a place, and is still not a value that somebody has set for the system.
TEST(LastWord, OfErrorsThatNameParametersIsFoundInAProfile)
{
    const OwnProfile file("profile: x\nbase: h100\nhbm:\n  channels: 40\nl2:\n  slices: 80\n");
    const ResolvedSystem system = resolved("profile: " + file.path + "\n", {"l2.latency=70 ns"});
    const auto placed = [&](const std::string& what, const std::string& expected = "") {
        return std::string(at_its_parameter(InputError("", 0, what, expected), system).what());
    };
    EXPECT_EQ(placed("hbm.channels = 40 is odd"), file.path + ":4: hbm.channels = 40 is odd");
    EXPECT_EQ(placed("l2.slices = 80 and hbm.channels = 40"), file.path + ":6: l2.slices = 80 and hbm.channels = 40");
    EXPECT_EQ(placed("l2.latency = 70 ns and l2.slices = 80"), "--set: l2.latency = 70 ns and l2.slices = 80");
    EXPECT_EQ(placed("l2.slices = 80", "another l2.latency"),
        file.path + ":6: l2.slices = 80; expected another l2.latency");
    EXPECT_EQ(placed("nothing", "another l2.latency"), "--set: nothing; expected another l2.latency");
    EXPECT_EQ(placed("l2.size = 50 MiB"), "l2.size = 50 MiB");
    const auto at = *info_of(block_of<HbmSpec>()).find("channels");
    const Variant& values = system.values(block_of<HbmSpec>(), system.variant(0, block_of<HbmSpec>()));
    EXPECT_EQ(system.source(values.sources[at]).file, "");
    EXPECT_EQ(system.source(values.sources[at]).profile_line, 4);
}

}  // namespace
}  // namespace weft::last_word_test
