// The switch and its reference model, clock by clock.
#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/reference_switch.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/switch/switch_bench.h"
#include "testbenches/support/thorough.h"

namespace weft::test::switch_equality_test {
namespace {

class SwitchEqualityTest : public RtlTest {};

constexpr std::uint64_t clocks = 100'000;

void expect_no_difference(const SwitchBlockParameters& parameters, std::uint64_t first = 1,
    std::uint64_t last = by_default(2, 20))
{
    ReferenceSwitch reference(parameters);
    SwitchRun all;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SwitchRtl block(parameters, "dut", seed);
        const SwitchRun run = compare_switches(parameters, reference, block, seed, clocks);
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

// Some outputs lack channels, others have few credits.
std::vector<std::uint16_t> uneven_credits(unsigned ports, unsigned vcs, unsigned most)
{
    std::vector<std::uint16_t> credits;
    for (unsigned i = 0; i < ports * vcs; ++i) credits.push_back(static_cast<std::uint16_t>((i * 7 + 3) % (most + 1)));
    return credits;
}

TEST_F(SwitchEqualityTest, FourPortsFourChannels) { expect_no_difference({}); }

TEST_F(SwitchEqualityTest, EightPortsThreeRoundsUnevenCredits)
{
    SwitchBlockParameters parameters = switch_of(8, 2, 3, 5, 64, 3, 2, 3);
    parameters.credits = uneven_credits(8, 2, 5);
    expect_no_difference(parameters);
}

SwitchBlockParameters nine_ports()
{
    SwitchBlockParameters parameters = switch_of(9, 3, 5, 4, 128, 2, 0, 2);
    parameters.islip = false;
    return parameters;
}

TEST_F(SwitchEqualityTest, NinePortsRoundRobinNoTraversalSeeds1To10) { expect_no_difference(nine_ports(), 1, 10); }

TEST_F(SwitchEqualityTest, NinePortsRoundRobinNoTraversalSeeds11To20) { expect_no_difference(nine_ports(), 11, 20); }

TEST_F(SwitchEqualityTest, OneQueueForEachInput)
{
    SwitchBlockParameters parameters = switch_of(4, 3, 5, 6, 640, 1, 3, 1);
    parameters.one_queue = true;
    expect_no_difference(parameters);
}

TEST_F(SwitchEqualityTest, SixteenPortsSeeds1To7) { expect_no_difference(switch_of(16, 4, 16, 16, 64, 1, 1, 2), 1, 7); }

TEST_F(SwitchEqualityTest, SixteenPortsSeeds8To14)
{
    expect_no_difference(switch_of(16, 4, 16, 16, 64, 1, 1, 2), 8, 14);
}

TEST_F(SwitchEqualityTest, SixteenPortsSeeds15To20)
{
    expect_no_difference(switch_of(16, 4, 16, 16, 64, 1, 1, 2), 15, 20);
}

TEST_F(SwitchEqualityTest, TwoPortsSixteenChannelsOfOneLine)
{
    expect_no_difference(switch_of(2, 16, 1, 1, 72, 4, 1, 1));
}

}  // namespace
}  // namespace weft::test::switch_equality_test
