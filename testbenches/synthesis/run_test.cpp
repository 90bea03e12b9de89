// Choices and synthesized schedules in simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/cost_graph.h"
#include "platform/choice/cost_graph_of.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"
#include "testbenches/synthesis/documents.h"

namespace run_test {

using namespace weft;
using namespace weft::testing;
using weft::testing::Place;

namespace {

RunSetup setup(const Place& place, const std::string& op, const std::string& algorithm, const std::string& bytes,
    bool data = false)
{
    RunSetup out;
    out.document = place.document;
    out.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes);
    out.sets = place.sets;
    out.options.data_on = data;
    return out;
}

CostGraph graph_of(const RunSetup& run_setup, std::uint32_t ranks = 0)
{
    const ResolvedSystem system = resolve_setup(run_setup);
    const FabricPlan plan = plan_fabric(system, members_of(system));
    return cost_graph_of(system, plan, ranks == 0 ? static_cast<std::uint32_t>(plan.members.size()) : ranks);
}

std::vector<std::string> rings_of(const std::string& op)
{
    CollectiveOp known{};
    collective_from_name(op, known);
    std::vector<std::string> out;
    for (const std::string& name : algorithm_names(known))
        if (name.find("ring") != std::string::npos) out.push_back(name);
    return out;
}

// A synthesized schedule ends with the right result, and no later than any built-in ring.
void never_worse_than_rings(const Place& place)
{
    for (const auto& [op, bytes] :
        {std::pair("all_reduce", "64 KiB"), std::pair("all_gather", "256 KiB"), std::pair("broadcast", "256 KiB"),
            std::pair("reduce_scatter", "256 KiB"), std::pair("all_reduce", "1 MiB")}) {
        if (op == std::string("reduce_scatter") && !weft::test::thorough()) break;
        const Json made = run(setup(place, op, "synthesize", bytes, true));
        ASSERT_EQ(made.value("verified", ""), "passed") << place.name << " " << op << made.dump().substr(0, 300);
        const auto time = made["simulated_ps"].get<std::uint64_t>();
        for (const std::string& ring : rings_of(op)) {
            const Json other = run(setup(place, op, ring, bytes));
            if (other.contains("refused")) continue;  // it wants options or other numbers of ranks
            EXPECT_LE(time, other["simulated_ps"].get<std::uint64_t>())
                << place.name << " " << op << " " << bytes << ": " << made["choice"]["priced"][0].dump();
        }
    }
}

}  // namespace

TEST(Synthesized, IsNeverWorseThanRingsOnARing) { never_worse_than_rings(ring_place(6)); }
TEST(Synthesized, IsNeverWorseThanRingsOnAMesh) { never_worse_than_rings(mesh_place(6)); }
TEST(Synthesized, IsNeverWorseThanRingsOnATorus) { never_worse_than_rings(torus_place(3, 3)); }
TEST(Synthesized, IsNeverWorseThanRingsOnAGrid) { never_worse_than_rings(grid_place(3, 2)); }
TEST(Synthesized, IsNeverWorseThanRingsBehindASwitch) { never_worse_than_rings(switch_place(6)); }
TEST(Synthesized, IsNeverWorseThanRingsInAFatTree) { never_worse_than_rings(fat_tree_place(2, 4, 2)); }
TEST(Synthesized, IsNeverWorseThanRingsInADgx) { never_worse_than_rings(dgx_place()); }

TEST(Synthesized, ARingIsUsedBothWays)
{
    // Twice the links; less than twice the rate, as acknowledges share them now.
    const auto made = run(setup(ring_place(8), "all_gather", "synthesize", "1 MiB"))["simulated_ps"].get<double>();
    const auto ring = run(setup(ring_place(8), "all_gather", "ring", "1 MiB"))["simulated_ps"].get<double>();
    EXPECT_LT(made, 0.7 * ring);
}

TEST(Chosen, IsWithinATenthOfTheBestInMostCases)
{
    unsigned cases = 0;
    unsigned good = 0;
    for (const Place& place : {ring_place(5), mesh_place(5), switch_place(5), dgx_place()})
        for (const char* op : {"all_reduce", "all_gather"})
            for (const char* bytes : {"16 KiB", "512 KiB"}) {
                // The six that are cheapest by their price; what is far behind is not simulated.
                const Json chosen = run(setup(place, op, "auto", bytes));
                ASSERT_FALSE(chosen["choice"].is_null()) << chosen.dump().substr(0, 300);
                const auto time = chosen["simulated_ps"].get<double>();
                double best = time;
                const Json& priced = chosen["choice"]["priced"];
                for (std::size_t i = 1; i < std::min<std::size_t>(6, priced.size()); ++i) {
                    const std::string name = priced[i]["algorithm"];
                    if (name.find(" along") != std::string::npos) continue;
                    const Json other = run(setup(place, op, name, bytes));
                    ASSERT_FALSE(other.contains("refused")) << other.dump();
                    best = std::min(best, other["simulated_ps"].get<double>());
                }
                ++cases;
                good += time <= 1.1 * best ? 1 : 0;
                if (time > 1.1 * best)
                    std::cout << fmt::format("{} {} {}: {} takes {:.2f} times the best\n", place.name, op, bytes,
                        priced[0]["algorithm"].get<std::string>(), time / best);
            }
    EXPECT_GE(good, cases * 8 / 10);
}

TEST(Chosen, ThePriceIsNearTheSimulatedTime)
{
    for (const Place& place : {ring_place(5), mesh_place(5), switch_place(5), dgx_place()})
        for (const char* algorithm : {"ring", "direct"})
            for (const char* bytes : {"16 KiB", "256 KiB"}) {
                // By default a long message in a ring, and short ones.
                if (bytes == std::string("256 KiB") && algorithm == std::string("direct") && !weft::test::thorough())
                    continue;
                const Json result = run(setup(place, "all_reduce", "auto", bytes));
                double price = 0;
                for (const Json& priced : result["choice"]["priced"])
                    if (priced["algorithm"] == algorithm) price = priced["time_ps"].get<double>();
                const auto time = run(setup(place, "all_reduce", algorithm, bytes))["simulated_ps"].get<double>();
                EXPECT_NEAR(price / time, 1, 0.2) << place.name << " " << algorithm << " " << bytes;
            }
}

TEST(Chosen, RunsAgainTheSame)
{
    for (const char* way : {"auto", "synthesize"})
        EXPECT_EQ(run(setup(torus_place(3, 3), "all_reduce", way, "64 KiB")),
            run(setup(torus_place(3, 3), "all_reduce", way, "64 KiB")));
}

TEST(Chosen, SaysWhatWasCompared)
{
    const Json result = run(setup(switch_place(4), "all_gather", "auto", "64 KiB", true));
    EXPECT_EQ(result["verified"], "passed");
    EXPECT_EQ(result["choice"]["asked"], "auto");
    EXPECT_EQ(result["choice"]["priced"][0]["algorithm"], result["collectives"][0]["algorithm"]);
    EXPECT_GE(result["choice"]["priced"].size(), 3);
    const Json& taken = result["collectives"][0];
    EXPECT_EQ(taken["chosen_by"], "auto");
    EXPECT_EQ(taken["estimate_ps"], result["choice"]["priced"][0]["time_ps"]);
    for (std::size_t i = 0; i < 3; ++i) {
        const Json& priced = result["choice"]["priced"][i];
        std::int64_t sum = 0;
        for (const Json& term : priced["terms"]) sum += term["ps"].get<std::int64_t>();
        EXPECT_EQ(sum, priced["time_ps"].get<std::int64_t>()) << priced.dump();
        EXPECT_EQ(priced["terms"].size(), 5u);
    }
    EXPECT_EQ(taken["terms"], result["choice"]["priced"][0]["terms"]);
    const Json named = run(setup(switch_place(4), "all_gather", "ring", "64 KiB"));
    EXPECT_TRUE(named["collectives"][0]["chosen_by"].is_null());
    EXPECT_TRUE(named["collectives"][0]["estimate_ps"].is_null());
    // In packets another schedule is carried out than was built: its choice is kept.
    RunSetup packets = setup(switch_place(4), "all_gather", "auto", "64 KiB");
    packets.sets.push_back("engine.protocol=ll");
    EXPECT_EQ(run(packets)["collectives"][0]["chosen_by"], "auto");
    EXPECT_TRUE(run(setup(switch_place(4), "all_gather", "ring", "64 KiB"))["choice"].is_null());
}

TEST(Chosen, OneRankAndABarrierHaveAChoiceToo)
{
    RunSetup alone = setup(switch_place(4), "all_reduce", "synthesize", "4 KiB", true);
    alone.lines = "profile: generic\n" + collective_lines("all_reduce", "synthesize", "4 KiB", "ranks: 1");
    EXPECT_EQ(run(alone).value("verified", ""), "passed");
    EXPECT_EQ(run(setup(mesh_place(4), "barrier", "auto", "0")).value("stop", ""), "finished");
    EXPECT_EQ(run(setup(mesh_place(4), "all_to_all", "synthesize", "4 KiB", true)).value("verified", ""), "passed");
}

TEST(Chosen, TheNumberOfChunksIsTaken)
{
    RunSetup three = setup(ring_place(6), "all_gather", "synthesize", "3 MiB");
    three.lines = "profile: generic\n" + collective_lines("all_gather", "synthesize", "3 MiB", "chunks: 3");
    const Json result = run(three);
    unsigned found = 0;
    for (const Json& priced : result["choice"]["priced"]) {
        const std::string name = priced["algorithm"];
        if (name.substr(0, 11) != "synthesized") continue;
        EXPECT_NE(name.find("in 3 chunks"), std::string::npos) << name;
        ++found;
    }
    EXPECT_GT(found, 0);
}

TEST(CostGraph, HasTheLatenciesOfTheAlphaBetaFigure)
{
    for (const Place& place : {ring_place(6), switch_place(4), dgx_place()}) {
        const RunSetup one = setup(place, "all_gather", "ring", "64 KiB");
        const auto alpha = run(one)["alpha_beta"]["alpha_ps"].get<std::uint64_t>();
        const CostGraph graph = graph_of(one);
        // A signal is a flit or more shorter than a line.
        EXPECT_NEAR(static_cast<double>(step_ps(graph, 0, 1)), static_cast<double>(alpha),
            0.01 * static_cast<double>(alpha));
    }
}

TEST(CostGraph, LinksOfEqualPathsAreShared)
{
    const CostGraph graph = graph_of(setup(dgx_place(), "all_gather", "ring", "64 KiB"));
    const CostPath& path = graph.path(0, 5);
    ASSERT_EQ(path.stages.size(), 2);  // to a switch and from there
    for (const PathStage& stage : path.stages) {
        EXPECT_EQ(stage.links.size(), 4);
        for (const LinkShare& part : stage.links) EXPECT_DOUBLE_EQ(part.share, 0.25);
    }
    EXPECT_TRUE(path.neighbours);
    // Every line takes another switch: 80 B on the wire for 64, 16 B back, at 112.5 GB/s.
    EXPECT_NEAR(graph.links[0].ps_per_byte, 80.0 / 64 * 1000 / 112.5, 1e-6);
    EXPECT_NEAR(graph.links[0].back_ps_per_byte, 16.0 / 64 * 1000 / 112.5, 1e-6);
    // Two lines in a row: 144 B for 128, 16 B back.
    RunSetup two = setup(dgx_place(), "all_gather", "ring", "64 KiB");
    two.sets.push_back("routing.stripe=128");
    const CostGraph pairs = graph_of(two);
    EXPECT_NEAR(pairs.links[0].ps_per_byte, 144.0 / 128 * 1000 / 112.5, 1e-6);
    EXPECT_NEAR(pairs.links[0].back_ps_per_byte, 16.0 / 128 * 1000 / 112.5, 1e-6);
}

TEST(CostGraph, SwitchesThatCombineAreInIt)
{
    const CostGraph graph = graph_of(setup(dgx_place(), "all_gather", "ring", "64 KiB"));
    ASSERT_EQ(graph.switches.size(), 4);
    for (const CostRank& rank : graph.ranks) EXPECT_EQ(rank.ports.size(), 4);
    // A line at a time: 80 B on the wire for 64, 16 B back.
    EXPECT_NEAR(graph.links[0].group_ps_per_byte, 80.0 / 64 * 1000 / 112.5, 1e-6);
    EXPECT_NEAR(graph.links[0].group_back_ps_per_byte, 16.0 / 64 * 1000 / 112.5, 1e-6);
    EXPECT_NEAR(graph.links[graph.switches[0].adder].group_ps_per_byte, 1e12 / 1.6e12, 1e-9);
    // 1024 lines in the time of a line there and its answer back.
    const double open = graph.links[graph.switches[0].contexts].group_ps_per_byte * 64 * 1024;
    EXPECT_NEAR(open, 711 + 70'000 + 3 * 60'000 + 142 + 70'000 + 100'000, 2);
    for (const CostRank& rank : graph_of(setup(mesh_place(4), "all_gather", "ring", "64 KiB")).ranks)
        EXPECT_TRUE(rank.ports.empty());
}

TEST(CostGraph, RanksBetweenAreNoNeighbours)
{
    const CostGraph graph = graph_of(setup(ring_place(6), "all_gather", "ring", "64 KiB"));
    EXPECT_TRUE(graph.path(0, 1).neighbours);
    EXPECT_FALSE(graph.path(0, 2).neighbours);
    EXPECT_EQ(graph.path(0, 2).stages.size(), 2);
    // Of a group only its members count.
    const RunSetup ring = setup(ring_place(6), "all_gather", "ring", "64 KiB");
    const ResolvedSystem system = resolve_setup(ring);
    const FabricPlan plan = plan_fabric(system, members_of(system));
    EXPECT_TRUE(cost_graph_of(system, plan, std::vector<std::uint32_t>{0, 2, 4}).path(0, 1).neighbours);
}

TEST(CostGraph, TooManyRanksAreRefused)
{
    const ResolvedSystem system = resolve_setup(setup(switch_place(4), "all_gather", "auto", "64 KiB"));
    const FabricPlan plan = plan_fabric(system, members_of(system));
    EXPECT_THROW(cost_graph_of(system, plan, most_ranks_priced + 1), InputError);
}

}  // namespace run_test
