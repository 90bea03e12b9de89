// Synthesized schedules do what they promise, on any connected graph, and use its links well.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/verification/verify.h"
#include "collectives/synthesis/choose.h"
#include "collectives/synthesis/chunk_matching.h"
#include "collectives/synthesis/synthesize.h"
#include "testbenches/synthesis/graphs.h"

namespace synthesize_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
    CollectiveOp::broadcast};
constexpr std::uint64_t mib = 1 << 20;

std::vector<CostGraph> graphs()
{
    std::vector<CostGraph> out{ring_graph(2), ring_graph(5), mesh_graph(6), grid_graph(4, 3, true),
        grid_graph(3, 3, false), star_graph(7)};
    for (std::uint64_t seed = 0; seed < 6; ++seed)
        out.push_back(random_graph(3 + 2 * static_cast<std::uint32_t>(seed), seed));
    return out;
}

void expect_right(const Schedule& schedule, std::uint64_t bytes, const std::string& what)
{
    VerifyOptions options;
    options.bytes = bytes;
    const Verification result = verify(schedule, options);
    EXPECT_TRUE(result.ok) << what << ": " << (result.problems.empty() ? "" : result.problems.front());
}

std::uint64_t price(const Schedule& schedule, const CostGraph& graph, std::uint64_t bytes)
{
    return estimate(schedule, graph, {bytes, 1}).time_ps;
}

}  // namespace

TEST(Synthesize, IsRightOnAnyGraph)
{
    for (const CostGraph& graph : graphs())
        for (const CollectiveOp op : ops)
            for (const std::uint32_t chunks : {1u, 3u})
                for (const std::uint32_t parts : {1u, 2u}) {
                    SynthesisOptions options;
                    options.bytes = 1 << 16;
                    options.chunks = chunks;
                    options.parts = parts;
                    options.root = graph.size() - 1;
                    options.seed = chunks;
                    const Schedule schedule = synthesize(op, graph, options);
                    const std::string what =
                        fmt::format("{} of {} in {} chunks, {} parts", name_of(op), graph.size(), chunks, parts);
                    expect_right(schedule, 0, what);
                    expect_right(schedule, 1000, what);
                    EXPECT_TRUE(estimate(schedule, graph, {1 << 16, 1}).runs) << what;
                }
}

TEST(Synthesize, EveryChunkReachesEveryRankOnceAndGoesBetweenNeighbours)
{
    for (const CostGraph& graph : graphs()) {
        SynthesisOptions options;
        options.bytes = 5040 * graph.size();
        const Schedule schedule = synthesize(CollectiveOp::all_gather, graph, options);
        const Traffic traffic = traffic_of(schedule, Layout(schedule, options.bytes, 1));
        for (std::uint32_t rank = 0; rank < graph.size(); ++rank) {
            EXPECT_EQ(traffic.received[rank], options.bytes - 5040);
            for (std::uint32_t to = 0; to < graph.size(); ++to)
                EXPECT_TRUE(traffic.between(rank, to) == 0 || graph.path(rank, to).neighbours);
        }
    }
}

TEST(Synthesize, EveryDataStepReachesOnePeerAtMost)
{
    for (const CollectiveOp op : ops) {
        const Schedule schedule = synthesize(op, grid_graph(4, 4, true), {});
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            for (const Thread& thread : schedule.ranks[rank].threads)
                for (const Step& step : thread.steps) {
                    int remote = 0;
                    for (const ChunkRef& chunk : step.sources) EXPECT_EQ(chunk.rank, rank);
                    for (const ChunkRef& chunk : step.destinations) remote += chunk.rank != rank ? 1 : 0;
                    EXPECT_LE(remote, 1);
                }
    }
}

TEST(Synthesize, TheSameFromTheSameSeed)
{
    SynthesisOptions options;
    options.bytes = mib;
    const auto moves = [&] {
        std::string text;
        const Schedule schedule = synthesize(CollectiveOp::all_reduce, grid_graph(4, 4, true), options);
        for (const RankPlan& plan : schedule.ranks)
            for (const Thread& thread : plan.threads)
                for (const Step& step : thread.steps)
                    for (const ChunkRef& chunk : step.destinations)
                        text += fmt::format("{}:{} ", chunk.rank, chunk.index);
        return text;
    };
    const std::string first = moves();
    EXPECT_EQ(moves(), first);
    options.seed = 7;
    EXPECT_NE(moves(), first);
}

TEST(Synthesize, ARingIsUsedBothWays)
{
    // The bytes that leave a rank are those of the one-way ring, over two links.
    const CostGraph graph = ring_graph(8);
    SynthesisOptions options;
    options.bytes = 64 * mib;
    options.chunks = 2;
    const auto both_ways =
        static_cast<double>(price(synthesize(CollectiveOp::all_gather, graph, options), graph, options.bytes));
    const auto one_way =
        static_cast<double>(price(make_schedule("ring", CollectiveOp::all_gather, 8), graph, options.bytes));
    EXPECT_NEAR(both_ways / one_way, 0.5, 0.03);
}

TEST(Synthesize, AMeshTakesOneStepOrTwo)
{
    const CostGraph graph = mesh_graph(8);
    SynthesisOptions options;
    options.bytes = mib;
    EXPECT_EQ(verify(synthesize(CollectiveOp::all_gather, graph, options)).steps, 1);
    EXPECT_EQ(verify(synthesize(CollectiveOp::all_reduce, graph, options)).steps, 2);
}

TEST(Synthesize, APortOfASwitchIsNotFlooded)
{
    // A chunk takes the port of its sender and that of its receiver for as long as it needs there.
    const CostGraph graph = star_graph(8);
    const double bytes = 100'000;
    std::vector<std::uint32_t> owners;
    for (std::uint32_t rank = 0; rank < 8; ++rank) owners.push_back(rank);
    const ChunkTransfers chunks = match_chunks(graph, owners, bytes, 0);
    EXPECT_EQ(chunks.transfers.size(), 56);
    for (const ChunkTransfer& a : chunks.transfers)
        for (const ChunkTransfer& b : chunks.transfers) {
            if (&a == &b || (a.from != b.from && a.to != b.to)) continue;
            EXPECT_GE(a.start_ps > b.start_ps ? a.start_ps - b.start_ps : b.start_ps - a.start_ps, 99'999U);
        }
}

TEST(Synthesize, ASlowWireCarriesLess)
{
    CostGraph graph = mesh_graph(3);
    for (CostLink& link : graph.links)
        if (link.name == "rank0 -> rank1") link.ps_per_byte = 50;
    SynthesisOptions options;
    options.bytes = 30 * mib;
    options.chunks = 8;
    const Schedule schedule = synthesize(CollectiveOp::all_gather, graph, options);
    const Traffic traffic = traffic_of(schedule, Layout(schedule, options.bytes, 1));
    EXPECT_LT(traffic.between(0, 1), options.bytes / 3 / 4);
    EXPECT_GT(traffic.between(2, 1), options.bytes / 3);
}

TEST(Synthesize, ADroppedWaitIsFound)
{
    Schedule schedule = synthesize(CollectiveOp::all_gather, ring_graph(5), {});
    for (Thread& thread : schedule.ranks[2].threads)
        for (std::size_t s = 0; s < thread.steps.size(); ++s)
            if (thread.steps[s].kind == StepKind::wait) {
                thread.steps.erase(thread.steps.begin() + static_cast<std::ptrdiff_t>(s));
                EXPECT_FALSE(verify(schedule).ok);
                return;
            }
    FAIL() << "no wait to drop";
}

TEST(Synthesize, WhatCannotBeIsRefusedInALine)
{
    CostGraph parts = plain_graph(4);
    add_wire(parts, 0, 1, 1, 1);
    add_wire(parts, 2, 3, 1, 1);
    try {
        synthesize(CollectiveOp::all_gather, parts, {});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "no path from rank 0 (rank0) to rank 2 (rank2); expected ranks that reach each other");
    }
    EXPECT_THROW(synthesize(CollectiveOp::all_to_all, ring_graph(4), {}), InputError);
    EXPECT_THROW(synthesize(CollectiveOp::all_gather, plain_graph(1), {}), InputError);
    SynthesisOptions none;
    none.chunks = 0;
    EXPECT_THROW(synthesize(CollectiveOp::all_gather, ring_graph(4), none), InputError);
}

TEST(Synthesize, SixtyFourRanksOfATorusTakeSeconds)
{
    const CostGraph graph = grid_graph(8, 8, true);
    ChoiceRequest request;
    request.bytes = 16 * mib;
    request.options.channels = 8;
    const ScheduleChoice choice = choose_synthesized(graph, request);
    EXPECT_EQ(choice.candidates.front().name.substr(0, 11), "synthesized");
    expect_right(choice.schedule, 0, "torus");
}

TEST(Synthesize, ManyPartsAreTheSameBytes)
{
    const CostGraph graph = random_graph(9, 3);
    SynthesisOptions options;
    options.bytes = 9 * 4096;
    const Schedule one = synthesize(CollectiveOp::all_reduce, graph, options);
    options.parts = 5;
    const Schedule five = synthesize(CollectiveOp::all_reduce, graph, options);
    EXPECT_EQ(traffic_of(one, Layout(one, options.bytes, 4)).pairs,
        traffic_of(five, Layout(five, options.bytes, 4)).pairs);
}

}  // namespace synthesize_test
