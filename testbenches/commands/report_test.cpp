// The report of results that no healthy run gives.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/result/disagreement.h"
#include "platform/result/report.h"

namespace report_test {

using namespace weft;
using nlohmann::json;

namespace {

RunResult result_of(std::uint32_t ranks)
{
    RunResult result;
    result.system = "made_up";
    result.endpoints = ranks;
    result.nodes = ranks + 1;
    result.switches = 1;
    result.links = ranks;
    result.simulated_ps = 10'000'000;
    result.wall_s = 1.5;
    result.elaborate_s = 0.25;
    result.lines = 1000;
    result.line_hops = 12'345'678;
    result.collectives = {{"all_reduce", "ring", "all_reduce", ranks, 1 << 20, true, 0, 10'000'000, 104.8576, 183.5}};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::string node = "box.0.xpu." + std::to_string(rank);
        result.ranks.push_back({rank, node, 10'000'000, {{"busy", 1'000'000}, {"flag", 9'000'000}, {"issue", 0}}});
        result.link_results.push_back(
            {"box.0.sw.0~" + node, node, "box.0.sw.0", 100, 10, 1000, 640, 0, 0, 5'000'000, 3, 0, {}});
    }
    return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

// Modules that hold lines are not hidden behind ranks that wait for them.
TEST(Report, OfManyWhoWaitHalfAreModules)
{
    RunResult result;
    result.stop = StopReason::deadlock;
    for (int i = 0; i < 20; ++i) result.blocked.push_back("rank " + std::to_string(i));
    for (int i = 0; i < 10; ++i) result.blocked.push_back("module " + std::to_string(i));
    result.blocked_modules = 10;
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "waiting     rank 0\n")) << text;
    EXPECT_TRUE(contains(text, " rank 7\n            and 12 more (--json lists all)\n            module 0\n")) << text;
    EXPECT_TRUE(contains(text, " module 7\n            and 2 more (--json lists all)\n")) << text;
    result.blocked.erase(result.blocked.begin() + 3, result.blocked.begin() + 20);
    EXPECT_TRUE(contains(result_summary(result), " rank 2\n            module 0\n")) << result_summary(result);
    EXPECT_TRUE(contains(result_summary(result), " module 9\n")) << result_summary(result);
}

TEST(Report, GroupsWhatIsAlike)
{
    RunResult result = result_of(8);
    result.ranks[3].stall_ps = {{"busy", 5'000'000}, {"flag", 5'000'000}, {"issue", 0}};
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "\n                     busy   flag\n")) << text;
    EXPECT_TRUE(contains(text, "\n  ranks [0-2,4-7]    10 %   90 %\n")) << text;
    EXPECT_TRUE(contains(text, "\n  rank 3             50 %   50 %\n")) << text;
    EXPECT_FALSE(contains(text, "issue")) << text;
    EXPECT_TRUE(contains(text, "\n  box.0.xpu.[0-7] -> box.0.sw.0 ")) << text;
    EXPECT_TRUE(contains(text, " 50 % ")) << text;
}

// As the JSON and the HTML page have them: of a rank that begins late the rest is missing. A row of several ranks is their mean.
TEST(Report, SharesOfRanksAreOfTheSimulatedTime)
{
    RunResult result = result_of(4);
    for (std::uint64_t rank = 0; rank < 3; ++rank)
        result.ranks[rank].stall_ps = {{"busy", 1'000'000 + rank * 100'000}, {"flag", 8'000'000}};
    result.ranks[3].stall_ps = {{"busy", 1'000'000}, {"flag", 1'500'000}};
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "causes of waiting, in per cent of the simulated time, mean of the workgroups\n"))
        << text;
    EXPECT_TRUE(contains(text, "\n  ranks [0-2]        11 %   80 %\n")) << text;
    EXPECT_TRUE(contains(text, "\n  rank 3             10 %   15 %\n")) << text;
}

TEST(Report, FitsAPage)
{
    RunResult result = result_of(64);
    for (std::size_t i = 0; i < result.link_results.size(); ++i) result.link_results[i].busy_ps = 100'000 * i;
    for (std::size_t i = 0; i < result.ranks.size(); ++i)
        result.ranks[i].stall_ps = {{"busy", i * 100}, {"lines_in_flight", 6400 - i * 100}};
    for (int i = 0; i < 100; ++i) result.collectives.push_back(result.collectives.front());
    const std::string text = result_summary(result);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50) << text;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = text.find('\n', start);
        EXPECT_LE(end - start, 100u) << text.substr(start, end - start);
        start = end + 1;
    }
    EXPECT_TRUE(contains(text, "and 91 more (--json lists all)")) << text;
}

TEST(Report, CountsMessagesOfCardsAndThoseOfALineAlone)
{
    RunResult result = result_of(2);
    EXPECT_FALSE(contains(result_summary(result), "\ncards "));
    for (const char* const name : {"server.0.nic", "server.1.nic"})
        result.modules.push_back({name, "nic", "nic",
            {{"messages", 30, "", ""}, {"single_messages", 10, "", ""}, {"message_lines", 450, "lines", ""}}, {}});
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text,
        "\ncards       60 messages with 900 transactions by network cards; 20 of them have a single transaction (a "
        "signal, a poll or a word), which costs a whole message\n"))
        << text;
}

TEST(Report, SaysThatAResultIsWrong)
{
    RunResult result = result_of(2);
    result.verified = "failed";
    result.mismatches = {"all_reduce: rank 1 byte 64 is 3, not 4"};
    EXPECT_EQ(result.exit_code(), 1);
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "\nverified    FAILED: results in memory are wrong\n")) << text;
    EXPECT_TRUE(contains(text, "rank 1 byte 64 is 3, not 4")) << text;
    const json out = json::parse(result_json(result));
    EXPECT_EQ(out["verified"], "failed");
    EXPECT_EQ(out["mismatches"][0], result.mismatches[0]);
}

TEST(Report, NamesWhoWaitsForWhat)
{
    RunResult result = result_of(2);
    result.stop = StopReason::deadlock;
    result.collectives[0].finished = false;
    for (int i = 0; i < 40; ++i) result.blocked.push_back("rank " + std::to_string(i) + " waits");
    EXPECT_EQ(result.exit_code(), 3);
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "\nwaiting     rank 0 waits\n            rank 1 waits\n")) << text;
    EXPECT_TRUE(contains(text, "and 24 more (--json lists all)")) << text;
    EXPECT_TRUE(contains(text, "not finished")) << text;
    const json out = json::parse(result_json(result));
    EXPECT_EQ(out["stop"], "deadlock");
    EXPECT_EQ(out["blocked"].size(), 40u);
}

TEST(Report, PutsTheFormulaBesideTheSimulation)
{
    RunResult result = result_of(8);
    result.theory = AlphaBeta{14, 500'000, 1'800'000, 450'000'000'000, 11'000'000, "load 1 ns"};
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "\nalpha-beta  11 us = 14 steps x 500 ns + 1.8 MB at 450 GB/s; simulated -9.1 %\n"))
        << text;
    EXPECT_TRUE(contains(text, "alpha: load 1 ns\n")) << text;
    result.theory->time_ps = 12'000'000;
    EXPECT_TRUE(contains(result_summary(result), "= 1 us to launch + 14 steps"));
}

TEST(Report, SaysWhyFiguresAreThreeTimesApart)
{
    RunResult result = result_of(2);
    auto price = std::make_shared<SchedulePrice>();
    price->chosen_by = "auto";
    price->estimate_ps = 3'400'000;
    price->terms = {{"latency", 400'000}, {"flags", 3'000'000}};
    result.collectives[0].price = price;
    result.theory = AlphaBeta{1, 1'000'000, 0, 1, 3'400'000, ""};
    EXPECT_TRUE(disagreements(result).empty());  // 2.94 times
    price->estimate_ps = 1'000'000;
    result.theory->time_ps = 40'000'000;
    const std::vector<std::string> apart = disagreements(result);
    ASSERT_EQ(apart.size(), 3u);
    EXPECT_EQ(apart[0],
        "alpha-beta (40 us) is 4.0 times the simulated time (10 us): alpha-beta adds up steps and bytes that overlap");
    EXPECT_EQ(apart[1],
        "the simulated time (10 us) is 10 times the estimate (1 us): the estimate has no back pressure and no "
        "contention between compute units; the time of ranks is 90 % flag, 10 % busy");
    EXPECT_EQ(apart[2],
        "alpha-beta (40 us) is 40 times the estimate (1 us): alpha-beta adds up steps and bytes that overlap; the "
        "estimate "
        "is 88 % flags, 12 % latency");
    EXPECT_TRUE(contains(result_summary(result), "\napart       alpha-beta (40 us) is 4.0 times"))
        << result_summary(result);
    EXPECT_EQ(json::parse(result_json(result))["disagreements"].size(), 3u);
    result.stop = StopReason::until;
    EXPECT_TRUE(disagreements(result).empty());
}

TEST(Report, NamesWhatWasChosen)
{
    RunResult result = result_of(2);
    auto price = std::make_shared<SchedulePrice>();
    price->chosen_by = "auto";
    price->estimate_ps = 8'000'000;
    price->terms = {{"launch", 0}, {"latency", 3'000'000}, {"flags", 5'000'000}};
    result.collectives[0].price = price;
    result.choice =
        ChoiceResult{"auto", {{"ring", 8'000'000, "2 steps", {{"latency", 3'000'000}, {"flags", 5'000'000}}}}, {}};
    const std::string text = result_summary(result);
    EXPECT_TRUE(contains(text, "\nran         all_reduce, ring (chosen by auto), ")) << text;
    EXPECT_TRUE(
        contains(text, "\nauto        chose ring, estimated 8 us = latency 3 us + flags 5 us; simulated +25.0 %\n"))
        << text;
    const json run = json::parse(result_json(result))["collectives"][0];
    EXPECT_EQ(run["chosen_by"], "auto");
    EXPECT_EQ(run["estimate_ps"], 8'000'000);
    EXPECT_EQ(run["terms"][2], (json{{"name", "flags"}, {"ps", 5'000'000}}));
    result.collectives[0].price = nullptr;
    EXPECT_TRUE(json::parse(result_json(result))["collectives"][0]["chosen_by"].is_null());
}

TEST(Report, WritesNumbersThatJsonKnows)
{
    RunResult result = result_of(2);
    result.modules = {{"box.0.xpu.0.l2", "l2", "gpu",
        {{"hits", 3, "lines", ""}, {"rate", 0.5, "", ""}, {"ratio", 0.0 / (result.wall_s - 1.5), "", ""}}, {}}};
    static const ParameterInfo rate{"bandwidth", Unit::rate, 1, 100, "", {}};
    static const ParameterInfo choice{"path_selection", Unit::choice, 0, 1, "", {"lines", "pairs"}};
    result.parameters = {{"a.link.bandwidth", &rate, 7, false, "unknown"},
        {"routing.path_selection", &choice, 1, true, "--set"}, {"b.link.bandwidth", &rate, 7, true, "f.yaml:3"}};
    const json out = json::parse(result_json(result));
    EXPECT_EQ(out["modules"][0]["stats"]["hits"].dump(), R"({"unit":"lines","value":3})");
    EXPECT_EQ(out["modules"][0]["stats"]["rate"]["value"], 0.5);
    EXPECT_TRUE(out["modules"][0]["stats"]["ratio"]["value"].is_null());
    EXPECT_TRUE(out["parameters"]["a.link.bandwidth"]["value"].is_null());
    EXPECT_EQ(out["parameters"]["routing.path_selection"]["value"], "pairs");
    EXPECT_EQ(out["parameters"]["b.link.bandwidth"].dump(), R"({"source":"f.yaml:3","unit":"B/s","value":7})");
}

TEST(Report, HidesTheClockOnRequest)
{
    const RunResult result = result_of(2);
    EXPECT_EQ(json::parse(result_json(result))["wall_s"], 1.5);
    const json quiet = json::parse(result_json(result, false));
    EXPECT_EQ(quiet["wall_s"], 0);
    EXPECT_EQ(quiet["elaborate_s"], 0);
}

}  // namespace report_test
