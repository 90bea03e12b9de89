// Choices among algorithms, rings along a graph, and schedules on other ranks.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "collectives/schedule/verification/verify.h"
#include "collectives/synthesis/choose.h"
#include "collectives/synthesis/permute.h"
#include "collectives/synthesis/ring_order.h"
#include "testbenches/synthesis/graphs.h"

namespace choose_test {

using namespace weft;
using namespace weft::testing;

namespace {

ChoiceRequest request(CollectiveOp op, std::uint64_t bytes, std::uint32_t channels = 4)
{
    ChoiceRequest out;
    out.op = op;
    out.bytes = bytes;
    out.options.channels = channels;
    return out;
}

bool follows_wires(const CostGraph& graph, const std::vector<std::uint32_t>& order)
{
    for (std::size_t i = 0; i < order.size(); ++i)
        if (!graph.path(order[i], order[(i + 1) % order.size()]).neighbours) return false;
    return true;
}

}  // namespace

TEST(Choose, ShortMessagesGoDirectAndLongOnesRoundTheRing)
{
    // Behind one switch both send the same bytes; latencies decide. On a ring of wires direct traffic passes many links.
    EXPECT_EQ(
        choose_algorithm(mesh_graph(8), request(CollectiveOp::all_gather, 8192)).candidates.front().name.substr(0, 6),
        "direct");
    EXPECT_EQ(choose_algorithm(ring_graph(8), request(CollectiveOp::all_gather, 1 << 28))
                  .candidates.front()
                  .name.substr(0, 4),
        "ring");
}

TEST(Choose, CandidatesStandInTheOrderOfTheirPrice)
{
    const ScheduleChoice choice = choose_algorithm(star_graph(8), request(CollectiveOp::all_reduce, 1 << 20));
    EXPECT_EQ(choice.candidates.size() + choice.without_price.size(), algorithm_names(CollectiveOp::all_reduce).size());
    EXPECT_TRUE(std::is_sorted(choice.candidates.begin(), choice.candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.estimate.time_ps < b.estimate.time_ps; }));
    for (const Candidate& candidate : choice.candidates) EXPECT_NE(candidate.why.find(" step"), std::string::npos);
    EXPECT_TRUE(verify(choice.schedule).ok);
}

// As flow fidelity takes it: few of the channels, each for several. The price is that of all.
TEST(Choose, IsWrittenInAsManyChannelsAsAreAskedFor)
{
    ChoiceRequest asked = request(CollectiveOp::all_reduce, 1 << 20);
    const ScheduleChoice all = choose_algorithm(star_graph(8), asked);
    EXPECT_EQ(all.channels, 4U);
    for (const std::uint32_t few : {1U, 2U}) {
        asked.written = [&](const Schedule& one) {
            EXPECT_EQ(one.ranks[0].threads.size(), all.schedule.ranks[0].threads.size() / 4);
            return few;
        };
        const ScheduleChoice choice = choose_algorithm(star_graph(8), asked);
        EXPECT_EQ(choice.channels, few);
        EXPECT_EQ(choice.schedule.ranks[0].threads.size(), all.schedule.ranks[0].threads.size() / 4 * few);
        EXPECT_EQ(choice.candidates.front().name, all.candidates.front().name);
        EXPECT_EQ(choice.candidates.front().estimate.time_ps, all.candidates.front().estimate.time_ps);
    }
}

TEST(Choose, WhatIsRefusedIsPassedOver)
{
    ChoiceRequest asked = request(CollectiveOp::all_reduce, 1 << 20);
    const ScheduleChoice free = choose_algorithm(star_graph(8), asked);
    ASSERT_GE(free.candidates.size(), 3U);
    EXPECT_TRUE(free.passed_over.empty());
    std::size_t refused = 0;
    asked.refusal = [&refused](const Schedule&) { return refused++ < 2 ? Refusal{"not today", ""} : Refusal{}; };
    const ScheduleChoice third = choose_algorithm(star_graph(8), asked);
    ASSERT_EQ(third.passed_over.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(third.passed_over[i].name, free.candidates[i].name);
        EXPECT_EQ(third.passed_over[i].time_ps, free.candidates[i].estimate.time_ps);
        EXPECT_EQ(third.passed_over[i].why, "not today");
    }
    EXPECT_EQ(third.candidates.front().name, free.candidates[2].name);
    EXPECT_EQ(third.candidates.size(), free.candidates.size() - 2);
    EXPECT_TRUE(verify(third.schedule).ok);
    asked.refusal = [](const Schedule&) { return Refusal{"never", "another day"}; };
    try {
        choose_algorithm(star_graph(8), asked);
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
            "no algorithm can be used; the cheapest, " + free.candidates.front().name +
                ": never; expected another day");
    }
}

TEST(Choose, EveryCollectiveWithAnAlgorithmCanBeChosenFor)
{
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op) {
        const auto known = static_cast<CollectiveOp>(op);
        if (algorithm_names(known).empty()) {
            EXPECT_THROW(choose_algorithm(star_graph(4), request(known, 4096)), InputError);
            continue;
        }
        EXPECT_TRUE(verify(choose_algorithm(star_graph(4), request(known, 4096)).schedule).ok) << op;
        EXPECT_TRUE(verify(choose_synthesized(star_graph(4), request(known, 4096)).schedule).ok) << op;
        EXPECT_TRUE(verify(choose_synthesized(grid_graph(3, 3, true), request(known, 4096)).schedule).ok) << op;
        EXPECT_TRUE(verify(choose_algorithm(plain_graph(1), request(known, 4096)).schedule).ok) << op;
    }
}

TEST(Choose, ASynthesizedScheduleMustBeClearlyCheaper)
{
    for (const CostGraph& graph : {ring_graph(8), mesh_graph(8), grid_graph(4, 4, true), star_graph(8)}) {
        const ScheduleChoice choice = choose_synthesized(graph, request(CollectiveOp::all_reduce, 1 << 22));
        const auto ring = std::find_if(choice.candidates.begin(), choice.candidates.end(),
            [](const Candidate& candidate) { return candidate.name == "ring"; });
        ASSERT_NE(ring, choice.candidates.end());
        EXPECT_LE(choice.candidates.front().estimate.time_ps, ring->estimate.time_ps);
        EXPECT_TRUE(verify(choice.schedule).ok);
    }
    // No ring of neighbours goes through an odd grid.
    EXPECT_EQ(choose_synthesized(grid_graph(3, 3, false), request(CollectiveOp::all_gather, 1 << 24))
                  .candidates.front()
                  .name.substr(0, 11),
        "synthesized");
}

TEST(Choose, SaysHowFarItIs)
{
    std::vector<PricingState> told;
    ChoiceRequest watched = request(CollectiveOp::all_reduce, 1 << 20);
    watched.watch = [&](const PricingState& state) { told.push_back(state); };
    const ScheduleChoice choice = choose_algorithm(star_graph(32), watched);
    const std::vector<std::string> names = algorithm_names(CollectiveOp::all_reduce);
    // Each algorithm in its turn, then the three whose terms are shown; more often where a price takes long.
    std::vector<std::string> turns;
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i].all, names.size());
        if (i > 0 && told[i].done == told[i - 1].done && told[i].algorithm == told[i - 1].algorithm) continue;
        EXPECT_EQ(told[i].done, std::min(turns.size(), names.size()));
        turns.push_back(told[i].algorithm);
    }
    std::vector<std::string> expected = names;
    for (std::size_t i = 0; i < 3; ++i) expected.push_back(choice.candidates[i].name);
    EXPECT_EQ(turns, expected);
    EXPECT_GT(told.size(), turns.size());

    told.clear();
    watched.op = CollectiveOp::all_gather;
    choose_synthesized(ring_graph(4), watched);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.front().done, 0u);
    for (const PricingState& state : told) EXPECT_LE(state.done, state.all);
    EXPECT_EQ(told.back().done, told.back().all);
}

TEST(CostGraphs, AreAlikeWhereOnlyNamesDiffer)
{
    const CostGraph graph = group_graph(4);
    CostGraph other = graph;
    for (CostRank& rank : other.ranks) rank.name += " of another box";
    for (CostLink& link : other.links) link.name += " of another box";
    EXPECT_TRUE(same_costs(graph, other));
    const auto differs = [&](void (*change)(CostGraph&)) {
        CostGraph changed = graph;
        change(changed);
        return !same_costs(graph, changed);
    };
    EXPECT_TRUE(differs([](CostGraph& g) { g.ranks[3].poll_ps += 1; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.ranks[3].units += 1; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.ranks[3].ports[0].up += 1; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.ranks[3].ports.clear(); }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.links[1].ps_per_byte *= 2; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.switches[0].groups += 1; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.path(0, 1).put_ps += 1; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.path(0, 1).stages[0].links[0].share = 0.5; }));
    EXPECT_TRUE(differs([](CostGraph& g) { g.ranks.pop_back(); }));
}

TEST(Choose, TheNumberOfChunksCanBeGiven)
{
    ChoiceRequest three = request(CollectiveOp::all_gather, 1 << 24);
    three.chunks = {3};
    unsigned found = 0;
    for (const Candidate& candidate : choose_synthesized(ring_graph(8), three).candidates) {
        if (candidate.name.substr(0, 11) != "synthesized") continue;
        EXPECT_NE(candidate.name.find("in 3 chunks"), std::string::npos) << candidate.name;
        ++found;
    }
    EXPECT_GT(found, 0);
}

TEST(RingOrder, FollowsTheGraphWhereRankOrderDoesNot)
{
    // Ranks numbered along a ring of wires in steps of three.
    CostGraph graph = plain_graph(8);
    for (std::uint32_t i = 0; i < 8; ++i) add_wire(graph, i * 3 % 8, (i + 1) * 3 % 8, 1, 1000);
    route(graph);
    EXPECT_FALSE(follows_wires(graph, rank_order(8)));
    const std::vector<std::uint32_t> order = ring_order(graph);
    EXPECT_TRUE(follows_wires(graph, order));
    EXPECT_LT(ring_cost(graph, order), ring_cost(graph, rank_order(8)));
    for (const auto& [width, height] : {std::pair(4u, 4u), std::pair(8u, 8u), std::pair(5u, 4u)})
        EXPECT_TRUE(follows_wires(grid_graph(width, height, false), ring_order(grid_graph(width, height, false))))
            << width << " x " << height;
}

TEST(RingOrder, StaysWithTheRanksWhereThatIsAsGood)
{
    EXPECT_EQ(ring_order(star_graph(8)), rank_order(8));
    EXPECT_EQ(ring_order(ring_graph(8)), rank_order(8));
    EXPECT_EQ(ring_order(mesh_graph(8)), rank_order(8));
}

TEST(RingOrder, AnOddGridHasNoRingOfNeighbours)
{
    const CostGraph graph = grid_graph(3, 3, false);
    const std::vector<std::uint32_t> order = ring_order(graph);
    std::vector<std::uint32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, rank_order(9));
    EXPECT_FALSE(ring_cost(graph, rank_order(9)) < ring_cost(graph, order));
}

TEST(RingOrder, FurtherRingsUseOtherLinks)
{
    const CostGraph graph = mesh_graph(7);
    const auto rings = ring_orders(graph, 6);
    EXPECT_GE(rings.size(), 3);
    std::vector<bool> taken(graph.links.size());
    for (const auto& ring : rings)
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::uint32_t link = graph.path(ring[i], ring[(i + 1) % 7]).stages.front().links.front().link;
            EXPECT_FALSE(taken[link]);
            taken[link] = true;
        }
    EXPECT_EQ(ring_orders(ring_graph(6), 8).size(), 2);  // both ways round
    EXPECT_EQ(ring_orders(star_graph(6), 8).size(), 1);
}

TEST(Permuted, DoesTheSameOnOtherRanks)
{
    const std::vector<std::uint32_t> order{2, 0, 3, 1, 4};
    for (int op = 0; op < static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op))) {
            if (name != "ring" && name != "direct" && name != "direct_get") continue;
            AlgorithmOptions options;
            options.channels = 2;
            const Schedule schedule = permuted(make_schedule(name, static_cast<CollectiveOp>(op), 5, options), order);
            const Verification result = verify(schedule);
            EXPECT_TRUE(result.ok) << name << " " << op << (result.ok ? "" : result.problems.front());
        }
    EXPECT_THROW(permuted(make_schedule("ring", CollectiveOp::all_reduce, 3), {0, 1, 1}), InputError);
    EXPECT_THROW(permuted(make_schedule("ring", CollectiveOp::all_reduce, 3), {0, 1}), InputError);
}

}  // namespace choose_test
