// How runs end before their time: --until, Ctrl-C; and what a run without any activity says.
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "platform/result/report.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace stop_test {

using namespace weft;
using namespace weft::testing;
namespace trace = weft::chakra::testing;

namespace {

RunSetup all_reduce(const std::string& bytes)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", "ring", bytes);
    return setup;
}

RunSetup two_nodes_and_one(const trace::Folder& folder)
{
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines =
        trace_lines(folder.write_set({{trace::comp(1, 5), trace::comp(2, 5).data({1})}, {trace::comp(1, 7)}}));
    return setup;
}

}  // namespace

TEST(Until, StopsAtTheTimeWithPartialResults)
{
    RunSetup setup = all_reduce("256 KiB");
    const Json whole = run(setup);
    const std::uint64_t end = whole["simulated_ps"];
    setup.options.until = end / 2;
    const Json half = run(setup);
    EXPECT_EQ(half["stop"], "until");
    EXPECT_EQ(half["exit_code"], 0);
    EXPECT_EQ(half["simulated_ps"], end / 2);
    EXPECT_EQ(half["verified"], "off");
    EXPECT_FALSE(half["collectives"][0]["finished"].get<bool>());
    EXPECT_GT(half["lines"], 0);
    EXPECT_LT(half["lines"], whole["lines"]);
    setup.options.until = end;
    EXPECT_EQ(run(setup)["stop"], "finished");
    setup.options.until = 10 * end;
    Json later = run(setup);
    EXPECT_EQ(later, whole);
}

TEST(Until, TheBeginningIsATimeToo)
{
    RunSetup setup = all_reduce("4 KiB");
    setup.options.until = 0;
    const Json result = run(setup);
    EXPECT_EQ(result["stop"], "until");
    EXPECT_EQ(result["simulated_ps"], 0);
}

TEST(Until, ARankOfATraceHasFinishedWhenAllItsNodesHave)
{
    const trace::Folder folder;
    RunSetup setup = two_nodes_and_one(folder);
    EXPECT_EQ(run(setup)["ranks"][0]["finish_ps"], 10'000'000);
    setup.options.until = 8'000'000;
    const Json ranks = run(setup)["ranks"];
    EXPECT_EQ(ranks[0]["finish_ps"], 0);
    EXPECT_EQ(ranks[1]["finish_ps"], 7'000'000);
}

TEST(Until, ARoundIsNotTheEndOfARank)
{
    RunSetup setup = all_reduce("4 KiB");
    const std::uint64_t once = run(setup)["simulated_ps"];
    setup.lines = collective_lines("all_reduce", "ring", "4 KiB", "repeat: 3");
    for (const Json& rank : run(setup)["ranks"]) EXPECT_GT(rank["finish_ps"], 2 * once);
    setup.options.until = once + once / 2;
    for (const Json& rank : run(setup)["ranks"]) EXPECT_EQ(rank["finish_ps"], 0);
}

TEST(Interrupt, EndsTheRunWithPartialResults)
{
    const Json result = Json::parse(in_timed_child(
        [] {
            RunSetup setup = all_reduce("256 MiB");
            setup.options.data_on = false;
            std::thread user([] {
                // Ctrl-C once the run listens to it.
                struct sigaction now {};
                do {
                    usleep(50'000);
                    sigaction(SIGINT, nullptr, &now);
                } while (now.sa_handler == SIG_DFL);
                usleep(200'000);
                kill(getpid(), SIGINT);
            });
            const RunResult result = run_here(setup);
            user.join();
            Json out = Json::parse(result_json(result, false));
            out["exit_code"] = result.exit_code();
            return out.dump();
        },
        60));
    EXPECT_EQ(result["stop"], "interrupted");
    EXPECT_EQ(result["exit_code"], 130);
    EXPECT_GT(result["simulated_ps"], 0);
    EXPECT_GT(result["lines"], 0);
    EXPECT_FALSE(result["collectives"][0]["finished"].get<bool>());
    EXPECT_EQ(result["verified"], "off");
}

TEST(Nothing, ToSimulateIsAResultToo)
{
    const trace::Folder folder;
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = trace_lines(folder.write_set({{trace::NodeText(1, 1)}, {trace::NodeText(1, 1)}}));
    const Json result = run(setup);
    EXPECT_EQ(result["stop"], "finished");
    EXPECT_EQ(result["simulated_ps"], 0);
    EXPECT_EQ(result["lines"], 0);
}

TEST(Nothing, OneRankAloneOrNoBytes)
{
    for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "barrier"})
        for (const char* more : {"ranks: 1", "ranks: 2"}) {
            RunSetup setup;
            setup.document = star_document(2);
            setup.lines = collective_lines(op, "direct", "0", more);
            EXPECT_EQ(run(setup).value("stop", ""), "finished") << op << " " << more;
        }
}

}  // namespace stop_test
