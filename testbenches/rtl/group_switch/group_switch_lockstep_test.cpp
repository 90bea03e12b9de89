// The switch with its group unit and its reference model, every pin in every clock, and both against the
// scoreboard.
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "testbenches/rtl/group_switch/group_switch_bench.h"
#include "testbenches/rtl/group_switch/parameter_sets.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::group_switch_lockstep_test {
namespace {

constexpr std::uint64_t clocks = 100'000;

void add(GroupSwitchRun& all, const GroupSwitchRun& run)
{
    all.sent += run.sent;
    all.multicasts += run.multicasts;
    all.without_credit += run.without_credit;
    all.unit_copies += run.unit_copies;
    all.answers += run.answers;
    all.idle_clocks += run.idle_clocks;
    all.busy_clocks += run.busy_clocks;
    all.operations += run.operations;
    all.groups_set_anew += run.groups_set_anew;
}

void expect_corners(const GroupSwitchRun& all)
{
    std::printf("%llu lines (%llu to several outputs), %u operations, %llu copies and %llu answers of the unit, %u "
                "groups set anew, %llu idle clocks\n",
        static_cast<unsigned long long>(all.sent), static_cast<unsigned long long>(all.multicasts), all.operations,
        static_cast<unsigned long long>(all.unit_copies), static_cast<unsigned long long>(all.answers),
        all.groups_set_anew, static_cast<unsigned long long>(all.idle_clocks));
    EXPECT_GT(all.sent, clocks);
    EXPECT_GT(all.multicasts, all.sent / 100);
    EXPECT_GT(all.without_credit, 1000U);
    EXPECT_GT(all.unit_copies, clocks / 10);
    EXPECT_GT(all.answers, clocks / 20);
    EXPECT_GT(all.idle_clocks, 1000U);
    EXPECT_GT(all.busy_clocks, 1000U);
    EXPECT_GT(all.groups_set_anew, 20U);
}

// Twenty seeds for each set, in four tests; two of each five where only the first of these tests runs.
class GroupSwitchLockstep : public RtlTest {
protected:
    void compare(const GroupSwitchParameters& parameters, std::uint64_t first)
    {
        ReferenceGroupSwitch reference(parameters);
        GroupSwitchRun all;
        for (std::uint64_t seed = first; seed < first + by_default(1, 5); ++seed) {
            GroupSwitchRtl block(parameters, "dut", seed);
            reference.reset();
            const GroupSwitchRun run =
                run_group_switch(parameters, seed, GroupTrafficShape::of(seed), clocks, block, &reference);
            ASSERT_EQ(run.wrong, "") << "seed " << seed;
            EXPECT_GT(run.clocks, clocks);
            add(all, run);
        }
        expect_corners(all);
    }
};

TEST_F(GroupSwitchLockstep, FourPortsSeeds1To5) { compare(four_ports(), 1); }
TEST_F(GroupSwitchLockstep, FourPortsSeeds6To10) { compare(four_ports(), 6); }
TEST_F(GroupSwitchLockstep, FourPortsSeeds11To15) { compare(four_ports(), 11); }
TEST_F(GroupSwitchLockstep, FourPortsSeeds16To20) { compare(four_ports(), 16); }
TEST_F(GroupSwitchLockstep, EightPortsSeeds1To5) { compare(eight_ports(), 1); }
TEST_F(GroupSwitchLockstep, EightPortsSeeds6To10) { compare(eight_ports(), 6); }
TEST_F(GroupSwitchLockstep, EightPortsSeeds11To15) { compare(eight_ports(), 11); }
TEST_F(GroupSwitchLockstep, EightPortsSeeds16To20) { compare(eight_ports(), 16); }
TEST_F(GroupSwitchLockstep, OneContextSeeds1To5) { compare(one_context(), 1); }
TEST_F(GroupSwitchLockstep, OneContextSeeds6To10) { compare(one_context(), 6); }
TEST_F(GroupSwitchLockstep, OneContextSeeds11To15) { compare(one_context(), 11); }
TEST_F(GroupSwitchLockstep, OneContextSeeds16To20) { compare(one_context(), 16); }
TEST_F(GroupSwitchLockstep, OneQueueSeeds1To5) { compare(one_queue(), 1); }
TEST_F(GroupSwitchLockstep, OneQueueSeeds6To10) { compare(one_queue(), 6); }
TEST_F(GroupSwitchLockstep, OneQueueSeeds11To15) { compare(one_queue(), 11); }
TEST_F(GroupSwitchLockstep, OneQueueSeeds16To20) { compare(one_queue(), 16); }
TEST_F(GroupSwitchLockstep, SixPortsSeeds1To5) { compare(six_ports(), 1); }
TEST_F(GroupSwitchLockstep, SixPortsSeeds6To10) { compare(six_ports(), 6); }
TEST_F(GroupSwitchLockstep, SixPortsSeeds11To15) { compare(six_ports(), 11); }
TEST_F(GroupSwitchLockstep, SixPortsSeeds16To20) { compare(six_ports(), 16); }

// The scoreboard alone is content with the reference model, for more seeds than there is time for with the block.
TEST(ReferenceGroupSwitchRuns, LoseNothing)
{
    for (const GroupSwitchParameters& parameters :
        {four_ports(), eight_ports(), one_context(), one_queue(), six_ports()})
        for (std::uint64_t seed = 101; seed <= 110; ++seed) {
            ReferenceGroupSwitch reference(parameters);
            const GroupSwitchRun run =
                run_group_switch(parameters, seed, GroupTrafficShape::of(seed), 20'000, reference, nullptr);
            ASSERT_EQ(run.wrong, "") << parameters.outside.ports << " ports, seed " << seed;
        }
}

}  // namespace
}  // namespace weft::test::group_switch_lockstep_test
