// Contexts of a switch: as many operations as it has begin without a wait, further ones in the same numbers when these are over.
#include <gtest/gtest.h>

#include "collectives/synthesis/context_window.h"
#include "testbenches/synthesis/graphs.h"

namespace context_window_test {

using namespace weft;
using namespace weft::testing;

TEST(ContextWindow, TheFirstFillIsFree)
{
    ContextWindow window;
    EXPECT_EQ(window.pass(0.5, 1000, 100, 50).begin_ps, 100U);
    const ContextWindow::Pass full = window.pass(0.5, 1000, 200, 50);
    EXPECT_EQ(full.begin_ps, 200U);
    EXPECT_EQ(full.end_ps, 200U);
    // The next one finds no context before those of the first are over.
    EXPECT_EQ(window.pass(0.1, 1000, 300, 0).begin_ps, 1100U);
    // After an idle time all are free again.
    EXPECT_EQ(window.pass(1, 1000, 9000, 0).end_ps, 9000U);
}

TEST(ContextWindow, ManyOperationsBeginInFills)
{
    ContextWindow window;
    const ContextWindow::Pass pass = window.pass(2.5, 1000, 0, 500);
    EXPECT_EQ(pass.begin_ps, 0U);
    EXPECT_EQ(pass.end_ps, 2100U) << "two fills, and a fifth of the time in which they come";
    EXPECT_EQ(window.pass(0.5, 1000, 0, 0).begin_ps, 2100U);
    EXPECT_EQ(window.pass(1, 3000, 0, 0).begin_ps, 3000U) << "each for its own time";
    EXPECT_EQ(window.pass(1, 1000, 0, 0).begin_ps, 6000U);
    ContextWindow none;
    EXPECT_EQ(none.pass(100, 0, 7, 9).end_ps, 7U);
}

namespace {

// Contexts for 1000 B, open for 9000 ps, of cold loads for 12,000.
CostGraph few_contexts(CostGraph graph)
{
    for (const CostSwitch& at : graph.switches) {
        CostLink& contexts = graph.links[at.contexts];
        contexts.at_once = 1000;
        contexts.group_ps_per_byte = 9;
        contexts.cold_more_ps_per_byte = 3;
    }
    return graph;
}

}  // namespace

TEST(ContextWindow, AStepThatNeverFillsTheContextsDoesNotWait)
{
    for (const std::uint64_t bytes : {500, 1000})
        EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, few_contexts(group_graph(4)), bytes).time_ps,
            bytes + 4 * hop_ps);
    // Half of it in a second fill, 9000 ps after the first: it comes at the rate of the links.
    const Estimate push = price("push_reduce", CollectiveOp::all_reduce, few_contexts(group_graph(4)), 1500);
    EXPECT_EQ(push.time_ps, 9000U + 500 + 4 * hop_ps);
    EXPECT_NEAR(push.busiest_ps, 4500, 1) << "what is over the first fill";
}

TEST(ContextWindow, LoadsOfWhatIsInMemoryAreOpenForLonger)
{
    const Estimate cold = price("load_reduce", CollectiveOp::reduce, few_contexts(group_graph(4)), 2000);
    EXPECT_EQ(cold.time_ps, 2 * hop_ps + 4 * hop_ps + 12000U) << "requests of a move come together";
}

// What is pushed holds a context from its first contribution on; where it waits for one, the others come meanwhile.
TEST(ContextWindow, PushesAreOpenUntilTheLastContributionHasCome)
{
    CostGraph graph = few_contexts(group_graph(4));
    graph.links[graph.switches[0].contexts].push_more_ps_per_byte = 2;
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, graph, 3000).time_ps, 11000U + 9000 + 1000 + 4 * hop_ps);
    EXPECT_EQ(price("multicast", CollectiveOp::broadcast, graph, 2000).time_ps, 9000U + 1000 + 8 * hop_ps);
}

// A leaf gives the context of a push back when its combination has gone up; loads and stores from spines hold one.
TEST(ContextWindow, PushesHoldNoneAtLeaves)
{
    CostGraph leaves = few_contexts(tree_graph(2, 4, 1));
    leaves.links[leaves.switches[2].contexts].at_once = 0;
    leaves.links[leaves.switches[2].contexts].group_ps_per_byte = 0;
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, leaves, 4000).time_ps, 4000 + 8 * hop_ps);
    EXPECT_EQ(price("multicast", CollectiveOp::broadcast, leaves, 4000).time_ps, 3 * 9000U + 1000 + 16 * hop_ps);
    const Estimate load = price("load_reduce", CollectiveOp::reduce, leaves, 4000);
    EXPECT_EQ(load.time_ps, 4 * hop_ps + 8 * hop_ps + 3 * 12000U);
    // At the spine one for each operation.
    CostGraph spine = few_contexts(tree_graph(2, 4, 1));
    for (const std::uint32_t leaf : {0U, 1U}) spine.links[spine.switches[leaf].contexts].at_once = 0;
    for (const std::uint32_t leaf : {0U, 1U}) spine.links[spine.switches[leaf].contexts].group_ps_per_byte = 0;
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, spine, 4000).time_ps, 3 * 9000U + 1000 + 8 * hop_ps);
    EXPECT_EQ(price("load_reduce", CollectiveOp::reduce, spine, 4000).time_ps, load.time_ps);
}

}  // namespace context_window_test
