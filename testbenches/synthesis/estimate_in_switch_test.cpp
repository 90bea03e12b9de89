// Prices of what switches carry out, against what can be reckoned by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/choose.h"
#include "testbenches/synthesis/graphs.h"

namespace estimate_in_switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t mib = 1 << 20;

// Of one rank, its link takes `more` longer both ways.
CostGraph group_with_a_far_rank(std::uint32_t n, std::uint32_t far, std::uint64_t more)
{
    CostGraph graph = group_graph(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        graph.ranks[rank].ports.front().answered_ps = hop_ps + (rank == far ? more : 0);
        if (rank == far) continue;
        graph.path(far, rank).stages[1].before_ps += more;
        for (CostPath* path : {&graph.path(far, rank), &graph.path(rank, far)}) {
            path->put_ps += more;
            path->answer_ps += more;
        }
    }
    return graph;
}

}  // namespace

TEST(EstimateInSwitch, APushIsThereAndBackAndItsBytes)
{
    // Up, through the switch, down, and the acknowledge: what goes up and down overlaps.
    const Estimate push = price("push_reduce", CollectiveOp::all_reduce, group_graph(4), 4000);
    EXPECT_EQ(push.time_ps, 4000 + 2 * hop_ps + 2 * hop_ps);
    EXPECT_EQ(push.steps, 1);
    EXPECT_EQ(push.switches, 1);
    EXPECT_EQ(push.busiest_bytes, 4000);
}

TEST(EstimateInSwitch, AMulticastSendsOnceWhatEverybodyGets)
{
    // The data and their acknowledge, then the signal and its own acknowledge.
    const Estimate once = price("multicast", CollectiveOp::broadcast, group_graph(4), 4000);
    EXPECT_EQ(once.time_ps, 4000 + 4 * hop_ps + 4 * hop_ps);
    EXPECT_EQ(once.busiest_bytes, 4000);
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, group_graph(4), 4000).busiest_bytes, 3 * 4000);
}

TEST(EstimateInSwitch, ALoadReduceBringsOneResultOfAll)
{
    // The others signal that they are there; a round trip, and the bytes once.
    EXPECT_EQ(price("load_reduce", CollectiveOp::reduce, group_graph(4), 4000).time_ps, 2 * hop_ps + 4 * hop_ps + 4000);
    // Everybody loads everything: each member sends it four times.
    const Estimate all = price("nvls_one_shot", CollectiveOp::all_reduce, group_graph(4), 4000);
    EXPECT_EQ(all.time_ps, 2 * hop_ps + 4 * hop_ps + 4 * 4000);
    EXPECT_EQ(all.busiest_bytes, 4 * 4000);
}

// The last contribution, the farthest copy and the last acknowledge decide, whichever member they are of.
TEST(EstimateInSwitch, LatenciesAreThoseOfTheFarthestMember)
{
    for (const std::uint32_t n : {2u, 4u})
        for (std::uint32_t far = 0; far < n; ++far) {
            const CostGraph graph = group_with_a_far_rank(n, far, 700);
            EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, graph, 4000).time_ps, 4000 + 4 * (hop_ps + 700))
                << far;
            // The root pays for its own way to the switch and back, too, and for that of the signals behind the data.
            EXPECT_EQ(price("multicast", CollectiveOp::broadcast, graph, 4000).time_ps,
                4000 + 8 * hop_ps + (far == 0 ? 6 : 4) * 700)
                << far;
            // Signals that the others are there, the request, the operand, the result.
            EXPECT_EQ(price("load_reduce", CollectiveOp::reduce, graph, 4000).time_ps,
                4000 + 6 * hop_ps + (far == 0 ? 5 : 3) * 700)
                << far;
        }
}

// An acknowledge that takes longer at one member: once, at the end; a longer way into a member, without one back.
TEST(EstimateInSwitch, WaysThereAndBackCountByThemselves)
{
    CostGraph slow_answer = group_with_a_far_rank(4, 0, 0);
    CostGraph slow_store = slow_answer;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        slow_answer.path(rank, 3).answer_ps += 5000;
        slow_store.path(rank, 3).put_ps += 5000;
        slow_answer.path(rank, 2).put_ps += 900;  // with its acknowledge it is there before that of rank 3
    }
    slow_answer.path(3, 2).put_ps += 900;
    for (const CostGraph& graph : {slow_answer, slow_store})
        EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, graph, 4000).time_ps, 4000 + 4 * hop_ps + 5000);
}

TEST(EstimateInSwitch, LongAllReducesTendToTheBytesOfTheirLinks)
{
    for (const std::uint32_t ranks : {4u, 8u}) {
        const double share = 1.0 + 1.0 / ranks;  // everything is sent once to be added up, the own sum once more
        const Estimate nvls = price("nvls", CollectiveOp::all_reduce, group_graph(ranks), 16 * mib, 8);
        EXPECT_NEAR(nvls.busiest_bytes, share * 16 * mib, 16.0);
        const Estimate push = price("push_reduce", CollectiveOp::all_reduce, group_graph(ranks), 16 * mib, 8);
        EXPECT_NEAR(static_cast<double>(push.time_ps), 16.0 * mib, 0.01 * 16 * mib);
    }
}

TEST(EstimateInSwitch, LoadsAndStoresOfOneStepOverlapAsFarAsRegistersLetThem)
{
    CostGraph graph = group_graph(8);
    for (CostRank& rank : graph.ranks) {
        rank.registers = 16384;
        rank.sets = 2;
    }
    const Estimate nvls = price("nvls", CollectiveOp::all_reduce, graph, 16 * mib, 8);
    EXPECT_LT(static_cast<double>(nvls.time_ps), 1.15 * nvls.busiest_ps);
    for (CostRank& rank : graph.ranks) rank.registers = 32;  // a round trip of 4000 ps for every 32 bytes
    EXPECT_GT(price("nvls", CollectiveOp::all_reduce, graph, 16 * mib, 8).time_ps, nvls.time_ps);
}

TEST(EstimateInSwitch, PacketsOfGroupsMayBeShorter)
{
    CostGraph graph = group_graph(4);
    for (std::uint32_t link = 0; link < 8; ++link) graph.links[link].group_ps_per_byte = 1.25;
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, graph, 4000).time_ps, 5000 + 4 * hop_ps);
    EXPECT_EQ(price("direct", CollectiveOp::all_reduce, graph, 4000).time_ps,
        price("direct", CollectiveOp::all_reduce, group_graph(4), 4000).time_ps);
}

TEST(EstimateInSwitch, WhatGoesBackOccupiesTheOtherDirection)
{
    CostGraph graph = group_graph(4);
    for (std::uint32_t link = 0; link < 8; ++link) {
        graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1);
        graph.links[link].group_back_ps_per_byte = 0.25;
    }
    EXPECT_NEAR(price("push_reduce", CollectiveOp::all_reduce, graph, 4 * mib, 4).busiest_ps, 1.25 * 4 * mib, 1.0);
}

// Of pushes that are longer than copies, too: the acknowledges of the copies lie between them.
TEST(EstimateInSwitch, APushIsNoShorterThanWhatItsLinkCarries)
{
    CostGraph graph = group_graph(4);
    for (std::uint32_t link = 0; link < 8; ++link) {
        graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1);
        graph.links[link].group_back_ps_per_byte = 0.25;
        graph.links[link].push_more_ps_per_byte = 0.5;
    }
    const Estimate push = price("push_reduce", CollectiveOp::all_reduce, graph, 4 * mib, 4);
    EXPECT_NEAR(push.busiest_ps, 1.75 * 4 * mib, 1.0);
    EXPECT_NEAR(static_cast<double>(push.time_ps), 1.75 * 4 * mib + 4 * hop_ps, 2.0);
}

TEST(EstimateInSwitch, AdderAndContextsLimitIt)
{
    CostGraph graph = group_graph(4);
    graph.links[graph.switches[0].adder].group_ps_per_byte = 0.5;  // four operands of each byte
    Estimate push = price("push_reduce", CollectiveOp::all_reduce, graph, 4 * mib);
    EXPECT_NEAR(push.busiest_ps, 0.5 * 4 * 4 * mib, 1.0);
    EXPECT_GE(static_cast<double>(push.time_ps), push.busiest_ps);
    EXPECT_EQ(graph.links[static_cast<std::size_t>(push.busiest)].name, "adder of switch");
    graph = group_graph(4);
    graph.links[graph.switches[0].contexts].group_ps_per_byte = 3;  // one operation of each byte
    push = price("push_reduce", CollectiveOp::all_reduce, graph, 4 * mib);
    EXPECT_NEAR(push.busiest_ps, 3.0 * 4 * mib, 1.0);
    EXPECT_EQ(graph.links[static_cast<std::size_t>(push.busiest)].name, "contexts of switch");
}

TEST(EstimateInSwitch, SwitchesOfABoardShareTheLines)
{
    CostGraph graph = group_graph(4);
    const std::uint32_t second = add_switch(graph, "second", 0, 0, 8);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const auto up = static_cast<std::uint32_t>(graph.links.size());
        for (int way = 0; way < 2; ++way) {
            graph.links.push_back({"to second", wire_ps, 0, -1});
            graph.links.back().group_ps_per_byte = wire_ps;
        }
        graph.ranks[rank].ports.push_back({second, up, up + 1});
    }
    const Estimate push = price("push_reduce", CollectiveOp::all_reduce, graph, 4000);
    EXPECT_EQ(push.time_ps, 2000 + 4 * hop_ps);
    EXPECT_EQ(push.switches, 2);
    // One that a member has no link to is left out.
    graph.ranks[3].ports.pop_back();
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, graph, 4000).time_ps, 4000 + 4 * hop_ps);
}

// Two tiers: up two links, down two, and the acknowledge the same way; the bytes once, because heads go on at once.
TEST(EstimateInSwitch, TwoTiersPassTheirBytesOnce)
{
    const CostGraph tree = tree_graph(2, 4, 2);
    const Estimate push = price("push_reduce", CollectiveOp::all_reduce, tree, 4000);
    EXPECT_EQ(push.time_ps, 4000 + 8 * hop_ps);
    EXPECT_EQ(push.switches, 4);
    EXPECT_EQ(push.busiest_bytes, 4000);
    // The data and their acknowledge, then the signal and its own.
    EXPECT_EQ(price("multicast", CollectiveOp::broadcast, tree, 4000).time_ps, 4000 + 16 * hop_ps);
    EXPECT_EQ(price("load_reduce", CollectiveOp::reduce, tree, 4000).time_ps, 4 * hop_ps + 8 * hop_ps + 4000);
}

// A leaf sends what it has added up once, over both links: S bytes at half of the rate a link.
TEST(EstimateInSwitch, LinksBetweenTiersCarryOneCombinationForALeaf)
{
    const Estimate fast = price("push_reduce", CollectiveOp::all_reduce, tree_graph(2, 4, 2, 2), 4000);
    EXPECT_EQ(fast.time_ps, 4000 + 8 * hop_ps) << "2 ps a byte over two links";
    const Estimate slow = price("push_reduce", CollectiveOp::all_reduce, tree_graph(2, 4, 2, 6), 4000);
    EXPECT_EQ(slow.time_ps, 3 * 4000 + 8 * hop_ps);
    EXPECT_EQ(slow.busiest_bytes, 2000);
    CostGraph adder = tree_graph(2, 4, 1);
    adder.links[adder.switches[0].adder].group_ps_per_byte = 2;  // of a leaf, four operands
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, adder, 4000).busiest_ps, 2 * 4 * 4000);
    adder = tree_graph(2, 4, 1);
    adder.links[adder.switches[2].adder].group_ps_per_byte = 2;  // of the spine, one operand of each leaf
    EXPECT_EQ(price("push_reduce", CollectiveOp::all_reduce, adder, 4000).busiest_ps, 2 * 2 * 4000);
}

// Without links between the tiers, or with a leaf that no spine is above, there is none.
TEST(EstimateInSwitch, WithoutACommonSpineThereIsNoPrice)
{
    const auto runs = [](const CostGraph& graph) {
        return price("push_reduce", CollectiveOp::all_reduce, graph, 4000).runs;
    };
    EXPECT_TRUE(runs(tree_graph(3, 2, 1)));
    CostGraph graph = tree_graph(3, 2, 1);
    graph.trunks.pop_back();
    EXPECT_FALSE(runs(graph));
    graph = tree_graph(3, 2, 1);
    graph.ranks[0].ports.push_back({1, 0, 1});  // a rank under two leaves
    EXPECT_FALSE(runs(graph));
    graph = tree_graph(3, 2, 1);
    graph.switches[3].groups = 0;
    EXPECT_FALSE(runs(graph));
}

TEST(EstimateInSwitch, WithoutASwitchForAllThereIsNoPrice)
{
    const auto runs = [](const CostGraph& graph) { return price("nvls", CollectiveOp::all_reduce, graph, 4000).runs; };
    EXPECT_TRUE(runs(group_graph(4)));
    EXPECT_FALSE(runs(star_graph(4)));
    EXPECT_FALSE(runs(group_graph(4, 0)));
    CostGraph graph = group_graph(4);
    graph.ranks[2].ports.clear();
    EXPECT_FALSE(runs(graph));
}

TEST(EstimateInSwitch, IsChosenWhereItIsCheapestAndSaysSo)
{
    ChoiceRequest request;
    request.op = CollectiveOp::all_reduce;
    request.bytes = 4 * mib;
    request.options.channels = 4;
    const ScheduleChoice choice = choose_algorithm(group_graph(8), request);
    EXPECT_EQ(choice.candidates.front().name, "push_reduce");
    EXPECT_NE(choice.candidates.front().why.find(" in 1 switch;"), std::string::npos) << choice.candidates.front().why;
    for (const char* name : {"nvls", "nvls_one_shot", "push_reduce", "nvls_tree"}) {
        const std::vector<std::string> without = choose_algorithm(star_graph(8), request).without_price;
        EXPECT_NE(std::find(without.begin(), without.end(), name), without.end()) << name;
    }
    // A slow adder: by wires after all.
    CostGraph slow = group_graph(8);
    slow.links[slow.switches[0].adder].group_ps_per_byte = 100;
    EXPECT_EQ(choose_algorithm(slow, request).candidates.front().estimate.switches, 0);
}

}  // namespace estimate_in_switch_test
