// weft run --fidelity mixed at the command line.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace mixed_command_test {

using namespace weft::commands_test;

namespace {

Outcome with(const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"run", std::string(WEFT_SOURCE_DIR) + "/examples/two_hosts/system.yaml",
        "--bytes", "16KiB"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments);
}

void refused(const std::vector<std::string>& more, const std::string& text)
{
    const Outcome outcome = with(more);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

}  // namespace

TEST(MixedCommand, TheSummarySaysWhatIsAtLines)
{
    const Outcome run = with({"--fidelity", "mixed", "--lines", "host.1"});
    EXPECT_EQ(run.code, 0) << run.err;
    for (const char* text : {"verified    passed: symbolic; no data move", "at lines, ", " messages of flow",
             "line by line: 2 of 4 ranks: 2 3; the rest as flow"})
        EXPECT_NE(run.out.find(text), std::string::npos) << text << " is not in\n" << run.out;
}

// 2 KiB for each rank in 32 channels are no more than the registers of one wavefront.
TEST(MixedCommand, MovesAreThoseOfAChannel)
{
    const Outcome run =
        call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/system.yaml", "--bytes", "16KiB", "--fidelity",
            "mixed", "--lines", "dgx.0.xpu.0", "--set", "engine.wavefronts=1", "--set", "engine.unroll=1"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out.find("moves of a thread wait for another rank"), std::string::npos) << run.out;
}

// Nobody counts the causes of ranks at flow; those of the part at lines are in the summary.
TEST(MixedCommand, CausesOfRanksAtFlowAreNotKnown)
{
    const Fixtures files;
    const Outcome run = with({"--fidelity", "mixed", "--lines", "host.1", "--json", files.path("m.json")});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("causes of waiting"), std::string::npos) << run.out;
    const auto ranks = nlohmann::json::parse(files.read("m.json"))["ranks"];
    ASSERT_EQ(ranks.size(), 4u);
    for (const int rank : {0, 1}) EXPECT_EQ(ranks[rank]["stall_ps"], nlohmann::json::object());
    for (const int rank : {2, 3}) EXPECT_GT(ranks[rank]["stall_ps"]["busy"], 0);
}

TEST(MixedCommand, ASeriesOfAPartOfTheLinksIsSaid)
{
    const Outcome run = with({"--fidelity", "mixed", "--lines", "host.1", "--series", "/dev/null"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("the series has the links that are simulated by transactions, and none of the rest"),
        std::string::npos)
        << run.out;
}

// Of the part that is flow: a link of the other part has its credits.
TEST(MixedCommand, WhatTheFlowPartDoesNotFollowIsSaid)
{
    const auto said = [](const std::string& set) {
        const Outcome run = with({"--fidelity", "mixed", "--lines", "host.1", "--set", set});
        EXPECT_EQ(run.code, 0) << run.err;
        return run.out.find("of what is simulated as flow: flow fidelity does not follow") != std::string::npos;
    };
    EXPECT_TRUE(said("link.request_credits=64"));
    EXPECT_TRUE(said("host.0.xpu.0.gpu.barrier_latency=2us"));
    EXPECT_FALSE(said("host.1.xpu.0.gpu.barrier_latency=2us"));
    EXPECT_FALSE(said("link.latency=500ns"));
}

TEST(MixedCommand, ASweepGoesOverFidelities)
{
    const Outcome sweep = call({"sweep", std::string(WEFT_SOURCE_DIR) + "/examples/two_hosts/system.yaml", "--bytes",
        "16KiB", "--no-data", "--over", "fidelity=line,flow,mixed:host.0", "--csv", "-"});
    EXPECT_EQ(sweep.code, 0) << sweep.err;
    EXPECT_NE(sweep.out.find("mixed:host.0,"), std::string::npos) << sweep.out;
}

TEST(MixedCommand, OptionsThatDoNotFitAreRefused)
{
    refused({"--fidelity", "mixed"},
        "--fidelity mixed does not say what is simulated by transactions; expected --lines");
    refused({"--fidelity", "mixed:host.1", "--lines", "host.0"}, "both '--fidelity mixed:host.1' and --lines");
    refused({"--lines", "host.0"}, "--lines without --fidelity mixed");
    refused({"--fidelity", "flow", "--lines", "host.0"}, "--lines without --fidelity mixed");
    refused({"--fidelity", "lines"}, "expected line, flow or mixed");
    refused({"--fidelity", "mixed", "--lines", "host.0", "--html", "x.html"},
        "weft: mixed fidelity has no --critical-path");
    refused({"--fidelity", "mixed", "--lines", "host.0", "--grain", "256B"},
        "mixed fidelity has no engine.grain above 64 B");
    refused({"--fidelity", "mixed", "--lines", "host.0", "--beside", "gemm:64,64,64"},
        "mixed fidelity has no background kernel");
    refused({"--fidelity", "mixed", "--lines", "host.0", "--uncalibrated"}, "--fidelity flow");
    refused({"--fidelity", "mixed", "--lines", "host.0,"}, "nothing of two_hosts is called ''");
}

}  // namespace mixed_command_test
