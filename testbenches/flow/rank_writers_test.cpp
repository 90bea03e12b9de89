// Programs written a rank at a time are those of the registry's schedules, rank by rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/programs/rank_writers.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/support/thorough.h"

namespace rank_writers_test {

using namespace weft;

namespace {

// What a thread does between signals and waits: chunks by what they are made of and where they go.
using Cost = std::tuple<std::uint32_t, bool, std::vector<std::uint32_t>>;
struct Doing {
    FlowKind kind = FlowKind::nop;
    std::uint32_t peer = 0;
    std::map<Cost, std::pair<std::uint64_t, std::uint64_t>> moved;  // chunks, and moves
    // What is waited for of other threads: the thread, and how many waits are before it there.
    std::vector<std::pair<std::uint32_t, long>> after{};

    bool operator==(const Doing& other) const
    {
        return kind == other.kind && peer == other.peer && moved == other.moved && after == other.after;
    }
};

std::pair<std::uint32_t, long> place_of(const FlowProgram& program, std::uint32_t rank, StepId step)
{
    const std::vector<FlowOp>& ops = program.templates[program.template_number(rank, step.thread)].ops;
    return {step.thread, std::count_if(ops.begin(), ops.begin() + step.step, [](const FlowOp& op) {
                return op.kind == FlowKind::wait;
            })};
}

std::vector<Doing> doings(const FlowProgram& program, std::uint32_t rank, std::uint32_t thread)
{
    const FlowTemplate& of = program.templates[program.template_number(rank, thread)];
    std::vector<Doing> out;
    bool goes_on = false;
    for (std::uint32_t number = 0; number < of.ops.size(); ++number) {
        const FlowOp& op = of.ops[number];
        if (op.kind != FlowKind::move) {
            out.push_back({op.kind, program.grid.peer(rank, op.peer), {}});
            goes_on = false;
            EXPECT_FALSE(op.has(FlowOp::depends));
            continue;
        }
        if (!goes_on) out.push_back({FlowKind::move, 0, {}});
        for (const auto& [at, step] : of.after)
            if (at == number) out.back().after.push_back(place_of(program, rank, step));
        goes_on = op.has(FlowOp::goes_on);
        std::vector<std::uint32_t> to;
        for (std::uint32_t i = 0; i < op.destinations; ++i)
            to.push_back(program.grid.peer(rank, of.operands[op.first + op.sources + i].peer));
        std::sort(to.begin(), to.end());
        if (op.own_destinations > 0) to.push_back(rank);
        EXPECT_EQ(op.sources, 0);
        auto& [chunks, moves] = out.back().moved[{op.own_sources, op.has(FlowOp::own_cold), to}];
        chunks += op.count;
        moves += op.moves;
    }
    return out;
}

void expect_alike(const std::string& name, CollectiveOp op, std::uint32_t n, const AlgorithmOptions& options)
{
    const FlowProgram by_rank = program_for_all(name, op, n, options);
    const FlowProgram whole = program_of(make_schedule(name, op, n, options));
    ASSERT_EQ(by_rank.chunks, whole.chunks);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        ASSERT_EQ(by_rank.threads(rank), whole.threads(rank));
        for (std::uint32_t thread = 0; thread < whole.threads(rank); ++thread)
            ASSERT_TRUE(doings(by_rank, rank, thread) == doings(whole, rank, thread))
                << name_of(op) << " " << name << " of " << n << " ranks, rank " << rank;
    }
}

const CollectiveOp sums[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter};

}  // namespace

TEST(RankWriters, RingsAndDirectOnesAreThoseOfTheRegistry)
{
    for (std::uint32_t n = 2; n <= test::by_default(20, 64); n = n < 20 ? n + 1 : n + 11)
        for (const std::uint32_t channels : {1U, 3U}) {
            AlgorithmOptions options;
            options.channels = channels;
            for (const CollectiveOp op : sums)
                for (const std::string name : {"ring", "direct"}) expect_alike(name, op, n, options);
            for (const std::string name : {"direct", "pairwise", "ring"})
                expect_alike(name, CollectiveOp::all_to_all, n, options);
        }
}

TEST(RankWriters, HierarchicalOnesAreThoseOfTheRegistryOnEveryGrid)
{
    const std::vector<std::vector<std::uint32_t>> grids{{2}, {7}, {2, 2}, {4, 3}, {3, 5}, {1, 6}, {8, 8}, {2, 3, 4},
        {4, 4, 4}, {3, 1, 5}, {2, 2, 2, 2}};
    for (const auto& sizes : grids) {
        std::uint32_t all = 1;
        for (const std::uint32_t size : sizes) all *= size;
        if (all > test::by_default(32, 64)) continue;
        for (const std::string within : {"ring", "direct", "recursive"})
            for (const std::string outside : {"ring", "direct", "recursive"}) {
                AlgorithmOptions options;
                std::uint32_t n = 1;
                for (std::size_t d = 0; d < sizes.size(); ++d) {
                    options.dimensions.push_back({fmt::format("d{}", d), sizes[d], d == 0 ? within : outside});
                    n *= sizes[d];
                }
                for (const CollectiveOp op : sums) expect_alike("hierarchical", op, n, options);
                if (within != "direct" || sizes.size() < 2) continue;
                options.scheduling.chunks = 3;
                options.scheduling.streams = 2;
                options.scheduling.order = DimensionOrder::round_robin;
                for (const CollectiveOp op : sums) expect_alike("multi_dim", op, n, options);
            }
    }
}

TEST(RankWriters, ExchangesWithPartnersAreThoseOfTheRegistry)
{
    for (std::uint32_t n = 2; n <= 64; n *= 2)
        for (const std::uint32_t channels : {1U, 3U}) {
            AlgorithmOptions options;
            options.channels = channels;
            expect_alike("halving_doubling", CollectiveOp::all_reduce, n, options);
            expect_alike("recursive_doubling", CollectiveOp::all_gather, n, options);
            expect_alike("recursive_halving", CollectiveOp::reduce_scatter, n, options);
        }
    EXPECT_EQ(program_for_all("halving_doubling", CollectiveOp::all_reduce, 65536, {}).templates.size(), 1U);
}

// Four channels begin a quarter of a round apart; a thread that stands for them has every peer once, in the same mixture.
TEST(RankWriters, AThreadOfSeveralChannelsMixesTheirPeers)
{
    const auto peers = [](std::uint32_t stands_for) {
        std::vector<std::uint32_t> out;
        const RankPlan plan = plan_of_rank("direct", CollectiveOp::all_to_all, 9, {}, 0, stands_for);
        for (const Step& step : plan.threads[0].steps)
            if (is_data(step.kind) && step.destinations[0].rank != 0) out.push_back(step.destinations[0].rank);
        return out;
    };
    EXPECT_EQ(peers(1), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(peers(4), (std::vector<std::uint32_t>{1, 3, 5, 7, 2, 4, 6, 8}));
    EXPECT_EQ(peers(32).size(), 8U);
}

TEST(RankWriters, ALargeOneIsOneTemplate)
{
    const FlowProgram ring = program_for_all("ring", CollectiveOp::all_reduce, 1024, {});
    EXPECT_EQ(ring.templates.size(), 1U);
    EXPECT_EQ(ring.templates[0].ops.size(), 6138U);
    EXPECT_EQ(ring.moves(), std::uint64_t{1024} * 2046);
    AlgorithmOptions options;
    options.dimensions = {{"gpu", 8}, {"rail", 16}, {"pod", 128}};
    const FlowProgram deep = program_for_all("hierarchical", CollectiveOp::all_reduce, 16384, options);
    EXPECT_EQ(deep.templates.size(), 1U);
    EXPECT_EQ(deep.moves(), std::uint64_t{16384} * 2 * (7 + 15 + 127));
    EXPECT_LT(deep.bytes(), 100'000U);
}

TEST(RankWriters, TheInstanceForTheProofIsSmallAndRight)
{
    AlgorithmOptions options;
    options.channels = 32;
    options.dimensions = {{"gpu", 8}, {"rail", 32, "direct"}, {"pod", 2}};
    std::uint32_t ranks = 512;
    shrink_for_proof("hierarchical", ranks, options);
    EXPECT_EQ(ranks, 32U);
    EXPECT_TRUE(verify(make_schedule("hierarchical", CollectiveOp::all_reduce, ranks, options)).ok);
}

TEST(RankWriters, WhatCannotBeWrittenSoIsRefused)
{
    EXPECT_FALSE(writes_by_rank("tree", CollectiveOp::all_reduce, 64, {}));
    EXPECT_FALSE(writes_by_rank("halving_doubling", CollectiveOp::all_reduce, 96, {}));
    EXPECT_FALSE(writes_by_rank("halving_doubling", CollectiveOp::all_gather, 64, {}));
    EXPECT_THROW(program_for_all("tree", CollectiveOp::all_reduce, 64, {}), InputError);
    AlgorithmOptions options;
    options.dimensions = {{"gpu", 8}, {"rail", 16}};
    EXPECT_THROW(program_for_all("hierarchical", CollectiveOp::all_reduce, 64, options), InputError);
}

}  // namespace rank_writers_test
