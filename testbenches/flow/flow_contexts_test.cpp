// Steps in switches at flow, against lines: members that are farther than others, and contexts that run out.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_contexts_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Case {
    const char* algorithm;
    const char* bytes;
    const char* set;
    double most;  // off
};

void check(const std::vector<Case>& cases)
{
    for (const Case& of : cases) {
        RunSetup setup;
        setup.document = example("two_tier_8");
        setup.lines = "profile: h100\n" + collective_lines("all_reduce", of.algorithm, of.bytes);
        setup.sets = {of.set};
        setup.options.progress = setup.options.data_on = false;
        const double lines = run(setup)["simulated_ps"];
        const RunResult flow = run_flow(resolve_setup(setup), setup.options);
        EXPECT_NEAR(static_cast<double>(flow.simulated_ps) / lines, 1, of.most)
            << of.algorithm << " " << of.bytes << " " << of.set;
    }
}

}  // namespace

// They were 17 to 34 % too fast.
TEST(FlowContexts, TheFarthestMemberDecides)
{
    check({{"push_reduce", "16 KiB", "board.1.xpu.3~*.link.latency=1us", 0.01},
        {"push_reduce", "16 KiB", "board.0.xpu.0~*.link.latency=1us", 0.01},
        {"push_reduce", "16 KiB", "board.1.leaf.0.switch.latency=1us", 0.01},
        {"nvls", "16 KiB", "board.1.leaf.0.switch.latency=1us", 0.05}});
}

// Leaves hold contexts for loads and stores that come from spines, spines for all; loads of what is in memory hold them for longer.
TEST(FlowContexts, AreHeldWhereAndForAsLongAsByLines)
{
    check({{"push_reduce", "64 KiB", "board.*.leaf.0.switch.group_contexts=16", 0.02},
        {"nvls", "64 KiB", "board.*.leaf.0.switch.group_contexts=16", 0.03},
        {"push_reduce", "64 KiB", "top.*.spine.0.switch.group_contexts=16", 0.02},
        {"nvls", "64 KiB", "top.*.spine.0.switch.group_contexts=16", 0.03},
        {"nvls", "64 KiB", "switch.group_contexts=16", 0.03}});
}

// 256 operations at each of two spines: they take all contexts, and none waits.
TEST(FlowContexts, AMessageThatFillsThemDoesNotWait)
{
    check({{"push_reduce", "32 KiB", "top.*.spine.0.switch.group_contexts=256", 0.01},
        {"push_reduce", "32 KiB", "top.*.spine.0.switch.group_contexts=4095", 0.01}});
}

}  // namespace flow_contexts_test
