// How runs end before their time: --until, Ctrl-C; and what a run without any activity says.
#include <cmath>
#include <csignal>
#include <map>
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

// Two GPUs with a workgroup each: behind the stores of the first there is only the latency of the link, 10 us, and that again.
RunSetup far_broadcast(std::uint64_t until)
{
    RunSetup setup;
    setup.document = mesh_document(2);
    setup.lines = "profile: h100\n" + collective_lines("broadcast", "tree", "4 KiB");
    setup.sets = {"link.latency=10us", "engine.channels=1"};
    setup.options.until = until;
    return setup;
}

std::uint64_t sum_of(const Json& causes)
{
    std::uint64_t out = 0;
    for (const auto& [cause, time] : causes.items()) out += time.get<std::uint64_t>();
    return out;
}

// By process: what its slices that are cut off are called, and where all of those end.
std::map<std::uint64_t, std::string> cut_off(const RunSetup& setup, std::uint64_t end)
{
    RunSetup followed = setup;
    followed.options.follow = true;
    const Json timeline = Json::parse(in_timed_child([&] { return run_here(followed).timeline; }, 60));
    std::map<std::uint64_t, std::string> out;
    for (const Json& event : timeline["traceEvents"]) {
        if (event["ph"] != "X") continue;
        const auto until = std::llround((event["ts"].get<double>() + event["dur"].get<double>()) * 1e6);
        EXPECT_LE(until, static_cast<long long>(end)) << event;
        if (!event["args"].contains("unfinished")) continue;
        EXPECT_EQ(until, static_cast<long long>(end)) << event;
        out[event["pid"].get<std::uint64_t>()] += event["name"].get<std::string>() + ";";
    }
    return out;
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

// What is under way counts up to the end, by its cause: nothing changes for rank 0 between these two times.
TEST(Until, WhatWorkgroupsWaitForCountsUpToTheEnd)
{
    const Json early = run(far_broadcast(12'000'000))["ranks"];
    const Json late = run(far_broadcast(19'000'000))["ranks"];
    Json expected = early[0]["stall_ps"];
    expected["acknowledge"] = expected["acknowledge"].get<std::uint64_t>() + 7'000'000;
    EXPECT_EQ(late[0]["stall_ps"], expected);
    EXPECT_EQ(sum_of(late[0]["stall_ps"]), 19'000'000) << late;
    // Rank 1 looks at its flag again and again, in issue slots of its unit.
    const Json& waiting = late[1]["stall_ps"];
    EXPECT_EQ(waiting["flag"].get<std::uint64_t>() + waiting["busy"].get<std::uint64_t>(), 19'000'000) << late;
    EXPECT_LT(waiting["busy"], 100'000);
    EXPECT_EQ(cut_off(far_broadcast(19'000'000), 19'000'000),
        (std::map<std::uint64_t, std::string>{{1, "signal 1;"}, {2, "wait 0;"}}));
}

TEST(Until, SoDoListsOfCopyEngines)
{
    RunSetup setup = far_broadcast(12'000'000).with("engine.mover=copy_engine");
    const Json early = run(setup)["ranks"];
    setup.options.until = 19'000'000;
    const Json late = run(setup)["ranks"];
    Json expected = early[0]["stall_ps"];
    expected["acknowledge"] = expected["acknowledge"].get<std::uint64_t>() + 7'000'000;
    EXPECT_EQ(sum_of(early[0]["stall_ps"]), 12'000'000) << early;
    EXPECT_EQ(late[0]["stall_ps"], expected);
    EXPECT_EQ(sum_of(late[1]["stall_ps"]), 19'000'000) << late;
    EXPECT_EQ(cut_off(setup, 19'000'000), (std::map<std::uint64_t, std::string>{{1, "signal 1;"}, {2, "wait 0;"}}));
}

// One unit with a place for one workgroup: the other has been queued all the time.
TEST(Until, SoDoWorkgroupsInTheQueue)
{
    RunSetup setup = far_broadcast(19'000'000);
    setup.sets.back() = "engine.channels=2";
    const Json whole = run(setup)["ranks"];
    EXPECT_EQ(whole[0]["stall_ps"]["queued"], 0);
    for (const char* set : {"gpu.compute_units=1", "gpu.workgroups_per_unit=1"}) setup.sets.emplace_back(set);
    for (const Json& rank : Json(run(setup)["ranks"])) {
        EXPECT_EQ(rank["stall_ps"]["queued"], 19'000'000 / 2) << rank;
        EXPECT_NEAR(static_cast<double>(sum_of(rank["stall_ps"])), 19e6, 9) << rank;  // rounded down by cause
    }
    for (const char* set : {"copy.engines=1", "copy.queues=1", "engine.mover=copy_engine"})
        setup.sets.emplace_back(set);
    for (const Json& rank : Json(run(setup)["ranks"])) EXPECT_EQ(rank["stall_ps"]["queued"], 19'000'000 / 2) << rank;
}

// The kernels beside have a track of their own, and their workgroups count in the statistics.
TEST(Until, SoDoKernelsBeside)
{
    // A link that is not so far, since the kernels are simulated for all of that time.
    constexpr std::uint64_t end = 2'400'000;
    RunSetup setup = far_broadcast(end);
    setup.lines = "profile: h100\n" + collective_lines("broadcast", "tree", "4 KiB", "beside: \"gemm:1024,1024,1024\"");
    setup.sets[0] = "link.latency=2us";
    const std::map<std::uint64_t, std::string> slices = cut_off(setup, end);
    EXPECT_EQ(slices.at(1), "signal 1;kernel;");
    EXPECT_EQ(slices.at(2), "wait 0;kernel;");
    // Each of the 64 workgroups of a kernel, and that of the collective, has been there all the time: no kernel has ended.
    const Json result = run(setup);
    EXPECT_EQ(result["beside"]["finished"], 0);
    for (const Json& module : result["modules"]) {
        if (module["kind"] != "gpu") continue;
        std::uint64_t sum = 0;
        for (const auto& [name, value] : module["stats"].items())
            if (name.rfind("time_", 0) == 0) sum += value["value"].get<std::uint64_t>();
        EXPECT_EQ(sum, (64 + 1) * end) << module;
    }
}

// Nodes of a trace have slices up to the end.
TEST(Until, ATraceIsCutOffInItsNodes)
{
    const trace::Folder folder;
    RunSetup setup = two_nodes_and_one(folder);
    setup.options.until = 8'000'000;
    EXPECT_EQ(cut_off(setup, 8'000'000), (std::map<std::uint64_t, std::string>{{1, "c;"}}));
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
    for (const Json& rank : Json(run(setup)["ranks"])) EXPECT_GT(rank["finish_ps"], 2 * once);
    setup.options.until = once + once / 2;
    for (const Json& rank : Json(run(setup)["ranks"])) EXPECT_EQ(rank["finish_ps"], 0);
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

// Of two ranks one has no bytes, but in a broadcast and an all-to-all.
TEST(Nothing, OneRankAloneOrNoBytes)
{
    for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "barrier"})
        for (const char* more : {"ranks: 1", "ranks: 2"}) {
            RunSetup setup;
            setup.document = star_document(2);
            setup.lines = collective_lines(op, "direct", "4", more);
            EXPECT_EQ(run(setup).value("stop", ""), "finished") << op << " " << more;
        }
}

}  // namespace stop_test
