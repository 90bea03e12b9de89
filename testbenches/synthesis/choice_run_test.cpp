// What is chosen where switches help and where packets are asked for, in simulation: prices, choices, traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "platform/workload/trace_choice.h"
#include "platform/assembly/fabric_plan.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"
#include "testbenches/synthesis/documents.h"

namespace choice_run_test {

using namespace weft;
using namespace weft::testing;
using weft::testing::Place;
using namespace weft::chakra::testing;

namespace {

RunSetup setup(const Place& place, const std::string& op, const std::string& algorithm, const std::string& bytes,
    const std::vector<std::string>& sets = {})
{
    RunSetup out;
    out.document = place.document;
    out.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes);
    out.sets = place.sets;
    out.sets.insert(out.sets.end(), sets.begin(), sets.end());
    out.options.data_on = false;
    return out;
}

double price_of(const Json& chosen, const std::string& algorithm)
{
    for (const Json& priced : chosen["choice"]["priced"])
        if (priced["algorithm"] == algorithm) return priced["time_ps"].get<double>();
    return 0;
}

bool without_price(const Json& chosen, const std::string& algorithm)
{
    const Json& names = chosen["choice"]["without_price"];
    return std::find(names.begin(), names.end(), algorithm) != names.end();
}

double time_of(const Json& result) { return result.value("simulated_ps", 0.0); }

// The time of the choice over that of the best of the six with the lowest prices.
double times_the_best(const Place& place, const std::string& op, const std::string& bytes,
    const std::vector<std::string>& sets = {})
{
    const Json chosen = run(setup(place, op, "auto", bytes, sets));
    if (chosen["choice"].is_null()) {
        ADD_FAILURE() << chosen.dump().substr(0, 300);
        return 100;
    }
    double best = time_of(chosen);
    const Json& priced = chosen["choice"]["priced"];
    for (std::size_t i = 1; i < std::min<std::size_t>(6, priced.size()); ++i) {
        const std::string name = priced[i]["algorithm"];
        if (name.find(" along") == std::string::npos)
            best = std::min(best, time_of(run(setup(place, op, name, bytes, sets))));
    }
    const double ratio = time_of(chosen) / best;
    if (ratio > 1.05)
        std::cout << fmt::format("{} {} {}: {} takes {:.2f} times the best\n", place.name, op, bytes,
            priced[0]["algorithm"].get<std::string>(), ratio);
    return ratio;
}

Json run_trace(const Place& place, const std::vector<std::vector<std::string>>& ranks, const std::string& algorithm,
    const std::vector<std::string>& sets = {})
{
    const Folder folder;
    RunSetup out;
    out.document = place.document;
    out.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks));
    out.sets = place.sets;
    out.sets.insert(out.sets.end(), sets.begin(), sets.end());
    out.algorithm = algorithm;
    return run(out);
}

std::string notices_of(const Json& result)
{
    std::string out;
    for (const Json& notice : result["notices"]) out += notice.get<std::string>() + "\n";
    return out;
}

constexpr int all_reduce = 0;
constexpr int all_gather = 2;

}  // namespace

TEST(ChosenInSwitch, ABoardOfSwitchesIsUsedAndNamed)
{
    const Json result = run(setup(dgx_place(), "all_reduce", "auto", "1 MiB"));
    EXPECT_EQ(result["collectives"][0]["algorithm"], "push_reduce");
    EXPECT_EQ(result["choice"]["priced"][0]["algorithm"], "push_reduce");
    EXPECT_NE(result["choice"]["priced"][0]["why"].get<std::string>().find(" in 4 switches;"), std::string::npos);
    EXPECT_EQ(run(setup(dgx_place(), "broadcast", "auto", "1 MiB"))["collectives"][0]["algorithm"], "multicast");
}

TEST(ChosenInSwitch, SwitchesWithoutGroupsAreNot)
{
    const Json none = run(setup(switch_place(4), "all_reduce", "auto", "64 KiB", {"switch.multicast_groups=0"}));
    for (const char* name : {"nvls", "nvls_one_shot", "push_reduce", "nvls_tree"}) {
        EXPECT_TRUE(without_price(none, name)) << name;
        EXPECT_TRUE(without_price(run(setup(mesh_place(4), "all_reduce", "auto", "64 KiB")), name)) << name;
        // No switch of a fat tree sees ranks of two leaves; dimensions as wide as a leaf help nvls_tree.
        const bool of_leaves = std::string(name) == "nvls_tree";
        EXPECT_EQ(without_price(run(setup(fat_tree_place(2, 4, 2), "all_reduce", "auto", "64 KiB")), name), !of_leaves)
            << name;
    }
    EXPECT_EQ(none.value("stop", ""), "finished");
}

TEST(Chosen, AmongManyRanksIsTheCheapestThatCanBeVerified)
{
    RunSetup many =
        setup(switch_place(256), "all_reduce", "auto", "16 KiB", {"switch.multicast_groups=0", "engine.channels=9"});
    many.options.until = 1;
    const Json result = run(many);
    ASSERT_EQ(result["choice"]["passed_over"].size(), 1U) << result.dump().substr(0, 300);
    const Json& passed = result["choice"]["passed_over"][0];
    EXPECT_EQ(passed["algorithm"], "two_shot_get");
    EXPECT_EQ(passed["why"], "too large to be verified: its steps combine more than 134217728 contributions");
    EXPECT_LT(passed["time_ps"].get<double>(), result["choice"]["priced"][0]["time_ps"].get<double>());
    EXPECT_EQ(result["stop"], "until");
    EXPECT_EQ(result["collectives"][0]["algorithm"], result["choice"]["priced"][0]["algorithm"]);
    EXPECT_EQ(run(setup(switch_place(4), "all_reduce", "auto", "16 KiB"))["choice"]["passed_over"].size(), 0U);
}

TEST(ChosenInSwitch, ThePriceIsWithinAnEighthOfTheSimulatedTime)
{
    for (const Place& place : {switch_place(5), dgx_place()})
        for (const auto& [op, algorithm] : {std::pair("all_reduce", "nvls"), std::pair("all_reduce", "nvls_one_shot"),
                 std::pair("all_reduce", "push_reduce"), std::pair("all_gather", "multicast"),
                 std::pair("broadcast", "multicast"), std::pair("reduce_scatter", "load_reduce"),
                 std::pair("reduce", "load_reduce")})
            for (const char* bytes : {"16 KiB", "1 MiB"}) {
                // The estimate lacks 285 ns there, more than an eighth of what is left since flags are looked at together: held with
                // waits one after the other, as before.
                std::vector<std::string> sets;
                if (place.name == "switch" && std::string(op) == "reduce_scatter" && std::string(bytes) == "16 KiB")
                    sets.push_back("engine.poll_lanes=1");
                const double price = price_of(run(setup(place, op, "auto", bytes, sets)), algorithm);
                const double time = time_of(run(setup(place, op, algorithm, bytes, sets)));
                EXPECT_NEAR(price / time, 1, 0.125) << place.name << " " << op << " " << algorithm << " " << bytes;
            }
}

TEST(ChosenInSwitch, WhatLimitsASwitchIsInThePrice)
{
    const Place place = switch_place(4);
    const auto both = [&](const char* algorithm, const std::vector<std::string>& sets) {
        return std::pair(price_of(run(setup(place, "all_reduce", "auto", "1 MiB", sets)), algorithm),
            time_of(run(setup(place, "all_reduce", algorithm, "1 MiB", sets))));
    };
    const std::vector<std::vector<std::string>> limits{{"switch.reduce_rate=100 GB/s"}, {"switch.group_contexts=64"},
        {"link.bandwidth=25 GB/s"}, {"switch.latency=1 us"}};
    for (const char* algorithm : {"nvls", "push_reduce"}) {
        const auto [price, time] = both(algorithm, {});
        for (const std::vector<std::string>& limit : limits) {
            const auto [other, simulated] = both(algorithm, limit);
            EXPECT_EQ(other > price, simulated > time) << algorithm << " " << limit.front();
            EXPECT_NEAR(other / simulated, 1, 0.2) << algorithm << " " << limit.front();
        }
    }
}

TEST(ChosenInPackets, ThePriceIsNearTheSimulatedTime)
{
    for (const Place& place : {ring_place(5), mesh_place(5), switch_place(5), dgx_place()})
        for (const char* protocol : {"ll", "ll128"})
            for (const char* bytes : {"16 KiB", "256 KiB"}) {
                const std::vector<std::string> sets{std::string("engine.protocol=") + protocol};
                const Json chosen = run(setup(place, "all_reduce", "auto", bytes, sets));
                EXPECT_EQ(chosen["collectives"][0]["protocol"], protocol);
                for (const char* algorithm : {"ring", "direct", "one_shot"}) {
                    const double price = price_of(chosen, algorithm);
                    // Everything to everybody round a ring: far from being chosen, and links are crowded.
                    if (std::string(algorithm) == "one_shot" && place.name == "ring") continue;
                    EXPECT_NEAR(price / time_of(run(setup(place, "all_reduce", algorithm, bytes, sets))), 1, 0.2)
                        << place.name << " " << protocol << " " << algorithm << " " << bytes;
                }
            }
}

// docs/synthesis.md has more of them, and the few that are worse.
TEST(Chosen, IsWithinAFifthOfTheBestButForTwoCases)
{
    const auto bound = [](const Place& place, const std::string& op, const std::string& bytes) {
        // Where leaves have less bandwidth upwards than down, prices leave out that halves of an all-reduce hold each
        // other up, and what many channels to many peers at once do there.
        if (place.name == "fat tree" && bytes == "256 KiB") return 1.4;
        // Loads of all peers at once are priced a fifth too low there, so that two_shot_load goes before direct.
        if (place.name == "mesh" && op == "all_reduce" && bytes == "256 KiB") return 1.25;
        return 1.2;
    };
    for (const Place& place : {dgx_place(), switch_place(5), mesh_place(5), ring_place(5), fat_tree_place(2, 4, 2)})
        for (const char* op : {"all_reduce", "all_gather", "reduce_scatter"})
            for (const char* bytes : {"16 KiB", "256 KiB"})
                EXPECT_LE(times_the_best(place, op, bytes), bound(place, op, bytes))
                    << place.name << " " << op << " " << bytes;
    for (const Place& place : {dgx_place(), mesh_place(5)})
        for (const char* protocol : {"ll", "ll128"})
            for (const char* bytes : {"16 KiB", "256 KiB"})
                EXPECT_LE(times_the_best(place, "all_reduce", bytes, {std::string("engine.protocol=") + protocol}), 1.2)
                    << place.name << " " << protocol << " " << bytes;
}

// All channels of two_shot_load begin at the same peer, and their loads hold the registers until lines that mix with those of all
// others have come: it must not be chosen for its bytes on links alone.
TEST(Chosen, LoadsThatHoldTheirRegistersAreNotTooCheap)
{
    const std::string system = std::string(WEFT_SOURCE_DIR) + "/examples/mesh_mi300x/mesh_mi300x.yaml";
    RunSetup chosen;
    chosen.document = system;
    chosen.lines = "bind: [{nodes: {component: xpu}, model: gpu}]\n" + collective_lines("all_reduce", "auto", "1 MiB");
    chosen.options.data_on = false;
    const Json result = run(chosen);
    ASSERT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
    double best = time_of(result);
    for (const char* algorithm : {"two_shot_load", "direct", "two_shot_get", "two_shot_staged"}) {
        if (algorithm == std::string("two_shot_get") && !weft::test::thorough()) break;
        RunSetup named = chosen;
        named.lines =
            "bind: [{nodes: {component: xpu}, model: gpu}]\n" + collective_lines("all_reduce", algorithm, "1 MiB");
        const double time = time_of(run(named));
        best = std::min(best, time);
        EXPECT_NEAR(price_of(result, algorithm) / time, 1, 0.2) << algorithm;
    }
    EXPECT_LE(time_of(result), 1.1 * best) << result["collectives"][0]["algorithm"];
}

TEST(ChosenForTraces, EverySizeHasItsOwn)
{
    std::vector<std::vector<std::string>> ranks;
    for (unsigned rank = 0; rank < 4; ++rank)
        ranks.push_back({collective(1, all_reduce, 4096), collective(2, all_reduce, 4 << 20).data({1}),
            collective(3, all_reduce, 4096).data({2})});
    for (const Place& place : {mesh_place(4), ring_place(4)}) {
        const Json result = run_trace(place, ranks, "auto");
        ASSERT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
        EXPECT_EQ(result["verified"], "passed");
        std::vector<std::string> taken;
        for (const Json& done : result["collectives"]) taken.push_back(done["algorithm"]);
        ASSERT_EQ(taken.size(), 3u);
        EXPECT_EQ(taken[0], taken[2]);
        for (const Json& done : result["collectives"]) {
            EXPECT_EQ(done["chosen_by"], "auto");
            std::int64_t sum = 0;
            for (const Json& term : done["terms"]) sum += term["ps"].get<std::int64_t>();
            EXPECT_EQ(sum, done["estimate_ps"].get<std::int64_t>());
        }
        EXPECT_NE(taken[0], taken[1]);
        // The same as for a collective by itself.
        EXPECT_EQ(taken[0], run(setup(place, "all_reduce", "auto", "4 KiB"))["collectives"][0]["algorithm"]);
        EXPECT_EQ(taken[1], run(setup(place, "all_reduce", "auto", "4 MiB"))["collectives"][0]["algorithm"]);
        EXPECT_NE(notices_of(result).find("all_reduce of 4 KiB among 4 ranks: " + taken[0] + " chosen, estimated "),
            std::string::npos)
            << notices_of(result);
    }
}

TEST(ChosenForTraces, IsNoSlowerThanTheDefault)
{
    std::vector<std::vector<std::string>> ranks(4,
        {collective(1, all_reduce, 1 << 20), collective(2, all_gather, 1 << 18).data({1})});
    for (const Place& place : {mesh_place(4), switch_place(4)}) {
        EXPECT_LT(time_of(run_trace(place, ranks, "auto")), time_of(run_trace(place, ranks, "")));
        EXPECT_EQ(run_trace(place, ranks, "synthesize").value("verified", ""), "passed");
    }
    // By the switch, and in packets where these are asked for.
    EXPECT_EQ(run_trace(switch_place(4), ranks, "auto")["collectives"][0]["algorithm"], "push_reduce");
    const Json packets = run_trace(switch_place(4), ranks, "auto", {"engine.protocol=ll"});
    EXPECT_EQ(packets["collectives"][0]["protocol"], "ll");
    EXPECT_EQ(packets["verified"], "passed");
}

TEST(ChosenForTraces, GroupsThatCostTheSameShareAChoice)
{
    const auto share = [](const Place& place, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                           std::uint64_t bytes) {
        const ResolvedSystem system = resolve_setup(setup(place, "all_reduce", "auto", "64 KiB"));
        const FabricPlan plan = plan_fabric(system, members_of(system));
        TraceChoice choice(system, plan, false);
        const auto first = choice.schedule(CollectiveOp::all_reduce, a, 1 << 16, 4);
        EXPECT_EQ(first, choice.schedule(CollectiveOp::all_reduce, a, 1 << 16, 4));
        return first == choice.schedule(CollectiveOp::all_reduce, b, bytes, 4);
    };
    EXPECT_TRUE(share(switch_place(4), {0, 1}, {2, 3}, 1 << 16));
    EXPECT_FALSE(share(switch_place(4), {0, 1}, {2, 3}, 1 << 17));
    EXPECT_FALSE(share(switch_place(4), {0, 1}, {1, 2, 3}, 1 << 16));
    // On a ring the second pair has a rank between.
    EXPECT_FALSE(share(ring_place(5), {0, 1}, {0, 2}, 1 << 16));
}

TEST(ChosenForTraces, RunsAgainTheSame)
{
    const std::vector<std::vector<std::string>> ranks(4, {collective(1, all_reduce, 1 << 16)});
    EXPECT_EQ(run_trace(ring_place(4), ranks, "auto"), run_trace(ring_place(4), ranks, "auto"));
}

}  // namespace choice_run_test
