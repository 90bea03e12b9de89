// Switches of somebody else, in shared libraries, in the place of ours.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/plugin/built_examples.h"

using namespace weft::plugin_test;

namespace {

const std::string dgx = "examples/dgx_h100/system.yaml";

std::vector<std::string> with(const std::string& model, std::vector<std::string> arguments)
{
    const BuiltExamples& built = built_examples();
    arguments.insert(arguments.end(),
        {"--plugin", built.my_switch, "--plugin", built.base_router, "--model", "*.nvsw.*=" + model});
    return arguments;
}

// The line of the summary that starts with `label`.
std::string line_of(const std::string& text, const std::string& label)
{
    const std::size_t start = text.find("\n" + label + " ");
    if (start == std::string::npos) return "";
    return text.substr(start + 1, text.find('\n', start + 1) - start - 1);
}

std::string run_with(const std::string& model, const std::string& label)
{
    const auto outcome =
        weft::plugin_test::weft(with(model, {"run", dgx, "--bytes", "64KiB", "--set", "link.merge=none"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("verified    passed"), std::string::npos) << outcome.out;
    return line_of(outcome.out, label);
}

nlohmann::json traffic_with(const std::string& model, const std::vector<std::string>& more,
    const std::string& duration = "500ns")
{
    std::vector<std::string> arguments{"fabric", dgx, "--duration", duration, "--check-protocol", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = weft::plugin_test::weft(with(model, arguments));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

}  // namespace

TEST(PluginExamples, BuildAgainstTheInstalledPackage)
{
    EXPECT_EQ(built_examples().problem, "");
    const auto models = weft::plugin_test::weft(
        {"models", "switch", "--plugin", built_examples().my_switch, "--plugin", built_examples().base_router});
    EXPECT_EQ(models.code, 0) << models.err;
    for (const std::string name : {"base_router", "crossbar", "my_switch", "switch"})
        EXPECT_NE(models.out.find("\n  model " + name + " "), std::string::npos) << name;
}

TEST(PluginExamples, ACollectiveOverTheUsersSwitchIsRight) { EXPECT_NE(run_with("my_switch", "time"), ""); }

// The router adds latency and nothing else, and its outputs arbitrate as ours do; lines that wait there do not form packets.
TEST(PluginExamples, ACollectiveOverTheRouterTakesAsLongAsOverOurs)
{
    EXPECT_EQ(run_with("base_router", "time"), run_with("switch", "time"));
}

TEST(PluginExamples, TrafficOfAllKindsPassesTheChecker)
{
    for (const std::string model : {"my_switch", "base_router"}) {
        EXPECT_FALSE(traffic_with(model, {"--loads", "0.3"}).is_discarded());
        EXPECT_FALSE(
            traffic_with(model, {"--loads", "0.5", "--answered", "--reads", "0.3", "--atomics", "0.2"}).is_discarded());
    }
}

// At a load at which nobody waits, all of them take the same time: wire, latency, switch, wire.
TEST(PluginExamples, ZeroLoadLatencyIsTheSame)
{
    const auto ours = traffic_with("switch", {"--loads", "0.001"}, "1us");
    for (const std::string model : {"my_switch", "base_router"}) {
        const auto theirs = traffic_with(model, {"--loads", "0.001"}, "1us");
        EXPECT_EQ(theirs["points"][0], ours["points"][0]) << model;
    }
}

TEST(PluginExamples, AnIncastSaturatesWhereTheReceiverDoes)
{
    const auto ours = traffic_with("switch", {"--loads", "0.5", "--pattern", "incast"});
    for (const std::string model : {"my_switch", "base_router"}) {
        const auto theirs = traffic_with(model, {"--loads", "0.5", "--pattern", "incast"});
        EXPECT_NEAR(theirs["points"][0]["accepted"].get<double>(), ours["points"][0]["accepted"].get<double>(), 0.01)
            << model;
    }
}

// 64 threads at 200 ns and more carry a fifth of what the links do: that says nothing about the router.
TEST(PluginExamples, ASaturationThatAnAdapterSetsIsNotTheRouters)
{
    const std::vector<std::string> load{"fabric", dgx, "--duration", "1us", "--loads", "0.6"};
    const auto threads = weft::plugin_test::weft(with("base_router_lt", load));
    EXPECT_EQ(threads.code, 0) << threads.err;
    EXPECT_NE(threads.out.find("saturation  of an adapter, not of the model behind the adapter: "), std::string::npos)
        << threads.out;
    EXPECT_NE(threads.out.find(": all 64 threads were in blocking calls while transactions waited, "),
        std::string::npos)
        << threads.out;
    const auto phases = weft::plugin_test::weft(with("base_router", load));
    EXPECT_EQ(phases.out.find("of an adapter"), std::string::npos) << phases.out;
}

// The same with 64 threads behind which one bus passes 64 B each 200 ps, 320 of 2880 GB/s: a ninth, and the threads wait for it.
TEST(PluginExamples, ASaturationBehindAnAdapterIsTheRouters)
{
    const auto outcome = weft::plugin_test::weft({"fabric", dgx, "--duration", "2us", "--loads", "0.05", "--plugin",
        built_examples().folder + "/plugin_router_bus.so", "--model", "*.nvsw.*=base_router_lt"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("saturation  0.1111 of load 1 "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("limit       at load 1 the model behind adapter dgx.0.nvsw."), std::string::npos)
        << outcome.out;
    EXPECT_NE(outcome.out.find(" ns where none waits"), std::string::npos) << outcome.out;
}

TEST(PluginExamples, SweepTakesThePlugin)
{
    const auto outcome = weft::plugin_test::weft(
        with("my_switch", {"sweep", dgx, "--over", "bytes=16KiB,32KiB", "--over", "switch.latency=100ns,400ns"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
}

TEST(PluginExamples, ExplainListsWhatTheModelReads)
{
    const auto block_of = [](const std::string& model) {
        const auto outcome = weft::plugin_test::weft(with(model, {"explain", dgx}));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const std::size_t start = outcome.out.find("\n  switch, model " + model + "\n");
        EXPECT_NE(start, std::string::npos) << outcome.out;
        return outcome.out.substr(start, outcome.out.find("\n\n", start) - start);
    };
    const std::string mine = block_of("my_switch");
    for (const std::string path : {" switch.latency ", " my_switch.urgency ", " my_switch.pace "})
        EXPECT_NE(mine.find(path), std::string::npos) << mine;
    for (const std::string path : {" switch.arbiter ", " switch.multicast_groups ", " switch.clock "})
        EXPECT_EQ(mine.find(path), std::string::npos) << mine;
    const std::string router = block_of("base_router");
    EXPECT_NE(router.find(" switch.data_weight "), std::string::npos) << router;
    EXPECT_EQ(router.find(" switch.clock "), std::string::npos) << router;
}

TEST(PluginExamples, TheUsersLatencyCounts)
{
    const auto fast = traffic_with("my_switch", {"--loads", "0.01", "--set", "switch.latency=100ns"});
    const auto slow = traffic_with("my_switch", {"--loads", "0.01", "--set", "switch.latency=150ns"});
    EXPECT_NEAR(slow["points"][0]["latency_ns"]["mean"].get<double>() -
            fast["points"][0]["latency_ns"]["mean"].get<double>(),
        50, 0.5);
}

TEST(PluginExamples, AllInOneSweep)
{
    const std::string log = built_examples().folder + "/compare.txt";
    // Its plug-ins are those that were built before: it finds nothing left to compile.
    ASSERT_EQ(command({"env", "WEFT_PLUGIN_BUILD=" + built_examples().folder, "examples/compare_switches.sh",
                          built_examples().folder + "/prefix", dgx, "*.nvsw.*", "--loads", "0.3", "--duration", "1us"},
                  log),
        0)
        << weft::read_text_file(log);
    const std::string text = weft::read_text_file(log);
    std::size_t at = 0;
    for (const std::string model : {"switch", "crossbar", "my_switch", "base_router"}) {
        at = text.find("== " + model + " ==", at);
        ASSERT_NE(at, std::string::npos) << model;
        at = text.find("saturation", at);
        ASSERT_NE(at, std::string::npos) << model;
    }
}
