// The switch and its twin, clock by clock.
#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/switch_twin.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/switch/switch_bench.h"

namespace weft::test {
namespace {

class SwitchEqualityTest : public RtlTest {};

constexpr std::uint64_t seeds = 20;
constexpr std::uint64_t clocks = 100'000;

void expect_no_difference(const SwitchBlockParameters& parameters)
{
    SwitchTwin twin(parameters);
    SwitchRun all;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SwitchRtl block(parameters, "dut", seed);
        const SwitchRun run = compare_switches(parameters, twin, block, seed, clocks);
        ASSERT_EQ(run.wrong, "") << "seed " << seed;
        ASSERT_EQ(run.no_difference, clocks);
        all.sent += run.sent;
        all.multicasts += run.multicasts;
        all.without_credit += run.without_credit;
        all.idle_clocks += run.idle_clocks;
        all.all_outputs += run.all_outputs;
    }
    // The corners were there.
    EXPECT_GT(all.sent, clocks);
    EXPECT_GT(all.multicasts, all.sent / 100);
    EXPECT_GT(all.without_credit, 1000U);
    EXPECT_GT(all.idle_clocks, 1000U);
    EXPECT_GT(all.all_outputs, 1000U);
}

TEST_F(SwitchEqualityTest, FourPortsFourChannels)
{
    expect_no_difference({});
}

}  // namespace
}  // namespace weft::test
