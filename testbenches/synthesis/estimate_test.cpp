// Prices of schedules, against what can be reckoned by hand.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/estimate.h"
#include "collectives/synthesis/estimate_terms.h"
#include "testbenches/synthesis/graphs.h"

namespace estimate_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST(Estimate, AStepIsItsLatenciesAndItsBytes)
{
    // Every step: bytes, there and back, and the signal. The last ends with the acknowledge of its signal.
    const Estimate ring = price("ring", CollectiveOp::all_gather, ring_graph(4), 4000);
    EXPECT_EQ(ring.steps, 3);
    EXPECT_EQ(ring.alpha_ps, 3 * hop_ps);
    EXPECT_EQ(ring.time_ps, 3 * (1000 * wire_ps + 3 * hop_ps) + hop_ps);
    const Estimate reduced = price("ring", CollectiveOp::all_reduce, ring_graph(4), 4000);
    EXPECT_EQ(reduced.steps, 6);
    EXPECT_EQ(reduced.time_ps, 6 * (1000 * wire_ps + 3 * hop_ps) + hop_ps);
}

TEST(Estimate, PartsOfARankAreInIt)
{
    CostGraph graph = ring_graph(4);
    for (CostRank& rank : graph.ranks) {
        rank.load_ps = rank.poll_ps = 70;
        rank.cold_ps = 300;
        rank.notice_ps = 20;
        rank.launch_ps = 5000;
    }
    // One own chunk is read cold by every rank; what is passed on is not. Two waits are on the way, each with a look.
    EXPECT_EQ(price("ring", CollectiveOp::all_gather, graph, 4000).time_ps,
        5000 + 300 + 3 * (70 + 1000 + 3 * hop_ps) + 2 * (20 + 70) + hop_ps);
}

// A unit with room for few requests: what is stored takes a place for its round trip, what is loaded before it for `load`.
TEST(Estimate, RequestsToTheOwnMemoryTakePlacesOfTheUnit)
{
    constexpr std::uint64_t bytes = 1000;
    constexpr std::uint64_t round = 2 * hop_ps;
    constexpr std::uint64_t load = 40;
    CostGraph graph = ring_graph(4);
    const auto price_with = [&](std::uint64_t room) {
        for (CostRank& rank : graph.ranks) {
            rank.load_ps = load;
            rank.outstanding = static_cast<double>(room);
        }
        return price("ring", CollectiveOp::all_gather, graph, 4 * bytes).time_ps;
    };
    const auto expected = [&](std::uint64_t issue) { return 3 * (load + issue + 3 * hop_ps) + hop_ps; };
    // The first step stores the own block in the own output, too.
    for (const std::uint64_t room : {100, 50})
        EXPECT_EQ(price_with(room), expected((bytes * round + bytes * load) / room - round) + bytes * load / room);
    EXPECT_EQ(price_with(0), expected(bytes * wire_ps));  // any number
}

TEST(Estimate, TransfersShareALinkInTurn)
{
    // Everybody stores to everybody: three blocks leave by each port, one after the other.
    const Estimate direct = price("direct", CollectiveOp::all_gather, star_graph(4), 4000);
    EXPECT_EQ(direct.steps, 1);
    EXPECT_EQ(direct.busiest_ps, 3000);
    EXPECT_EQ(direct.busiest_bytes, 3000);
    EXPECT_GE(direct.time_ps, 3000 + 3 * 2 * hop_ps);
    EXPECT_LE(direct.time_ps, 3000 + 1000 + 4 * 2 * hop_ps);
    // On a mesh every block has a wire of its own.
    EXPECT_EQ(price("direct", CollectiveOp::all_gather, mesh_graph(4), 4000).time_ps, 1000 + 4 * hop_ps);
}

TEST(Estimate, LongMessagesTendToTheBytesOfTheBusiestLink)
{
    for (const std::uint32_t channels : {1u, 8u}) {
        const Estimate ring = price("ring", CollectiveOp::all_reduce, ring_graph(8), 64 * mib, channels);
        EXPECT_NEAR(static_cast<double>(ring.time_ps), 14.0 / 8 * 64 * mib, 0.01 * 14 / 8 * 64 * mib) << channels;
        EXPECT_FALSE(ring.bound_by_latency());
    }
    EXPECT_TRUE(price("ring", CollectiveOp::all_reduce, ring_graph(8), 1024).bound_by_latency());
}

TEST(Estimate, ChannelsOverlapWaitingAndWire)
{
    const std::uint64_t bytes = 8 * 4000;
    EXPECT_LT(price("ring", CollectiveOp::all_reduce, ring_graph(8), bytes, 4).time_ps,
        price("ring", CollectiveOp::all_reduce, ring_graph(8), bytes, 1).time_ps);
}

TEST(Estimate, WhatGoesBackOccupiesTheOtherDirection)
{
    CostGraph graph = ring_graph(8);
    const Estimate without = price("ring", CollectiveOp::all_reduce, graph, mib);
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
        graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1);
        graph.links[link].back_ps_per_byte = 0.25;
    }
    const Estimate with = price("ring", CollectiveOp::all_reduce, graph, mib);
    EXPECT_EQ(with.busiest_ps, without.busiest_ps);  // the ring goes one way round
    EXPECT_GT(price("direct", CollectiveOp::all_reduce, graph, mib).busiest_ps,
        1.1 * price("direct", CollectiveOp::all_reduce, ring_graph(8), mib).busiest_ps);
}

TEST(Estimate, RanksOnTheWayCrowdTheirLinks)
{
    // More than the buffers hold, from several ranks: what passes ranks takes half as long again, but for the first of each queue.
    CostGraph graph = ring_graph(8);
    const auto without = static_cast<double>(price("direct", CollectiveOp::all_gather, graph, 8 * mib, 4).time_ps);
    for (CostLink& link : graph.links) link.buffer = 1024;
    const auto crowded = static_cast<double>(price("direct", CollectiveOp::all_gather, graph, 8 * mib, 4).time_ps);
    EXPECT_GT(crowded, 1.25 * without);
    EXPECT_LE(crowded, slowed_by_ranks * without);
    // Neighbours do not, nor does one sender alone.
    for (const auto& [algorithm, op] :
        {std::pair("ring", CollectiveOp::all_gather), std::pair("direct", CollectiveOp::broadcast)})
        EXPECT_EQ(price(algorithm, op, graph, 8 * mib, 4).time_ps,
            price(algorithm, op, ring_graph(8), 8 * mib, 4).time_ps);
}

TEST(Estimate, AWaitForAFlagThatIsSetIsALookToo)
{
    // Four looks more for seven peers than for three; all signals come together.
    const auto at = [](std::uint32_t ranks) {
        CostGraph graph = mesh_graph(ranks);
        for (CostRank& rank : graph.ranks) rank.poll_ps = 5000;
        return price("direct", CollectiveOp::barrier, graph, 0).time_ps;
    };
    EXPECT_EQ(at(8) - at(4), 4 * 5000);
}

TEST(Estimate, WaitsInARowAreOneLook)
{
    // Seven flags: all of them in one look, one a slot; four and then three; each by itself.
    const auto with = [](std::uint32_t lanes, std::uint64_t slot) {
        CostGraph graph = mesh_graph(8);
        for (CostRank& rank : graph.ranks) {
            rank.poll_ps = 5000;
            rank.poll_slot_ps = slot;
            rank.poll_lanes = lanes;
        }
        return price("direct", CollectiveOp::barrier, graph, 0).time_ps;
    };
    EXPECT_EQ(with(1, 0) - with(32, 0), 6 * 5000);
    EXPECT_EQ(with(32, 300) - with(32, 0), 6 * 300);
    EXPECT_EQ(with(4, 0) - with(32, 0), 5000);
    EXPECT_EQ(with(4, 300) - with(4, 0), 3 * 300 + 2 * 300);
    EXPECT_EQ(with(1, 300), with(1, 0));
}

TEST(Estimate, WaitsForTheSameFlagAreLooksOfTheirOwn)
{
    // Two signals to one flag of rank 1, and its two waits for it.
    Schedule schedule = make_schedule("direct", CollectiveOp::barrier, 2);
    const Step signal = schedule.ranks[0].threads[0].steps[0];
    const Step wait = schedule.ranks[1].threads[0].steps[1];
    ASSERT_EQ(signal.kind, StepKind::signal);
    ASSERT_EQ(wait.kind, StepKind::wait);
    const auto time = [](const Schedule& of) {
        CostGraph graph = mesh_graph(2);
        for (CostRank& rank : graph.ranks) {
            rank.poll_ps = 5000;
            rank.poll_lanes = 32;
        }
        return estimate(of, graph, {0, 1}).time_ps;
    };
    const std::uint64_t once = time(schedule);
    schedule.ranks[0].threads[0].steps.insert(schedule.ranks[0].threads[0].steps.begin(), signal);
    schedule.ranks[1].threads[0].steps.push_back(wait);
    EXPECT_EQ(time(schedule) - once, 5000);
}

TEST(Estimate, AThreadIssuesNoFasterThanItsUnitAndWindow)
{
    CostGraph graph = mesh_graph(2);
    const std::uint64_t free = price("direct", CollectiveOp::all_gather, graph, 2 * mib).time_ps;
    for (CostRank& rank : graph.ranks) rank.issue_ps_per_byte = 2;
    // Each rank stores its half twice, to itself and to the peer: three operands.
    EXPECT_EQ(price("direct", CollectiveOp::all_gather, graph, 2 * mib).time_ps, free + (3 * 2 - 1) * mib);
    for (CostRank& rank : graph.ranks) {
        rank.issue_ps_per_byte = 0;
        rank.outstanding = 500;
    }
    // 500 bytes every round trip of 2000 ps.
    EXPECT_NEAR(static_cast<double>(price("direct", CollectiveOp::all_gather, graph, 2 * mib).time_ps),
        2000.0 / 500 * mib, 5000);
}

TEST(Estimate, GetsTakeARoundTripAndTheLinksFromThePeer)
{
    CostGraph graph = mesh_graph(2);
    // The peer's signal that it is there, a round trip with the data; the last ends with the data.
    EXPECT_EQ(price("direct_get", CollectiveOp::all_gather, graph, 2000).time_ps, hop_ps + 2 * hop_ps + 1000);
}

TEST(Estimate, WhoWaitsForEverIsFound)
{
    Schedule schedule = make_schedule("ring", CollectiveOp::all_gather, 4);
    schedule.ranks[1].threads[0].steps.erase(schedule.ranks[1].threads[0].steps.begin() + 1);
    EXPECT_FALSE(estimate(schedule, ring_graph(4), {4096, 1}).runs);
    EXPECT_TRUE(estimate(make_schedule("ring", CollectiveOp::all_gather, 4), ring_graph(4), {4096, 1}).runs);
}

TEST(EstimateTerms, AreWhatEachCauseCosts)
{
    CostGraph graph = ring_graph(4);
    for (CostRank& rank : graph.ranks) {
        rank.load_ps = 70;
        rank.cold_ps = 300;
        rank.notice_ps = 20;
        rank.poll_ps = 90;
        rank.launch_ps = 5000;
        rank.issue_ps_per_byte = 0.25;
    }
    const Schedule schedule = make_schedule("ring", CollectiveOp::all_gather, 4);
    const EstimateOptions options{4000, 1};
    const Estimate whole = estimate(schedule, graph, options);
    const std::vector<EstimateTerm> terms = estimate_terms(whole, schedule, graph, options);
    ASSERT_EQ(terms.size(), 5u);
    const auto hop = static_cast<std::int64_t>(hop_ps);
    EXPECT_EQ(terms[0], (EstimateTerm{"launch", 5000}));
    EXPECT_EQ(terms[1], (EstimateTerm{"latency", 300 + 3 * (70 + 3 * hop) + hop}));
    EXPECT_EQ(terms[2], (EstimateTerm{"flags", 2 * (20 + 90)}));
    EXPECT_EQ(terms[3].name, "issue");
    EXPECT_EQ(terms[4].name, "links");
    std::int64_t sum = 0;
    for (const EstimateTerm& term : terms) sum += term.ps;
    EXPECT_EQ(sum, static_cast<std::int64_t>(whole.time_ps));
    EXPECT_GT(terms[3].ps, 0);
    EXPECT_GT(terms[4].ps, 0);
}

TEST(EstimateTerms, OfNothingAreNotShown)
{
    EXPECT_EQ(text_of({{"launch", 0}, {"latency", 2000}, {"flags", 500'000}, {"issue", -1000}, {"links", 0}}),
        "latency 2 ns + flags 500 ns - issue 1 ns");
    EXPECT_EQ(text_of({{"issue", -1000}, {"links", 3000}}), "-issue 1 ns + links 3 ns");
}

TEST(Estimate, LoadsOfARunWaitForTheRegistersOfThoseBefore)
{
    // Registers for one of three loads of 1000 bytes: the next is asked for when the first line of the one before has come.
    CostGraph one = mesh_graph(4);
    for (CostRank& rank : one.ranks) rank.registers = 1000;
    // The signals of the peers; a round trip for each load, and the wire of the last.
    EXPECT_EQ(price("direct_get", CollectiveOp::all_gather, one, 4000).time_ps, hop_ps + 3 * 2 * hop_ps + 1000);
    // All channels of two_shot_load begin at the same peer: the other wires stand idle until loads have come.
    const auto four_channels = [&] { return price("two_shot_load", CollectiveOp::all_reduce, one, 16000, 4).time_ps; };
    const std::uint64_t held = four_channels();
    for (CostRank& rank : one.ranks) rank.registers = 0;
    EXPECT_GT(held, four_channels() + 2 * hop_ps);
}

TEST(Estimate, TheSameEveryTime)
{
    for (const std::string& name : algorithm_names(CollectiveOp::all_reduce)) {
        const Estimate first = price(name, CollectiveOp::all_reduce, star_graph(8), mib, 4);
        const Estimate again = price(name, CollectiveOp::all_reduce, star_graph(8), mib, 4);
        EXPECT_EQ(first.time_ps, again.time_ps);
        EXPECT_EQ(first.busiest, again.busiest);
    }
}

}  // namespace estimate_test
