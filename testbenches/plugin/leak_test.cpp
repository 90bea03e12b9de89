// A switch of somebody else that loses credits, or writes other statistics than it declares: its results are right, so the end of
// the run says it.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/plugin/built_examples.h"
#include "testbenches/support/thorough.h"

namespace leak_test {

using namespace weft::plugin_test;

namespace {

const std::string dgx = "examples/dgx_h100/system.yaml";

weft::commands_test::Outcome with_plugin(const std::string& file, const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"run", dgx, "--plugin", file, "--model", "*.nvsw.0=my_switch"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--bytes") == more.end())
        arguments.insert(arguments.end(), {"--bytes", "64KiB"});
    return weft::plugin_test::weft(arguments);
}

weft::commands_test::Outcome with_leak(const std::string& leak, const std::vector<std::string>& more = {})
{
    return with_plugin(built_examples().folder + "/plugin_" + leak + ".so", more);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(PluginLeak, ASwitchThatKeepsCreditsIsNamed)
{
    const auto ran = with_leak("kept");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed")) << ran.out;
    EXPECT_TRUE(has(ran.out, "credits did not come back: dgx.0.nvsw.0 port ")) << ran.out;
    EXPECT_TRUE(has(ran.out, " holds or lost them")) << ran.out;
}

TEST(PluginLeak, ASwitchThatLosesTheCreditsItGetsIsNamed)
{
    const auto ran = with_leak("lost");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "dgx.0.nvsw.0 port 0 -> ")) << ran.out;
    EXPECT_TRUE(has(ran.out, " credits did not come back: dgx.0.nvsw.0 port 0 lost them")) << ran.out;
}

// With larger messages and few credits none is left. Who waits for flags polls for ever, so the run has to be ended.
TEST(PluginLeak, WhereNoCreditIsLeftTheRunEndsAndSaysSo)
{
    const std::string where = "where no packet waits: its credits were not returned";
    for (const char* leak : {"kept", "lost"}) {
        const auto ran =
            with_leak(leak, {"--bytes", "512KiB", "--set", "engine.channels=4", "--set", "link.request_credits=32"});
        EXPECT_EQ(ran.code, 3) << leak << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out, "\nDEADLOCK    at 400.")) << leak << ran.out;
        EXPECT_TRUE(has(ran.out, where)) << leak << ran.out;
    }
    // The same where packets are polled for, flags at the rank that signals, and lists of copies.
    const std::vector<std::vector<std::string>> others{{"--bytes", "1MiB", "--set", "engine.protocol=ll", "--set",
                                                           "engine.channels=2", "--set", "link.request_credits=32"},
        {"--bytes", "4MiB", "--set", "engine.flag_home=signaller"},
        {"--bytes", "1MiB", "--collective", "all_gather", "--algorithm", "direct", "--set", "engine.mover=copy_engine",
            "--set", "engine.channels=2", "--set", "link.request_credits=32"}};
    for (const auto& more : others) {
        if (!weft::test::thorough() && more[3] == "engine.flag_home=signaller") continue;
        const auto ran = with_leak("kept", more);
        EXPECT_EQ(ran.code, 3) << more.back() << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out, where)) << more.back() << ran.out;
    }
}

TEST(PluginLeak, WhereResponsesDisappearTheRunEndsAndNamesWhoWaits)
{
    const auto ran = with_leak("swallowed", {"--bytes", "256KiB", "--set", "engine.channels=2"});
    EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, " request without a response") || has(ran.out, " requests without a response")) << ran.out;
    EXPECT_TRUE(has(ran.out, "dgx.0.nvsw.0 (model my_switch): ")) << ran.out;
    EXPECT_TRUE(has(ran.out, " went out, and it says nothing of the rest")) << ran.out;
}

TEST(PluginLeak, ARunInPartsEndsAtTheSameTime)
{
    std::vector<std::string> arguments{"run", "examples/two_dgx/system.yaml", "--bytes", "1MiB", "--plugin",
        built_examples().folder + "/plugin_kept.so", "--model", "dgx.0.nvsw.0=my_switch", "--no-timing", "--json", "-"};
    const auto whole = weft::plugin_test::weft(arguments);
    arguments.insert(arguments.end(), {"--partitions", "2"});
    const auto parts = weft::plugin_test::weft(arguments);
    EXPECT_EQ(whole.code, 3) << whole.out << whole.err;
    EXPECT_TRUE(has(whole.out, "credits were not returned")) << whole.out;
    EXPECT_EQ(parts.out, whole.out);
}

// A request at the wrong accelerator, a response at the wrong one and a credit that is returned twice end the run, without a checker.
TEST(PluginLeak, WhatGoesAstrayEndsTheRunAndIsNamed)
{
    const struct {
        const char* leak;
        const char* what;
    } cases[] = {{"misrouted", "a request that is for another endpoint: "},
        {"astray", "an answer that nobody here waits for, sent twice or to the wrong place: "},
        {"returned", "more credits came back than were given, at "}};
    for (const auto& one : cases) {
        const auto ran = with_leak(one.leak);
        EXPECT_EQ(ran.code, 1) << one.leak << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out, "results are partial")) << one.leak << ran.out;
        EXPECT_TRUE(has(ran.out, one.what)) << one.leak << ran.out;
        EXPECT_TRUE(has(ran.out, "(its link leads to dgx.0.nvsw.0)")) << one.leak << ran.out;
        EXPECT_EQ(ran.err.find("internal error"), std::string::npos) << one.leak << ran.err;
    }
    for (const char* leak : {"misrouted", "astray"}) {
        const auto ran = weft::plugin_test::weft({"fabric", dgx, "--loads", "0.5", "--duration", "2us", "--answered",
            "--plugin", built_examples().folder + "/plugin_" + leak + ".so", "--model", "*.nvsw.0=my_switch"});
        EXPECT_EQ(ran.code, 1) << leak << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out + ran.err, "from endpoint ")) << leak << ran.out << ran.err;
    }
}

// A router of the base protocol hands on what it gets as it is, once, and its answers are good.
TEST(PluginLeak, ARouterThatChangesTransactionsIsNamed)
{
    const struct {
        const char* change;
        const char* what;
    } cases[] = {{"command", "has changed the command of a transaction"},
        {"length", "has changed which bytes a transaction moves"}, {"twice", "has handed on a transaction twice"},
        {"data", ": the module between has changed the data of a request"},
        {"answer", ": the module behind it has changed the data of a response"},
        {"kept", "the module behind it has answered a transaction that it has not handed on"},
        {"status", "an answer with TLM_ADDRESS_ERROR_RESPONSE: "}};
    for (const auto& one : cases) {
        // The second reads from its peers.
        const bool loads = one.change == std::string("answer");
        const auto ran = weft::plugin_test::weft({"run", dgx, "--bytes", "16KiB", "--collective",
            loads ? "all_gather" : "all_reduce", "--algorithm", loads ? "direct_get" : "ring", "--model",
            "*.nvsw.0=base_router", "--plugin", built_examples().folder + "/plugin_router_" + one.change + ".so"});
        EXPECT_EQ(ran.code, 1) << one.change << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out, one.what)) << one.change << ran.out;
    }
}

// A wait that is long and ends is none of these: a rank enters 1 ms later, where those end after 0.4.
TEST(PluginLeak, ALateRankIsWaitedFor)
{
    const auto ran = with_plugin(built_examples().my_switch, {"--delay", "3=1ms", "--bytes", "64KiB"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST(PluginLeak, ASwitchThatDoesNotWriteWhatItDeclaresIsNamed)
{
    const auto ran = with_leak("unwritten");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "switch model my_switch declares statistic paced and does not write it")) << ran.out;
}

TEST(PluginLeak, ACheckerStopsAtTheFirstCallThatBreaksTheProtocol)
{
    const auto ran = with_leak("kept", {"--check-protocol"});
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_EQ(ran.err.find("internal error"), std::string::npos) << ran.err;
    const std::size_t what = ran.out.find("\nwhat        protocol: ");
    ASSERT_NE(what, std::string::npos) << ran.out;
    const std::string line = ran.out.substr(what + 1, ran.out.find('\n', what + 1) - what - 1);
    EXPECT_TRUE(has(line, "dgx.0.nvsw.0.target")) << line;
    EXPECT_TRUE(has(line, ": gets a response before its request credit came back, at ")) << line;
    EXPECT_TRUE(has(ran.out, "\nprotocol    VIOLATED: ")) << ran.out;

    const auto good = with_plugin(built_examples().my_switch, {"--check-protocol", "--bytes", "64KiB"});
    EXPECT_EQ(good.code, 0) << good.out << good.err;
    EXPECT_TRUE(has(good.out, "\nprotocol    kept on all of ")) << good.out;
    EXPECT_TRUE(has(good.out, "verified    passed")) << good.out;
}

TEST(PluginLeak, OneThatLosesNoneEndsWell)
{
    const auto ran = with_plugin(built_examples().my_switch, {"--bytes", "64KiB"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

}  // namespace leak_test
