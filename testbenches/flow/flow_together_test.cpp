// Jobs that a rank has in flight at once: how they share its links, and how stores to a crowded rank keep those behind them.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "collectives/flow/programs/first_peers.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace flow_together_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Times = std::vector<std::uint64_t>;

constexpr std::uint32_t chunk = 1024;       // bytes
constexpr std::uint64_t store_ps = 10'000;  // of a chunk on a link: 10 ns

// Rank 0 stores a chunk at rank 1 by each of so many threads.
std::shared_ptr<const FlowProgram> send_program(std::uint32_t threads)
{
    Schedule out;
    out.op = CollectiveOp::custom;
    out.chunks = threads;
    out.ranks.resize(2);
    for (RankPlan& plan : out.ranks) plan.input_chunks = plan.output_chunks = threads;
    out.ranks[0].threads.resize(threads);
    for (std::uint32_t t = 0; t < threads; ++t)
        out.ranks[0].threads[t].steps = {move_step({{0, Buffer::input, t, 1}}, {{1, Buffer::output, t, 1}})};
    return std::make_shared<const FlowProgram>(program_of(out));
}

// Each rank has a link to a switch and one back, of `store_ps` a chunk and no latency.
CostGraph star(std::uint32_t ranks, double buffer)
{
    CostGraph out;
    out.ranks.resize(ranks);
    CostLink link;
    link.ps_per_byte = static_cast<double>(store_ps) / chunk;
    link.buffer = buffer;
    out.links.assign(2 * std::size_t{ranks}, link);
    out.paths.resize(std::size_t{ranks} * ranks);
    for (std::uint32_t from = 0; from < ranks; ++from)
        for (std::uint32_t to = 0; to < ranks; ++to) {
            if (from == to) continue;
            out.path(from, to).stages = {{0, {{from, 1}}}, {0, {{ranks + to, 1}}}};
            out.path(from, to).neighbours = true;
        }
    return out;
}

FlowProfile rules()
{
    FlowProfile out;
    out.links.turns = out.links.buffers = true;
    out.most_parts = 1;
    return out;
}

// When rank 0 has stored all of each send; they begin at `begins`.
std::vector<std::uint64_t> ends(const CostGraph& graph, FlowRanks ranks, const FlowProfile& profile,
    const std::vector<std::uint64_t>& begins)
{
    constexpr std::uint32_t threads = 4;
    PathBook book = book_of(graph);
    FlowCore core(std::move(ranks), book, profile);
    std::vector<std::uint64_t> out(begins.size());
    const auto program = send_program(threads);
    for (std::size_t i = 0; i < begins.size(); ++i)
        core.after(begins[i], [&, i] {
            FlowJob job;
            job.program = program;
            job.bytes = std::uint64_t{threads} * chunk;
            job.members = {0, 1};
            const FlowCore::JobId id = core.open(std::move(job));
            core.enter(id, 0, [&, i] { out[i] = core.now(); });
            core.enter(id, 1, [] {});
        });
    core.run();
    return out;
}

using Lists = std::map<std::uint32_t, std::vector<std::uint32_t>>;
constexpr std::uint32_t places = 4;  // for the chunks of a rank

// Ranks store a chunk at the ranks of their list, one after the other, each at a place of its own.
Schedule stores(std::uint32_t ranks, const Lists& lists)
{
    Schedule out;
    out.op = CollectiveOp::custom;
    out.chunks = ranks * places;
    out.ranks.resize(ranks);
    for (RankPlan& plan : out.ranks) plan.input_chunks = plan.output_chunks = ranks * places;
    for (const auto& [rank, peers] : lists) {
        out.ranks[rank].threads.resize(1);
        for (std::uint32_t i = 0; i < peers.size(); ++i)
            out.ranks[rank].threads[0].steps.push_back(
                move_step({{rank, Buffer::input, i, 1}}, {{peers[i], Buffer::output, rank * places + i, 1}}));
    }
    return out;
}

// When rank 3 of four has stored all of each job, which begins so many ps after the run.
Times ends_of_last(double buffer, const std::vector<std::pair<Lists, std::uint64_t>>& jobs)
{
    const CostGraph graph = star(4, buffer);
    PathBook book = book_of(graph);
    FlowCore core(ranks_of(graph), book, rules());
    Times out(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i)
        core.after(jobs[i].second, [&, i] {
            FlowJob job;
            job.program = std::make_shared<const FlowProgram>(program_of(stores(4, jobs[i].first)));
            job.bytes = std::uint64_t{4} * places * chunk;
            job.members = {0, 1, 2, 3};
            const FlowCore::JobId id = core.open(std::move(job));
            for (std::uint32_t rank = 0; rank < 4; ++rank)
                core.enter(id, rank, [&, i, rank] {
                    if (rank == 3) out[i] = core.now();
                });
        });
    core.run();
    return out;
}

}  // namespace

// The first threads of all sends, then the second ones: each send ends a turn before the next one, which is less than its own time on the
// link.
TEST(FlowTogether, SendsThatBeginTogetherShareTheLinkThreadByThread)
{
    const CostGraph graph = star(2, 0);
    const std::vector<std::uint64_t> times = ends(graph, ranks_of(graph), rules(), {0, 0, 0});
    EXPECT_EQ(times, (std::vector<std::uint64_t>{10 * store_ps, 11 * store_ps, 12 * store_ps}));
}

// What comes while others wait is behind them.
TEST(FlowTogether, ALaterSendWaitsForTheOneBeforeIt)
{
    const CostGraph graph = star(2, 0);
    const std::vector<std::uint64_t> times = ends(graph, ranks_of(graph), rules(), {0, 1000});
    EXPECT_EQ(times, (std::vector<std::uint64_t>{4 * store_ps, 8 * store_ps}));
}

// Two parts of each of four threads, the second ones 200 ps later. A refresh of the memory keeps the last part of a send for 5 ns; a send that
// begins 1 ns after two others has issued nearly all by then: 7 parts of each are before the three last ones.
TEST(FlowTogether, ASendWhoseLastLineWaitsForARefreshEndsBehindTheOthers)
{
    constexpr std::uint64_t part_ps = store_ps / 2;
    CostGraph graph = star(2, 0);
    for (CostRank& rank : graph.ranks) rank.issue_ps_per_byte = 200.0 / chunk;
    FlowProfile profile = rules();
    profile.most_parts = 2;
    FlowRanks ranks = ranks_of(graph);
    ranks.refreshes.assign(ranks.kinds.size(), {5000, 10'000});
    const auto in_parts = [&](std::uint64_t begin) {
        std::vector<std::uint64_t> out = ends(graph, ranks, profile, {begin, begin, begin + 1000});
        for (std::uint64_t& end : out) end = (end - begin) / part_ps;
        return out;
    };
    EXPECT_EQ(in_parts(20'000), (std::vector<std::uint64_t>{22, 23, 24}));
    EXPECT_EQ(in_parts(0), (std::vector<std::uint64_t>{15, 16, 24}));  // before the first refresh
    EXPECT_EQ(ends(graph, ranks, profile, {20'000})[0], 20'000 + 4 * store_ps);
}

// A ring of three ranks, each with a send and a receive under way: no rank stores for two jobs, and a send takes what a lone one takes.
// Of two sends of one rank the last parts come 80 ns after the begin, in their turn (3 ps), when the link is free again.
TEST(FlowTogether, WhatARankReceivesDelaysNothingThatItSends)
{
    constexpr std::uint64_t refresh_ps = 80'000;
    constexpr std::uint64_t begin = 200'000;
    const CostGraph graph = star(3, 0);
    FlowRanks ranks = ranks_of(graph);
    ranks.refreshes.assign(ranks.kinds.size(), {refresh_ps, 2 * refresh_ps});
    const auto program = send_program(4);
    const auto sent = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sends) {
        PathBook book = book_of(graph);
        FlowCore core(ranks, book, rules());
        Times out(sends.size());
        core.after(begin, [&] {
            for (std::size_t i = 0; i < sends.size(); ++i) {
                FlowJob job;
                job.program = program;
                job.bytes = std::uint64_t{4} * chunk;
                job.members = {sends[i].first, sends[i].second};
                const FlowCore::JobId id = core.open(std::move(job));
                core.enter(id, 0, [&, i] { out[i] = core.now() - begin; });
                core.enter(id, 1, [] {});
            }
        });
        core.run();
        return out;
    };
    EXPECT_EQ(sent({{0, 1}}), (Times{4 * store_ps}));
    EXPECT_EQ(sent({{0, 1}, {1, 2}, {2, 0}}), Times(3, 4 * store_ps));
    const std::uint64_t late = refresh_ps + 3;
    EXPECT_EQ(sent({{0, 1}, {0, 1}}), (Times{late + store_ps, late + 2 * store_ps}));
}

// Each thread stores in one part; those of the last threads come 5 ns later, behind 6 of two sends and 3 of one that begins 1 ns after them.
TEST(FlowTogether, ASendInSinglePartsHasTheRefreshToo)
{
    const CostGraph graph = star(2, 0);
    FlowRanks ranks = ranks_of(graph);
    ranks.refreshes.assign(ranks.kinds.size(), {5000, 10'000});
    const auto in_turns = [&](std::uint64_t begin) {
        Times out = ends(graph, ranks, rules(), {begin, begin, begin + 1000});
        for (std::uint64_t& end : out) end = (end - begin) / store_ps;
        return out;
    };
    EXPECT_EQ(in_turns(20'000), (Times{10, 11, 12}));
    EXPECT_EQ(in_turns(0), (Times{7, 8, 12}));  // before the first refresh
}

// Ranks 1 to 3 store at rank 0 first, which takes one after the other; rank 3 comes last. What it has for others waits behind that, for the
// buffer of its input holds one store: its third one begins 30 ns after the run, not 20.
TEST(FlowTogether, StoresForOthersWaitBehindThoseForACrowdedRank)
{
    const Lists crowd{{1, {0, 2, 3}}, {2, {0, 3, 1}}, {3, {0, 1, 2}}};
    EXPECT_EQ(ends_of_last(chunk, {{crowd, 0}}), (Times{4 * store_ps}));
    EXPECT_EQ(ends_of_last(100 * chunk, {{crowd, 0}}), (Times{3 * store_ps}));
}

// The links to ranks 1 to 3 have one sender each, and nothing waits there. Rank 3's store for rank 0 passes the link of that from 20 to 30 ns,
// its two stores for rank 1 the own link from 20 to 40 ns. Its second store for rank 0 comes there from 20 to 30 and waits behind it until
// then, and what follows goes from 30 to 50.
TEST(FlowTogether, StoresByALinkOfTheirOwnWaitBehindThoseForACrowdedRank)
{
    EXPECT_EQ(ends_of_last(chunk, {{{{1, {0, 2}}, {2, {0, 3}}, {3, {0, 1, 1}}}, 0}}), (Times{4 * store_ps}));
    EXPECT_EQ(ends_of_last(chunk, {{{{1, {0, 2}}, {2, {0, 3}}, {3, {0, 0, 1, 1}}}, 0}}), (Times{5 * store_ps}));
}

// Another job of rank 3 stores twice at rank 1, or once at rank 2, from 1 ns on: behind the store that waits at its first link until 20 ns.
TEST(FlowTogether, StoresOfOtherJobsWaitBehindThoseForACrowdedRank)
{
    const Lists crowd{{1, {0, 2}}, {2, {0, 3}}, {3, {0, 1}}};
    EXPECT_EQ(ends_of_last(chunk, {{crowd, 0}, {{{3, {1, 1}}}, 1000}}), (Times{3 * store_ps, 5 * store_ps}));
    EXPECT_EQ(ends_of_last(chunk, {{crowd, 0}, {{{3, {2}}}, 1000}}), (Times{3 * store_ps, 4 * store_ps}));
    EXPECT_EQ(ends_of_last(100 * chunk, {{crowd, 0}, {{{3, {1, 1}}}, 1000}}), (Times{3 * store_ps, 4 * store_ps}));
}

TEST(FlowTogether, FirstPeersOfAProgram)
{
    const FirstPeers crowd = first_peers_of(program_of(stores(4, {{1, {0, 2}}, {2, {0, 3}}, {3, {0, 1}}})));
    EXPECT_EQ(crowd.alike, (std::vector<bool>{false, true, true, true}));
    EXPECT_TRUE(crowd.crowded);
    const FirstPeers turned =
        first_peers_of(program_of(stores(4, {{0, {1, 2}}, {1, {2, 3}}, {2, {3, 0}}, {3, {0, 1}}})));
    EXPECT_EQ(turned.alike, std::vector<bool>(4, true));
    EXPECT_FALSE(turned.crowded);
    // A gather has one destination: nothing waits behind what it stores there.
    const FirstPeers gather = first_peers_of(program_of(stores(4, {{1, {0}}, {2, {0}}, {3, {0}}})));
    EXPECT_EQ(gather.alike, std::vector<bool>(4, false));
    EXPECT_FALSE(gather.crowded);
    Schedule apart = stores(3, {{1, {0, 2}}});
    apart.ranks[1].threads.push_back({{move_step({{1, Buffer::input, 2, 1}}, {{2, Buffer::output, 1, 1}})}});
    EXPECT_FALSE(first_peers_of(program_of(apart)).alike[1]);
}

TEST(FlowTogether, PeersOfAProgramAreFoundOnce)
{
    FirstPeersOfPrograms all;
    auto program = std::make_shared<const FlowProgram>(program_of(stores(4, {{1, {0, 2}}})));
    const auto found = all.find(program);
    EXPECT_EQ(found->stores, (std::vector<bool>{false, true, false, false}));
    EXPECT_EQ(found->moves, found->stores);
    EXPECT_EQ(all.find(program), found);
    EXPECT_EQ(all.made(), 1U);
    // One that is gone is not taken for one that comes to its place in memory.
    program = std::make_shared<const FlowProgram>(program_of(stores(4, {{2, {0, 1}}})));
    EXPECT_EQ(all.find(program)->stores, (std::vector<bool>{false, false, true, false}));
    EXPECT_EQ(all.made(), 2U);
}

TEST(FlowTogether, TheLongestSendCountsInWhateverOrderTheyCome)
{
    const auto send = [](std::uint64_t bytes) { return FlowTogether::Part{true, true, true, bytes}; };
    FlowTogether together;
    together.enter(1, send(1 << 20));
    EXPECT_EQ(together.longest_send(), 0U);
    together.enter(2, send(1 << 21));
    EXPECT_EQ(together.longest_send(), 0U);
    together.enter(1, send(4096));
    EXPECT_EQ(together.longest_send(), 1U << 20);
    together.leave(2, send(1 << 21));
    together.enter(2, send(1 << 22));
    EXPECT_EQ(together.longest_send(), 1U << 20);
    together.enter(1, {true, false, true, 0});
    EXPECT_TRUE(together.several_store(1));
    together.leave(1, send(4096));
    EXPECT_FALSE(together.several_store(1));
    EXPECT_TRUE(together.several_move(1));
}

TEST(FlowTogether, ANoticeTellsOfLongSendsThatAreUnderWayTogether)
{
    const auto told = [](std::int64_t bytes, const char* in_flight, const char* mover = "units",
                          unsigned ranks = 2) -> std::string {
        using chakra::testing::recv;
        using chakra::testing::send;
        const chakra::testing::Folder folder;
        std::vector<std::vector<std::string>> nodes(ranks, {chakra::testing::comp(1)});
        nodes[0] = {send(1, 1, 1, bytes), send(2, 1, 2, bytes)};
        nodes[1] = {recv(1, 0, 1, bytes), recv(2, 0, 2, bytes)};
        const std::string prefix = folder.write_set(nodes);
        RunSetup setup;
        setup.document = star_document(ranks);
        setup.lines = "profile: generic\n" + trace_lines(prefix);
        setup.options.progress = false;
        setup = setup.with(std::string("engine.communication_in_flight=") + in_flight)
                    .with(std::string("engine.mover=") + mover);
        const RunResult result = run_flow(resolve_setup(setup), setup.options);
        for (const std::string& notice : result.notices)
            if (notice.find("sends of a rank were under way together") == 0) return notice;
        return {};
    };
    EXPECT_NE(told(128 << 10, "2").find(", of up to 131072 B: "), std::string::npos);
    EXPECT_EQ(told(64 << 10, "2"), "");
    EXPECT_EQ(told(128 << 10, "1"), "");
    EXPECT_EQ(told(128 << 10, "2", "copy_engine"), "");
    EXPECT_EQ(told(128 << 10, "2", "bulk"), "");
    EXPECT_NE(told(128 << 10, "2", "units", 65).find(", of up to 131072 B: "), std::string::npos);
    EXPECT_EQ(told(4096, "2", "units", 65), "");
}

// Ranks that do nothing beside them change what a pipeline takes by its polls and the number of its parts alone. With sends one after the other at each link,
// as they once were beyond 64 ranks, it is a fifth shorter.
TEST(FlowTogether, APipelineAmongManyRanksIsThatAmongFew)
{
    const auto time_of = [](unsigned ranks) {
        using chakra::testing::recv;
        using chakra::testing::send;
        const chakra::testing::Folder folder;
        std::vector<std::vector<std::string>> nodes(ranks, {chakra::testing::comp(100)});
        constexpr std::int64_t bytes = 96 << 10;
        nodes[0].clear();
        nodes[1].clear();
        nodes[2].clear();
        for (unsigned i = 1; i <= 8; ++i) {
            nodes[0].push_back(send(i, 1, i, bytes));
            nodes[1].push_back(recv(i, 0, i, bytes));
            nodes[1].push_back(send(i + 10, 2, i, bytes).data({i}));
            nodes[2].push_back(recv(i, 1, i, bytes));
        }
        RunSetup setup;
        setup.document = star_document(ranks);
        setup.lines = "profile: generic\n" + trace_lines(folder.write_set(nodes));
        setup.options.progress = false;
        setup = setup.with("engine.communication_in_flight=4");
        return static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
    };
    EXPECT_NEAR(time_of(66) / time_of(3), 1, 0.02);
}

}  // namespace flow_together_test
