// One rank for all against all ranks: the same picoseconds and bytes, or a tie that is seen, or a reason.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/programs/rank_writers.h"
#include "collectives/flow/rank_symmetry.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/synthesis/graphs.h"

namespace rank_symmetry_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Outcome {
    std::vector<std::uint64_t> ends;  // of those that are run
    std::vector<double> payload;
    std::vector<double> busy;
    std::uint64_t ties = 0;
    std::uint64_t messages = 0;
};

Outcome outcome(const std::shared_ptr<const FlowProgram>& program, const CostGraph& graph, std::uint64_t bytes,
    const std::vector<std::uint32_t>& stands_for)
{
    PathBook book = book_of(graph);
    if (!stands_for.empty()) book.fold(stands_for);
    FlowProfile profile;
    profile.links.packets = profile.links.turns = profile.links.conserves = profile.links.buffers = true;
    FlowCore core(ranks_of(graph), book, profile);
    core.shorten_signals();
    FlowJob job;
    job.program = program;
    job.bytes = bytes;
    job.members.resize(program->ranks());
    std::iota(job.members.begin(), job.members.end(), 0U);
    job.one_for_all = !stands_for.empty();
    const FlowCore::JobId id = core.open(std::move(job));
    Outcome out;
    out.ends.resize(stands_for.empty() ? program->ranks() : 1);
    for (std::uint32_t rank = 0; rank < out.ends.size(); ++rank)
        core.enter(id, rank, [&out, &core, rank] { out.ends[rank] = core.now(); });
    core.run();
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
        out.payload.push_back(book.payload(link));
        out.busy.push_back(book.busy_ps(link));
    }
    out.ties = core.ties();
    out.messages = core.messages();
    return out;
}

RankSymmetry symmetry(const FlowProgram& program, const CostGraph& graph)
{
    return find_symmetry(program, ranks_of(graph), graph.links,
        [&graph](std::uint32_t from, std::uint32_t to) { return graph.path(from, to); });
}

void set_figures(CostGraph& graph, std::mt19937_64& random)
{
    const double rate = 1 + static_cast<double>(random() % 50);
    const double back = static_cast<double>(random() % 3);
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
        graph.links[link].ps_per_byte = rate;
        graph.links[link].back_ps_per_byte = back;
        graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1U);
    }
    CostRank figures;
    figures.load_ps = random() % 400'000;
    figures.cold_ps = random() % 400'000;
    figures.notice_ps = random() % 200'000;
    figures.poll_ps = random() % 100'000;
    figures.registers = random() % 2 == 0 ? 0 : 4096.0 * static_cast<double>(1 + random() % 8);
    figures.sets = 2;
    figures.issue_ps_per_byte = static_cast<double>(random() % 8);
    for (CostRank& rank : graph.ranks) {
        const std::string name = rank.name;
        rank = figures;
        rank.name = name;
    }
}

}  // namespace

// Seeded (topology, algorithm, size): where one rank can stand for all and no tie is seen, it gives what all give.
TEST(RankSymmetry, OnEqualsOff)
{
    const std::pair<CollectiveOp, const char*> algorithms[] = {{CollectiveOp::all_reduce, "ring"},
        {CollectiveOp::all_gather, "ring"}, {CollectiveOp::reduce_scatter, "ring"},
        {CollectiveOp::all_reduce, "direct"}, {CollectiveOp::all_to_all, "pairwise"},
        {CollectiveOp::all_to_all, "direct"}, {CollectiveOp::all_gather, "recursive_doubling"}};
    int reduced = 0;
    int rings = 0;
    int tied = 0;
    int cases = 0;
    for (std::uint64_t seed = 1; cases < 2000; ++seed) {
        std::mt19937_64 random(seed);
        const auto n = static_cast<std::uint32_t>(2 + random() % 15);
        const auto& [op, name] = algorithms[random() % std::size(algorithms)];
        const unsigned kind = random() % 3;
        CostGraph graph = kind == 0 ? ring_graph(n) : kind == 1 ? star_graph(n) : mesh_graph(n);
        set_figures(graph, random);
        AlgorithmOptions options;
        options.channels = static_cast<std::uint32_t>(1 + random() % 2);
        const std::uint64_t bytes = std::uint64_t{1} << (8 + random() % 14);
        if (!writes_by_rank(name, op, n, options)) continue;
        const auto program = std::make_shared<const FlowProgram>(program_for_all(name, op, n, options));
        bool reachable = true;
        if (kind == 0 && std::string(name) != "ring") reachable = false;  // only neighbours have paths
        if (!reachable) continue;
        ++cases;
        const std::string text = fmt::format("seed {}: {} {} of {} ranks, {} B, {} channels, graph {}", seed,
            name_of(op), name, n, bytes, options.channels, kind);
        const RankSymmetry found = symmetry(*program, graph);
        if (found.stands_for.empty()) {
            EXPECT_FALSE(found.why.empty()) << text;
            continue;
        }
        const Outcome one = outcome(program, graph, bytes, found.stands_for);
        if (one.ties > 0) {
            ++tied;
            continue;
        }
        ++reduced;
        if (kind == 0 && options.channels == 1) ++rings;
        const Outcome all = outcome(program, graph, bytes, {});
        for (std::uint32_t rank = 0; rank < n; ++rank) ASSERT_EQ(all.ends[rank], one.ends[0]) << text << ", " << rank;
        for (std::size_t link = 0; link < all.payload.size(); ++link) {
            ASSERT_DOUBLE_EQ(all.payload[link], one.payload[link]) << text << ", link " << link;
            ASSERT_NEAR(all.busy[link], one.busy[link], 1e-6 * all.busy[link]) << text << ", link " << link;
        }
        ASSERT_EQ(all.messages, n * one.messages) << text;
    }
    std::printf("%d cases: one for all in %d (%d rings of one channel), ties in %d\n", cases, reduced, rings, tied);
    EXPECT_GT(reduced, 400);
    EXPECT_GT(rings, 20);
    EXPECT_GT(tied, 0) << "nothing shows that ties are seen";
}

// The check must refuse a graph that is not symmetric in one figure, one latency, or one path.
TEST(RankSymmetry, WhatIsNotSymmetricIsRefused)
{
    const FlowProgram ring = program_for_all("ring", CollectiveOp::all_reduce, 8, {});
    const CostGraph graph = ring_graph(8);
    ASSERT_EQ(symmetry(ring, graph).stands_for.size(), graph.links.size());
    CostGraph other = graph;
    other.links[6].ps_per_byte *= 1.001;
    EXPECT_EQ(symmetry(ring, other).why, "paths of ranks are not those of their neighbours, turned");
    other = graph;
    other.path(3, 4).put_ps += 1;
    EXPECT_EQ(symmetry(ring, other).why, "paths of ranks are not those of their neighbours, turned");
    other = graph;
    other.path(3, 4).stages = graph.path(2, 3).stages;
    EXPECT_EQ(symmetry(ring, other).why, "ranks share links at the same place of their paths");
    other = graph;
    other.path(3, 4).neighbours = false;
    EXPECT_EQ(symmetry(ring, other).why, "paths pass other ranks");
    other = graph;
    other.ranks[5].load_ps = 7;
    EXPECT_EQ(symmetry(ring, other).why, "ranks are of several kinds");
    EXPECT_FALSE(symmetry(program_of(make_schedule("ring", CollectiveOp::all_reduce, 8, {})), graph).why.empty());
}

// A graph that passes for symmetric but is not gives other times: the comparison above would see it.
TEST(RankSymmetry, AWrongMapIsSeen)
{
    const auto ring = std::make_shared<const FlowProgram>(program_for_all("ring", CollectiveOp::all_reduce, 8, {}));
    CostGraph graph = ring_graph(8);
    const std::vector<std::uint32_t> stands_for = symmetry(*ring, graph).stands_for;
    graph.links[6].ps_per_byte *= 2;
    EXPECT_NE(outcome(ring, graph, 1 << 16, stands_for).ends[0], outcome(ring, graph, 1 << 16, {}).ends[0]);
}

}  // namespace rank_symmetry_test
