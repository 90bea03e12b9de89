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
    for (CostRank& rank : graph.ranks) rank.packets = {0, 3000, 0, 0, 0};
    // The bytes twice, which a look every 3000 finds at once, and its answer; then the copy to where it belongs. 1000 bytes are 9 packets of 120.
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll).time_ps, 2000 + hop_ps + 3000);
    // There at 2152, found at 3000.
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll128).time_ps, 3000 + 3000);
    // Nobody waits for acknowledges but the end.
    for (CostRank& rank : graph.ranks) rank.packets = {};
    EXPECT_EQ(price("direct", CollectiveOp::broadcast, graph, 1000, Protocol::ll).time_ps, 2000 + 2 * hop_ps);
}

// A poll is 300 to the cache, 200 back and 100 until the next one; the first one reads memory for 5000 if it comes before the packets.
constexpr PacketPolls polls{300, 200, 100, 5000, 0};

TEST(PacketPolls, FindWhatHasComeBeforeTheirLook)
{
    // Looks at 1300; behind memory, its answer and the interval at 1300 + 200 + 5000 + 100 + 300 = 6900, then every 600.
    EXPECT_EQ(polls.found(1000, 0, 0), 1500U);
    EXPECT_EQ(polls.found(1000, 1300, 0), 1500U);
    EXPECT_EQ(polls.found(1000, 1301, 0), 7100U);
    EXPECT_EQ(polls.found(1000, 6900, 0), 7100U);
    EXPECT_EQ(polls.found(1000, 6901, 0), 7700U);
    EXPECT_EQ(polls.found(1000, 8100, 0), 8300U);
    // Polls that take 50 more come later.
    EXPECT_EQ(polls.found(1000, 8100, 0, 50), 8200U + 200U);
}

// Half of the lines have come to the other half of a divided cache: one line is there half the time, two with 3/4 and so on.
TEST(PacketPolls, TakeLongerToTheOtherHalfOfTheCache)
{
    PacketPolls divided = polls;
    divided.far_ps = 400;
    EXPECT_EQ(divided.found(1000, 1300, 0.5), 1700U);
    EXPECT_EQ(divided.found(1000, 1300, 1), 1900U);
    EXPECT_EQ(divided.mean_ps(), 200U + 200U + 300U);
}

// Of n polls with phases of their own the last one is answered after n / (n + 1) periods.
TEST(PacketPolls, TheLastOfFewWithOwnPhasesIsFoundSooner)
{
    EXPECT_EQ(polls.last_found(1, 9000, 0), 9000U + 200 + 300);
    EXPECT_EQ(polls.last_found(2, 9000, 0), 9000U + 200 + 400);
    EXPECT_EQ(polls.last_found(5, 9000, 0), 9000U + 200 + 500);
}

// A ring of a line: each rank asks when it has the packets of the step before, so every hop takes as many whole polls.
TEST(EstimatePackets, AChainIsInStepWithItsPolls)
{
    CostGraph graph = ring_graph(4);
    for (CostRank& rank : graph.ranks) rank.packets = polls;
    const auto time = [&] { return price("ring", CollectiveOp::all_gather, graph, 32, Protocol::ll).time_ps; };
    // 16 B of packets come hop_ps + 16 after they are sent. The first poll looks after 300, the second one after 5900.
    static_assert(hop_ps + 16 > 300 && hop_ps + 16 < 5900);
    EXPECT_EQ(time(), 3 * (5900 + 200));
    // A first poll that finds its line in a cache is followed every 600.
    for (CostRank& rank : graph.ranks) rank.packets.cold_ps = 0;
    // It looks after 300, 900 and 1500: two hops of 1700, and the last packets with their acknowledge.
    EXPECT_EQ(time(), 2 * (1500 + 200) + 2 * hop_ps + 16);
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
