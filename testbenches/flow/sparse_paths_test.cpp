// Paths that are found pair by pair are those of the routing tables.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>

#include "base/diagnostic.h"
#include "collectives/flow/programs/rank_writers.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace sparse_paths_test {

using namespace weft;
using namespace weft::testing;

namespace {

ResolvedSystem system_of(const std::string& document,
    const std::string& workload = collective_lines("all_reduce", "ring", "1 MiB"))
{
    RunSetup setup;
    setup.document = document;
    setup.lines = "profile: h100\n" + workload;
    return resolve_setup(setup);
}

std::vector<std::uint32_t> all_of(std::size_t members)
{
    std::vector<std::uint32_t> out(members);
    std::iota(out.begin(), out.end(), 0U);
    return out;
}

}  // namespace

TEST(SparsePaths, AreThoseOfTheTables)
{
    for (const std::string document : {"dgx_h100", "two_hosts", "clos_8", "fat_tree_32", "mesh_mi300x"}) {
        const ResolvedSystem system = system_of(example(document));
        const std::vector<NodeId> members = members_of(system);
        const FabricPlan plan = plan_fabric(system, members);
        CostPaths tables(system, plan, all_of(members.size()));
        SparsePaths sparse(system, members, false);
        const Graph& graph = system.graph();
        std::size_t pairs = 0;
        for (std::uint32_t from = 0; from < members.size(); ++from)
            for (std::uint32_t to = 0; to < members.size(); to += from % 5 == 0 ? 1 : 7) {
                if (from == to) continue;
                ++pairs;
                const CostPath a = tables.path(from, to);
                const CostPath b = sparse.path(from, to);
                ASSERT_EQ(a.put_ps, b.put_ps) << document << " " << from << " " << to;
                ASSERT_EQ(a.answer_ps, b.answer_ps) << document << " " << from << " " << to;
                ASSERT_EQ(a.stages.size(), b.stages.size()) << document << " " << from << " " << to;
                for (std::size_t s = 0; s < a.stages.size(); ++s) {
                    ASSERT_EQ(a.stages[s].before_ps, b.stages[s].before_ps);
                    std::map<std::string, double> shares;
                    for (const LinkShare& part : b.stages[s].links) {
                        const SparsePaths::LinkPlace place = sparse.places()[part.link];
                        const Edge& edge = graph.edge(place.edge);
                        shares[graph.node(place.forward ? edge.a : edge.b).name + " -> " +
                            graph.node(place.forward ? edge.b : edge.a).name] = part.share;
                    }
                    ASSERT_EQ(shares.size(), a.stages[s].links.size());
                    for (const LinkShare& part : a.stages[s].links) {
                        ASSERT_DOUBLE_EQ(shares[tables.links()[part.link].name], part.share)
                            << tables.links()[part.link].name;
                        ASSERT_EQ(tables.links()[part.link].ps_per_byte,
                            sparse.links()[b.stages[s].links[0].link].ps_per_byte);
                    }
                }
            }
        EXPECT_GT(pairs, 2U) << document;
    }
}

// Cards and ports between two links go into one stage; nothing else changes.
TEST(SparsePaths, ChainsAreOneStageAndTakeAsLong)
{
    const ResolvedSystem system = system_of(example("fat_tree_32"));
    const std::vector<NodeId> members = members_of(system);
    SparsePaths whole(system, members, false);
    SparsePaths joined(system, members, true);
    const auto last = static_cast<std::uint32_t>(members.size() - 1);
    EXPECT_LT(joined.path(0, last).stages.size(), whole.path(0, last).stages.size());
    const auto program = std::make_shared<FlowProgram>(program_for_all("ring", CollectiveOp::all_reduce, last + 1, {}));
    const auto time = [&](SparsePaths& paths) {
        FlowRanks ranks;
        ranks.kinds = {rank_cost_of(system, members.front())};
        ranks.kind_of.assign(members.size(), 0);
        PathBook book(paths.links(), [&paths](std::uint32_t from, std::uint32_t to) { return paths.path(from, to); });
        return static_cast<double>(play(program, ranks, book, {16 << 20, 8}).end_ps);
    };
    EXPECT_NEAR(time(joined) / time(whole), 1, 0.002);
}

TEST(SparsePaths, RanksThatCannotReachEachOtherAreNamed)
{
    const ResolvedSystem system = system_of(std::string(WEFT_SOURCE_DIR) + "/examples/astra_ring_8/ring_8.yaml");
    // A ring of accelerators without switches: neighbours have a way, others only through accelerators.
    SparsePaths paths(system, members_of(system));
    EXPECT_EQ(paths.path(0, 1).stages.size(), 1U);
    try {
        paths.path(0, 4);
        FAIL() << "found";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("no path between"), std::string::npos);
    }
}

// 8,192 GPUs, 76,032 nodes.
TEST(LargeDocument, RunsAHierarchicalAllReduce)
{
    if (!has_shared()) GTEST_SKIP() << "no shared documents";
    const std::clock_t begun = std::clock();
    const ResolvedSystem system =
        system_of(std::string(WEFT_SHARED_DIR) + "/infragraph/large_clos_ft_3t_r32_dgx_h100.yaml.gz",
            collective_lines("all_reduce", "hierarchical", "64 MiB", "dimensions: \"gpu=8,host=32,pod=32\""));
    const RunResult result = run_flow(system, {});
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    EXPECT_EQ(result.stop, StopReason::finished);
    EXPECT_EQ(result.messages, std::uint64_t{8192} * 2 * (7 + 31 + 31));
    EXPECT_EQ(result.verification, "symbolic, of the same algorithm over 64 ranks");
    // Every network card carries 2 x 31/32 of an eighth of the message, and what is left of it to the next dimension.
    double card = 0;
    for (const LinkResult& link : result.link_results)
        if (link.from.find("cx7") != std::string::npos) card = static_cast<double>(link.payload_bytes);
    EXPECT_NEAR(card, 2.0 * (64 << 20) / 8 * (31.0 / 32 + 31.0 / 32 / 32), 1e5);
    EXPECT_LT(seconds, 60) << "processor seconds";
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    EXPECT_LT(use.ru_maxrss, 1'500'000) << "KiB";
    std::printf("8192 GPUs: %.1f s of processor time, %.3f ms simulated\n", seconds,
        static_cast<double>(result.simulated_ps) / 1e9);
}

}  // namespace sparse_paths_test
