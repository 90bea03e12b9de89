// Prices of schedules in packets, against what can be reckoned by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/choose.h"
#include "testbenches/synthesis/graphs.h"

namespace estimate_packets_test {

using namespace weft;
using namespace weft::testing;

namespace {

Estimate price(const std::string& algorithm, CollectiveOp op, const CostGraph& graph, std::uint64_t bytes,
    Protocol protocol, bool fenced = false)
{
    const Schedule schedule = make_schedule(algorithm, op, graph.size());
    if (protocol == Protocol::simple) return estimate(schedule, graph, {bytes, 1});
    return estimate(in_packets(schedule), graph, {bytes, 1, format_of(protocol), fenced});
}

}  // namespace

TEST(EstimatePackets, AStepIsOneWayAndItsPackets)
{
    CostGraph graph = mesh_graph(2);
    for (CostRank& rank : graph.ranks) rank.look_ps = rank.last_look_ps = 3000;
    // The bytes twice, a look; then the copy to where it belongs. 1000 bytes are 9 packets of 120.
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll).time_ps, 2000 + hop_ps + 3000);
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll128).time_ps, 9 * 128 + hop_ps + 3000);
    // Nobody waits for acknowledges but the end.
    for (CostRank& rank : graph.ranks) rank.look_ps = rank.last_look_ps = 0;
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll).time_ps, 2000 + 2 * hop_ps);
}

// Of n pairs of lines the last is found after n / (n + 1) periods: half a period is in look_ps, another one in the difference.
TEST(EstimatePackets, TheLastOfFewIsSeenSooner)
{
    CostGraph graph = mesh_graph(2);
    for (CostRank& rank : graph.ranks) {
        rank.look_ps = 3000;
        rank.last_look_ps = 7000;
    }
    const auto time = [&](std::uint64_t bytes) {
        return price("direct", CollectiveOp::broadcast, graph, bytes, Protocol::ll).time_ps;
    };
    EXPECT_EQ(time(64), 128 + hop_ps + 3000);              // one pair
    EXPECT_EQ(time(128), 256 + hop_ps + 3000 + 4000 / 3);  // two
    EXPECT_EQ(time(192), 384 + hop_ps + 3000 + 4000 / 2);  // three
    EXPECT_EQ(time(6336), 12'672 + hop_ps + 3000 + 3920);  // 99
}

TEST(EstimatePackets, AChainGoesOnWithTheFirstOfThem)
{
    // Three hops, and the packets once: the next one begins when the first have come.
    const std::uint64_t time = price("ring", CollectiveOp::broadcast, ring_graph(4), 80'000, Protocol::ll).time_ps;
    EXPECT_LT(time, price("ring", CollectiveOp::broadcast, ring_graph(4), 80'000, Protocol::simple).time_ps + 80'000);
    const Estimate one = price("ring", CollectiveOp::all_gather, ring_graph(4), 32, Protocol::ll);
    EXPECT_EQ(one.steps, 3);
    EXPECT_EQ(one.time_ps, 3 * hop_ps + 16 + hop_ps);  // at the end the acknowledge
    // With many the wire is always busy.
    EXPECT_EQ(price("ring", CollectiveOp::all_gather, ring_graph(4), 40'000, Protocol::ll).time_ps,
        3 * 20'000 + 2 * hop_ps);
}

TEST(EstimatePackets, AreCheaperAsLongAsAMessageIsShort)
{
    const CostGraph graph = mesh_graph(4);
    const auto time = [&](std::uint64_t bytes, Protocol protocol) {
        return price("direct", CollectiveOp::all_reduce, graph, bytes, protocol).time_ps;
    };
    EXPECT_LT(time(512, Protocol::ll), time(512, Protocol::simple));
    EXPECT_GT(time(1 << 20, Protocol::ll), time(1 << 20, Protocol::simple));
    EXPECT_LT(time(1 << 20, Protocol::ll128), time(1 << 20, Protocol::ll));
}

TEST(EstimatePackets, WhatWasWrittenIsReadBehindAFence)
{
    // Partial sums of recursive doubling wait in the own output: two of three steps read them there.
    CostGraph graph = mesh_graph(8);
    const std::uint64_t before = price("recursive_doubling", CollectiveOp::all_reduce, graph, 64, Protocol::ll).time_ps;
    for (CostPath& path : graph.paths) path.answer_ps += 500;
    EXPECT_EQ(price("recursive_doubling", CollectiveOp::all_reduce, graph, 64, Protocol::ll).time_ps,
        before + 500 + 500);
}

TEST(EstimatePackets, AFenceBeforeEveryStepTakesItsTime)
{
    CostGraph graph = ring_graph(4);
    for (CostRank& rank : graph.ranks) rank.fence_ps = 700;
    const auto time = [&](bool fenced) {
        return price("ring", CollectiveOp::all_gather, graph, 64, Protocol::ll128, fenced).time_ps;
    };
    EXPECT_GE(time(true), time(false) + 2 * 700);
    EXPECT_GT(price("ring", CollectiveOp::all_gather, graph, 64, Protocol::simple).time_ps,
        price("ring", CollectiveOp::all_gather, ring_graph(4), 64, Protocol::simple).time_ps);
}

TEST(EstimatePackets, WhoWaitsForPacketsThatNobodySendsIsFound)
{
    Schedule schedule = in_packets(make_schedule("ring", CollectiveOp::all_gather, 4));
    EXPECT_TRUE(estimate(schedule, ring_graph(4), {4096, 1}).runs);
    schedule.ranks[1].threads[0].steps.erase(schedule.ranks[1].threads[0].steps.begin());
    EXPECT_FALSE(estimate(schedule, ring_graph(4), {4096, 1}).runs);
}

TEST(EstimatePackets, OnlyWhatCanBeInPacketsIsChosen)
{
    ChoiceRequest request;
    request.op = CollectiveOp::all_reduce;
    request.bytes = 4096;
    request.protocol = Protocol::ll;
    const ScheduleChoice choice = choose_algorithm(group_graph(8), request);
    for (const Candidate& candidate : choice.candidates) {
        const AlgorithmInfo* info = algorithm_info(request.op, candidate.name);
        if (info != nullptr) {
            EXPECT_EQ(info->carrier, Carrier::put) << candidate.name;
        }
        EXPECT_NE(candidate.why.find(" in packets of ll"), std::string::npos) << candidate.why;
    }
    for (const char* name : {"one_shot_get", "two_shot_get", "nvls", "push_reduce"})
        EXPECT_NE(std::find(choice.without_price.begin(), choice.without_price.end(), name), choice.without_price.end())
            << name;
    // The schedule itself is the one that a run turns into packets.
    for (const RankPlan& plan : choice.schedule.ranks) EXPECT_EQ(plan.packet_chunks, 0);
}

TEST(EstimatePackets, SlicesArePricedToo)
{
    ChoiceRequest request;
    request.op = CollectiveOp::broadcast;
    request.bytes = 1 << 20;
    const auto ring = [&](std::uint32_t slices) {
        request.slices = slices;
        for (const Candidate& candidate : choose_algorithm(ring_graph(8), request).candidates)
            if (candidate.name == "chain") return candidate.estimate.time_ps;
        return std::uint64_t{0};
    };
    // The next rank begins with the first of them.
    EXPECT_LT(ring(4), ring(1));
}

}  // namespace estimate_packets_test
