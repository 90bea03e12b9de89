// `weft fabric --over`: several benches as one table, and models as a key of sweeps.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace fabric_over_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

const std::vector<std::string> bench{"--loads", "0.2,0.7", "--duration", "300ns"};

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more)
{
    first.insert(first.end(), bench.begin(), bench.end());
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

}  // namespace

TEST(FabricOver, EachCombinationIsTheBenchThatItStandsFor)
{
    const Fixtures files;
    const std::string dgx = "examples/dgx_h100/system.yaml";
    const std::string glob = "dgx.*.nvsw.*";
    const Outcome all = call(with({"fabric", dgx},
        {"--over", "model:" + glob + "=switch,crossbar", "--over", "pattern=uniform,incast", "--json", "-"}));
    ASSERT_EQ(all.code, 0) << all.err;
    const json table = json::parse(all.out);
    EXPECT_EQ(table["schema"], "weft.fabric_sweep/1");
    EXPECT_EQ(table["keys"], (json{"model:" + glob, "pattern"}));
    ASSERT_EQ(table["points"].size(), 4u);
    std::size_t i = 0;
    for (const char* model : {"switch", "crossbar"}) {
        for (const char* pattern : {"uniform", "incast"}) {
            const json& point = table["points"][i++];
            EXPECT_EQ(point["parameters"], (json{{"model:" + glob, model}, {"pattern", pattern}}));
            const Outcome one =
                call(with({"fabric", dgx}, {"--model", glob + "=" + model, "--pattern", pattern, "--json", "-"}));
            EXPECT_EQ(point["fabric"], json::parse(one.out)) << model << " " << pattern;
        }
    }
    EXPECT_NE(table["points"][0]["fabric"]["full_load"], table["points"][2]["fabric"]["full_load"]);
}

TEST(FabricOver, WritesARowForEachLoadAndTheSameTwice)
{
    const Fixtures files;
    const std::vector<std::string> arguments = with({"fabric", files.pair(), "--profile", "generic"},
        {"--over", "link.latency=50ns,5us", "--csv", files.path("f.csv"), "--svg", files.path("f.svg"), "--html",
            files.path("f.html"), "--json", files.path("f.json")});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3);
    const std::string csv = files.read("f.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
        "link.latency,load,offered_GBps,accepted,accepted_GBps,state,mean_ns,ci95_ns,p50_ns,p99_ns,max_ns,jain,"
        "message");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
    const std::string picture = files.read("f.svg");
    for (const char* name : {">50ns<", ">5us<", ">link.latency<"})
        EXPECT_NE(picture.find(name), std::string::npos) << name;
    EXPECT_EQ(call({"schema", "--check", files.path("f.json")}).code, 0);
    const Outcome again = call(arguments);
    EXPECT_EQ(again.out, outcome.out);
    EXPECT_EQ(files.read("f.csv"), csv);
    EXPECT_EQ(files.read("f.svg"), picture);
}

TEST(FabricOver, ACombinationThatFailsIsNamedAndTheOthersStay)
{
    const Fixtures files;
    const Outcome outcome = call(
        with({"fabric", files.pair(), "--profile", "generic"}, {"--over", "link.latency=50ns,long", "--csv", "-"}));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.compare(0, 27, "fabric: link.latency=long: "), 0) << outcome.err;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5) << outcome.out;
    EXPECT_NE(outcome.out.find("\nlong,,,,,,,,,,,,"), std::string::npos) << outcome.out;
}

TEST(FabricOver, ADeadlockKeepsTheOtherLoadsOfItsCombination)
{
    const Fixtures files;
    const Outcome outcome = call(
        {"fabric", "--infra", "examples/switch_ring/switch_ring.yaml", "--loads", "0.001,0.9", "--duration", "20us",
            "--set", "routing.cycles=allow", "--set", "link.response_credits=1", "--over", "link.request_credits=1",
            "--csv", files.path("f.csv"), "--json", files.path("f.json"), "--svg", files.path("f.svg")});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("\nfabric: link.request_credits=1: at load 0.9 no progress is possible\n"),
        std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.out.find(" at 0.001  not known "), std::string::npos) << outcome.out;
    const std::string csv = files.read("f.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << csv;
    EXPECT_NE(csv.find("\n1,0.001,"), std::string::npos) << csv;
    const std::string message = "at load 0.9 no progress is possible\n";
    EXPECT_NE(csv.find("\n1,0.9,,,,,,,,,,," + message), std::string::npos) << csv;
    EXPECT_NE(csv.find("\n1,1,,,,,,,,,,," + message), std::string::npos) << csv;
    const json point = json::parse(files.read("f.json"))["points"][0];
    EXPECT_EQ(point["exit"], 3);
    EXPECT_EQ(point["fabric"]["points"].size(), 1u);
    EXPECT_EQ(point["fabric"]["failed_loads"], (json{0.9, 1.0}));
    EXPECT_EQ(point["message"], message.substr(0, message.size() - 1));
    EXPECT_EQ(call({"schema", "--check", files.path("f.json")}).code, 0);
    EXPECT_NE(files.read("f.svg").find("<circle"), std::string::npos);
}

TEST(FabricOver, RefusesWhatIsNoKeyOfIt)
{
    const Fixtures files;
    EXPECT_EQ(call(with({"fabric", files.pair(), "--over", "bytes=1KiB"}, {})).err,
        "weft: unknown key 'bytes' of '--over'; expected a parameter such as l2.size, model:GLOB, or one of pattern, "
        "fraction, sources, burst, reads, atomics, size, message, profile, seed\n");
    EXPECT_EQ(call({"fabric", files.pair(), "--over", "seed=1,2", "--loads", "0.1", "--series", "s.csv"}).err,
        "weft: --series beside --over; expected a single bench\n");
    EXPECT_EQ(call(with({"fabric", files.pair(), "--over", "model:=switch"}, {})).err,
        "weft: --over 'model:=switch' names no nodes; expected KEY=V1,V2,..., such as bytes=1MiB,2MiB or "
        "l2.size=20MiB,40MiB\n");
}

TEST(SweepOverModels, IsARunWithEachModel)
{
    const Outcome sweep = call({"sweep", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data", "--over",
        "model:dgx.*.nvsw.*=switch,crossbar", "--json", "-"});
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const json points = json::parse(sweep.out)["points"];
    for (std::size_t i = 0; i < 2; ++i) {
        const Outcome run = call({"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data", "--model",
            std::string("dgx.*.nvsw.*=") + (i == 0 ? "switch" : "crossbar"), "--json", "-"});
        EXPECT_EQ(json::parse(run.out)["simulated_ps"], points[i]["time_ps"]);
    }
    EXPECT_NE(points[0]["time_ps"], points[1]["time_ps"]);
}

}  // namespace fabric_over_test
