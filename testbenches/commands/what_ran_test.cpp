// Results state what was simulated, so that a comparison of two can tell it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/commands/comparing.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace what_ran_test {

using namespace weft::commands_test;
using nlohmann::json;
using List = std::vector<std::string>;

namespace {

json result_of(List arguments)
{
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
}

// "NAME A B" of what differs in the setup.
List setup_of(const weft::ResultComparison& comparison)
{
    List out;
    const json written = json::parse(weft::comparison_json(comparison));
    for (const json& each : written["differences"])
        if (each["group"] == "setup")
            out.push_back(each["name"].get<std::string>() + " " + each["a"].dump() + " " + each["b"].dump());
    return out;
}

}  // namespace

TEST(WhatRan, ARunStatesTypeAndReduction)
{
    const Fixtures files;
    const std::string system = files.write("min.yaml",
        "system: pair\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, bytes: 4 KiB, type: bf16, reduction: min}\n");
    for (const char* fidelity : {"line", "flow"}) {
        const json one = result_of({"run", system, "--fidelity", fidelity})["collectives"][0];
        EXPECT_EQ(one["type"], "bf16") << fidelity;
        EXPECT_EQ(one["reduction"], "min") << fidelity;
        const json none =
            result_of({"run", system, "--collective", "all_gather", "--fidelity", fidelity})["collectives"][0];
        EXPECT_EQ(none["type"], "bf16") << fidelity;
        EXPECT_TRUE(none["reduction"].is_null()) << fidelity;
    }
    EXPECT_EQ(setup_of(compared(result_of({"run", files.pair_system()}), result_of({"run", system}))),
        (List{"setup.collective.0.type \"fp32\" \"bf16\"", "setup.collective.0.reduction \"sum\" \"min\""}));
}

TEST(WhatRan, TheGrainOfLinesIsOneOfTheTwo)
{
    const Fixtures files;
    EXPECT_EQ(setup_of(compared(result_of({"run", files.pair_system()}),
                           result_of({"run", files.pair_system(), "--grain", "256B"})))
                  .front(),
        "setup.grain 64 256");
}

// Two boxes of two accelerators, a switch in each and one between second accelerators, which pass the others' traffic on: their routers
// are no switches of the document.
TEST(WhatRan, SwitchesAreThoseOfTheDocument)
{
    const Fixtures files;
    files.write("rail.yaml", R"(name: rail
devices:
- name: box
  components: [{name: xpu, choice: xpu, count: 2}, {name: sw, choice: switch, count: 1}]
  links: [{name: acc, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 90}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: acc}]
- {name: rail, components: [{name: sw, choice: switch, count: 1}], links: [], edges: []}
links: [{name: rl, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 10}, latency: {ns: 700}}}]
instances: [{name: box, device: box, count: 2}, {name: rail, device: rail, count: 1}]
edges: [{ep1: {instance: box, component: "xpu[1]"}, ep2: {instance: rail, component: sw}, scheme: many2many, link: rl}]
)");
    const std::string system = files.write("rail_system.yaml", "infrastructure: rail.yaml\nprofile: generic\n");
    for (const char* fidelity : {"line", "flow"})
        EXPECT_EQ(result_of({"run", system, "--collective", "all_reduce", "--bytes", "4KiB", "--fidelity",
                      fidelity})["system"]["switches"],
            3)
            << fidelity;
    EXPECT_EQ(result_of({"fabric", system, "--loads", "0.1", "--duration", "2us"})["system"]["switches"], 3);
}

TEST(WhatRan, ACalibrationIsASetting)
{
    const Fixtures files;
    const List flow{"run", files.pair_system(), "--fidelity", "flow"};
    List plain = flow;
    plain.emplace_back("--uncalibrated");
    EXPECT_EQ(setup_of(compared(result_of(flow), result_of(plain))), List{"setup.calibration \"built in\" \"none\""});
}

TEST(WhatRan, PointsOfASweepStateIt)
{
    const Fixtures files;
    const List line{"sweep", files.pair_system(), "--over", "bytes=4KiB"};
    List flow = line;
    flow.insert(flow.end(), {"--fidelity", "flow", "--seed", "7", "--collective", "all_gather"});
    const json point = result_of(line)["points"][0];
    EXPECT_EQ(point["system"], "pair");
    EXPECT_EQ(point["fidelity"], "line");
    EXPECT_EQ(point["grain"], 64);
    EXPECT_TRUE(point["calibration"].is_null());
    EXPECT_EQ(point["seed"], 1);
    EXPECT_EQ(point["collective"], "all_reduce");
    EXPECT_EQ(point["ranks"], 2);
    EXPECT_EQ(point["bytes"], 4096);
    EXPECT_EQ(point["type"], "fp32");
    EXPECT_EQ(point["reduction"], "sum");
    EXPECT_EQ(setup_of(compared(result_of(line), result_of(flow))),
        (List{"setup.bytes=4KiB.fidelity \"line\" \"flow\"",
            "setup.bytes=4KiB.collective \"all_reduce\" \"all_gather\"", "setup.bytes=4KiB.reduction \"sum\" null",
            "setup.bytes=4KiB.seed 1 7", "setup.bytes=4KiB.calibration null \"built in\""}));

    // A run without a result states nothing.
    const Outcome refused = call({"sweep", files.pair_system(), "--over", "ranks=3", "--quiet", "--json", "-"});
    EXPECT_EQ(refused.code, 2);
    for (const char* key : {"system", "fidelity", "grain", "seed", "collective", "ranks"})
        EXPECT_TRUE(json::parse(refused.out)["points"][0][key].is_null()) << key;
}

TEST(WhatRan, ABenchOfAFabricIsComparedWithItsSystem)
{
    const auto fabric = [](const char* name, int links) {
        return json{{"schema", "weft.fabric/1"}, {"pattern", "uniform"}, {"points", json::array()},
            {"system", {{"name", name}, {"endpoints", 4}, {"senders", 4}, {"switches", 1}, {"links", links}}}};
    };
    EXPECT_EQ(setup_of(compared(fabric("one", 4), fabric("two", 8))),
        (List{"setup.system.name \"one\" \"two\"", "setup.system.links 4 8"}));
}

}  // namespace what_ran_test
