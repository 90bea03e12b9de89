// Which nodes a run in parts keeps together, and that a link shorter than the lookahead is noticed.
#include <algorithm>

#include <gtest/gtest.h>
#include <systemc>

#include "base/diagnostic.h"
#include "platform/parallel/partition.h"
#include "platform/simulation/planned_run.h"
#include "testbenches/platform/runs.h"
#include "testbenches/tlm_interconnect/child.h"

namespace partition_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t ns = 1'000;

// `endpoints` nodes of weight 10, each joined to all of `switches` others of weight 1.
CutGraph board(std::uint32_t endpoints, std::uint32_t switches, std::uint64_t latency)
{
    CutGraph graph;
    for (std::uint32_t i = 0; i < endpoints; ++i) graph.nodes.push_back({"xpu." + std::to_string(i), 10, true});
    for (std::uint32_t i = 0; i < switches; ++i) graph.nodes.push_back({"sw." + std::to_string(i), 1, false});
    for (std::uint32_t e = 0; e < endpoints; ++e)
        for (std::uint32_t s = 0; s < switches; ++s) graph.edges.push_back({e, endpoints + s, latency, 25, ""});
    return graph;
}

using Parts = std::vector<std::uint32_t>;

std::string refusal(const CutGraph& graph, std::uint32_t parts)
{
    try {
        make_partition(graph, parts);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Partition, HalvesABoardByRankAndSharesItsSwitches)
{
    const CutGraph graph = board(8, 4, 70 * ns);
    const Partition half = make_partition(graph, 2);
    EXPECT_EQ(half.part, (Parts{0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1}));
    EXPECT_EQ(half.lookahead, 70 * ns);
    EXPECT_EQ(half.cut.size(), 16U);
    EXPECT_EQ(make_partition(graph, 3).part, (Parts{0, 0, 0, 1, 1, 2, 2, 2, 0, 2, 0, 2}));
    EXPECT_EQ(make_partition(graph, 8).part, (Parts{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3}));
    const Partition whole = make_partition(graph, 1);
    EXPECT_EQ(whole.part, Parts(12, 0));
    EXPECT_TRUE(whole.cut.empty());
}

TEST(Partition, CutsLongLinksBeforeShortOnes)
{
    // Two boards, whose switches are joined by a link of 300 ns.
    CutGraph graph = board(4, 2, 70 * ns);
    for (CutGraph::Edge& edge : graph.edges)
        if ((edge.a < 2) != (edge.b == 4)) edge.latency = 0;
    graph.edges.erase(
        std::remove_if(graph.edges.begin(), graph.edges.end(), [](const auto& edge) { return edge.latency == 0; }),
        graph.edges.end());
    graph.edges.push_back({4, 5, 300 * ns, 25, ""});
    const Partition two = make_partition(graph, 2);
    EXPECT_EQ(two.part, (Parts{0, 0, 1, 1, 0, 1}));
    EXPECT_EQ(two.lookahead, 300 * ns);
    EXPECT_EQ(two.cut, std::vector<std::size_t>{4});
    EXPECT_EQ(make_partition(graph, 4).lookahead, 70 * ns);
    // A part of more than twice its share: the boards come apart.
    for (std::uint32_t node : {0U, 1U}) graph.nodes[node].weight = 1'000;
    EXPECT_EQ(make_partition(graph, 2).lookahead, 70 * ns) << "one part would have all the weight";
}

TEST(Partition, KeepsEndsOfALinkThatCannotBeCutTogether)
{
    CutGraph graph = board(4, 1, 70 * ns);
    graph.edges[0].uncut = "link.pool_credits";  // of endpoint 0
    graph.edges[3].uncut = "link.pool_credits";  // of endpoint 3
    const Partition parts = make_partition(graph, 3);
    EXPECT_EQ(parts.part[0], parts.part[4]);
    EXPECT_EQ(parts.part[3], parts.part[4]);
    EXPECT_NE(parts.part[1], parts.part[0]);
    EXPECT_NE(parts.part[2], parts.part[1]);
    EXPECT_EQ(parts.cut, (std::vector<std::size_t>{1, 2}));
    EXPECT_NE(refusal(graph, 4).find(
                  "4 parts, but the run has 3 groups of GPUs that can be apart (xpu.0~sw.0 cannot be cut: "
                  "link.pool_credits); expected from 1 to 3"),
        std::string::npos)
        << refusal(graph, 4);
}

TEST(Partition, SaysWhatItChose)
{
    const CutGraph graph = board(4, 2, 70 * ns);
    EXPECT_EQ(partition_text(graph, make_partition(graph, 2)),
        "part 0: 2 GPUs, 1 other, weight 21: xpu.0, xpu.1, sw.0\n"
        "part 1: 2 GPUs, 1 other, weight 21: xpu.2, xpu.3, sw.1\n"
        "lookahead 70 ns, 4 of 8 links cut (50.0 %)\n");
}

// A conductor that takes the links to be longer than they are: what arrives within a window is named.
TEST(Partition, AnArrivalWithinAWindowEndsTheRun)
{
    const auto outcome = [](Time factor) {
        return in_child([factor] {
            RunSetup setup;
            setup.document = star_document(4);
            setup.lines = collective_lines("all_reduce", "ring", "4096");
            const ResolvedSystem system = resolve_setup(setup);
            RunOptions options;
            options.partitions = 2;
            options.progress = false;
            const ModelRegistry registry;
            PlannedRun run(system, registry, options);
            BuiltRun built(run, registry);
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
            run.load.start();
            std::vector<Conductor::Part> parts;
            for (const auto& share : built.system.shares()) parts.push_back({&share->event_queue, &share->progress});
            Conductor conductor(parts, built.system.fabric().cut_links(), *run.cut->division().transport,
                factor * run.cut->lookahead());
            try {
                const Conductor::End end = conductor.run(~Time{0});
                return std::string(end == Conductor::End::idle && run.load.finished() ? "finished" : "not finished");
            } catch (const InputError& error) {
                return std::string(error.what());
            }
        });
    };
    EXPECT_EQ(outcome(1), "finished");
    const std::string caught = outcome(20);
    EXPECT_NE(caught.find("b.0.xpu."), std::string::npos) << caught;
    EXPECT_NE(caught.find("the link is shorter than the lookahead"), std::string::npos) << caught;
}

}  // namespace partition_test
