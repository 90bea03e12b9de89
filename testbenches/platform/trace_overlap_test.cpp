// Several nodes of a trace at once: which collectives come first, what they share, and where the time of a rank goes.
#include <numeric>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace trace_overlap_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr int all_reduce = 0;
constexpr int all_gather = 2;
constexpr std::uint64_t us = 1'000'000;

using Ranks = std::vector<std::vector<std::string>>;
using Sets = std::vector<std::string>;

Json run_trace(const Ranks& ranks, const Sets& sets = {}, const std::string& groups = "")
{
    const Folder folder;
    RunSetup setup;
    setup.document = mesh_document(4);
    const std::string more = groups.empty() ? "" : "groups: \"" + folder.write("groups.json", groups) + "\"";
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks), more);
    setup.sets = {"gpu.wait_policy=waiting_atomic", "engine.channels=4"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return run(setup);
}

Json finished(const Ranks& ranks, const Sets& sets = {}, const std::string& groups = "")
{
    Json result = run_trace(ranks, sets, groups);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
    EXPECT_NE(result.value("verified", ""), "failed");
    // Whatever ran: the breakdown of every rank adds up.
    for (const Json& rank : result["ranks"]) {
        std::uint64_t sum = 0;
        for (const auto& entry : rank["breakdown_ps"]) sum += entry.get<std::uint64_t>();
        EXPECT_EQ(sum, result["simulated_ps"]) << rank.dump();
    }
    return result;
}

std::uint64_t time_of(const Ranks& ranks, const Sets& sets = {}, const std::string& groups = "")
{
    return finished(ranks, sets, groups).value("simulated_ps", std::uint64_t{0});
}

NodeText prior(std::uint64_t id, int priority, std::int64_t bytes)
{
    return collective(id, all_reduce, bytes).integer("comm_priority", priority);
}

// The sizes of the collectives in the order in which they ran; each must start when the one before has ended everywhere.
std::string order_of(const Json& result)
{
    std::string text;
    std::uint64_t before = 0;
    for (const Json& one : result["collectives"]) {
        EXPECT_EQ(one["start_ps"], before) << result["collectives"].dump();
        before = one["end_ps"];
        text += std::to_string(one["bytes"].get<int>() / 4096) + " ";
    }
    return text;
}

std::uint64_t spent(const Json& result, unsigned rank, const std::string& activity)
{
    return result["ranks"][rank]["breakdown_ps"][activity];
}

NodeText work(std::uint64_t id, std::int64_t operations, std::int64_t bytes)
{
    return NodeText(id, 4, "w").integer("num_ops", operations).integer("tensor_size", bytes);
}

}  // namespace

TEST(TraceOrder, ThreeCollectivesOfDifferentPriority)
{
    const Ranks ranks(4, {prior(1, 1, 4096), prior(2, 9, 8192), prior(3, 5, 12288)});
    EXPECT_EQ(order_of(finished(ranks, {"engine.collective_order=priority"})), "2 3 1 ");
    EXPECT_EQ(order_of(finished(ranks, {"engine.collective_order=lifo"})), "3 2 1 ");
    const Json fifo = finished(ranks);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(fifo["collectives"][i]["bytes"], 4096 * (i + 1));
}

TEST(TraceOrder, EqualPrioritiesAreServedAsTheyCame)
{
    const Ranks ranks(4, {prior(1, 2, 4096), prior(2, 2, 8192), prior(3, 3, 12288), prior(4, 2, 16384)});
    EXPECT_EQ(order_of(finished(ranks, {"engine.collective_order=priority"})), "3 1 2 4 ");
}

TEST(TraceOrder, MembersMustAgreeOnPrioritiesWhereTheyCount)
{
    const Ranks ranks = {{prior(1, 3, 4096)}, {prior(1, 0, 4096)}};
    for (const char* order : {"fifo", "lifo"})
        EXPECT_EQ(order_of(finished(ranks, {std::string("engine.collective_order=") + order})), "1 ");
    const Json refused = run_trace(ranks, {"engine.collective_order=priority"});
    EXPECT_NE(refused.value("refused", "").find(".1.et:2: node 1 (x): comm_priority of collective 1 of group 0 is 0"),
        std::string::npos)
        << refused.dump().substr(0, 300);
}

TEST(TraceOrder, WhatHasStartedIsNotInterrupted)
{
    // The urgent one becomes free while the first runs.
    const Ranks ranks(4, {prior(1, 0, 4096), prior(2, 0, 8192), comp(3, 1), prior(4, 9, 12288).data({3})});
    const Json result = finished(ranks, {"engine.collective_order=priority"});
    ASSERT_GT(result["collectives"][0]["end_ps"], 1 * us);
    EXPECT_EQ(order_of(result), "1 3 2 ");
}

// Rank 0 comes first to the group of 0 and 1, rank 1 to that of 1 and 2, rank 2 to that of 0 and 2.
TEST(TraceOrder, RanksThatComeCrosswiseDoNotBlockEachOther)
{
    const std::string groups = R"({"1": [0, 1], "2": [1, 2], "3": [0, 2]})";
    const auto visit = [](std::uint64_t id, const char* group) { return collective(id, all_reduce, 4096, group); };
    const Ranks ranks = {{visit(1, "1"), visit(2, "3")}, {visit(1, "2"), visit(2, "1")},
        {visit(1, "3"), visit(2, "2")}};
    for (const char* policy : {"spin", "waiting_atomic"}) {
        const Json fifo = finished(ranks, {"gpu.wait_policy=" + std::string(policy)}, groups);
        EXPECT_NE(fifo["notices"].dump().find("waited for each other's collectives in a cycle"), std::string::npos)
            << fifo["notices"].dump();
        for (const char* order : {"lifo", "priority"}) {
            const Json agreed = finished(ranks,
                {"engine.collective_order=" + std::string(order), "gpu.wait_policy=" + std::string(policy)}, groups);
            EXPECT_EQ(agreed["notices"].dump().find("waited for each other's collectives in a cycle"),
                std::string::npos);
            EXPECT_EQ(agreed["collectives"].size(), 3u);
        }
    }
    // With room for both there is nothing to wait for.
    const Json wide = finished(ranks, {"engine.communication_in_flight=2"}, groups);
    EXPECT_EQ(wide["notices"].dump().find("waited for each other's collectives in a cycle"), std::string::npos);
}

TEST(TraceOrder, MembersThatComeInAnotherOrderAgree)
{
    // On rank 1 the second collective is free while the first still waits for the compute node.
    const Ranks ranks = {{collective(1, all_reduce, 4096), collective(2, all_gather, 1024)},
        {comp(1, 100), collective(2, all_reduce, 4096).data({1}), collective(3, all_gather, 1024)}};
    const Json result = finished(ranks, {"engine.collective_order=priority"});
    EXPECT_EQ(result["collectives"][0]["op"], "all_gather");
    EXPECT_EQ(result["collectives"][1]["start_ps"], 100 * us);
}

// The last one goes first; it is still the second of its tag.
TEST(TraceOrder, SendsAreMatchedInTheOrderOfIssue)
{
    const Ranks ranks = {{send(1, 1, 5, 64), send(2, 1, 5, 4096)}, {recv(1, 0, 5, 64), recv(2, 0, 5, 4096)}};
    for (const char* order : {"fifo", "lifo", "priority"})
        EXPECT_GT(time_of(ranks, {std::string("engine.collective_order=") + order}), 0u) << order;
}

TEST(TraceOrder, AMemberThatNeverComesIsNamed)
{
    const Json result =
        run_trace({{collective(1, all_reduce, 4096), send(2, 2, 5, 64).data({1})}, {collective(1, all_reduce, 4096)},
                      {recv(1, 0, 5, 64), collective(2, all_reduce, 4096).data({1})}},
            {"engine.collective_order=lifo"});
    EXPECT_EQ(result.value("stop", ""), "deadlock");
    EXPECT_NE(result["blocked"].dump().find(
                  "ALL_REDUCE of 4096 bytes, priority 0, in group 0: rank 2 did not reach it; ranks 0 1 wait for it"),
        std::string::npos)
        << result["blocked"].dump();
}

TEST(TraceInFlight, CollectivesOfDisjointGroupsOverlapFully)
{
    const std::string groups = R"({"1": [0, 1], "2": [2, 3]})";
    Ranks ranks;
    for (int rank = 0; rank < 4; ++rank) ranks.push_back({collective(1, all_reduce, 1 << 20, rank < 2 ? "1" : "2")});
    Ranks one = {ranks[0], ranks[1], {comp(1, 0)}, {comp(1, 0)}};
    EXPECT_EQ(time_of(ranks, {}, groups), time_of(one, {}, groups));
}

TEST(TraceInFlight, CollectivesOfOneGroupShareItsLinks)
{
    const Ranks one(2, {collective(1, all_reduce, 1 << 20)});
    const Ranks two(2, {collective(1, all_reduce, 1 << 20), collective(2, all_reduce, 1 << 20)});
    const Json alone = finished(one);
    const auto wire = alone["links"][0]["busy_ps"].get<std::uint64_t>();
    const auto time = alone["simulated_ps"].get<std::uint64_t>();
    const Json both = finished(two, {"engine.communication_in_flight=2"});
    const std::uint64_t serial = time_of(two);
    // The wire carries twice as much and is hardly ever idle; what one has to wait for, the other uses.
    EXPECT_NEAR(both["links"][0]["busy_ps"].get<double>() / (2.0 * static_cast<double>(wire)), 1, 0.001);
    EXPECT_GT(both["simulated_ps"], 2 * wire);
    EXPECT_LT(both["simulated_ps"], 2 * wire + (time - wire) * 3 / 2);
    EXPECT_LT(both["simulated_ps"], serial);
    EXPECT_GT(serial, 2 * wire + (time - wire) * 3 / 2);
}

TEST(TraceInFlight, ChannelsAreSharedOutIfAskedFor)
{
    // Every channel has signals of its own.
    const auto signals = [](const Sets& sets) {
        const Ranks two(2, {collective(1, all_reduce, 1 << 16), collective(2, all_reduce, 1 << 16)});
        Sets all = sets;
        all.push_back("engine.communication_in_flight=2");
        const Json result = finished(two, all);
        for (const Json& module : result["modules"])
            if (module["kind"] == "gpu") return module["stats"]["signals"]["value"].get<int>();
        return 0;
    };
    EXPECT_EQ(signals({}), 2 * 4 * 2);
    EXPECT_EQ(signals({"engine.channel_share=split"}), 2 * 2 * 2);
    EXPECT_EQ(signals({"engine.channel_bytes=1 MiB"}), 2 * 1 * 2);
}

TEST(TraceBreakdown, OfAHandMadeTrace)
{
    // Rank 1 comes 6 us early to a collective that takes `t` from then on when both are there.
    const Json result = finished({{comp(1, 10), collective(2, all_reduce, 4096).data({1}), comp(3, 2).data({2})},
        {comp(1, 4), collective(2, all_reduce, 4096).data({1}), comp(3, 1).data({2}),
            comp(4, 5).flag("is_cpu_op", true)}});
    const auto end = result["simulated_ps"].get<std::uint64_t>();
    for (const unsigned rank : {0u, 1u}) {
        const auto finish = result["ranks"][rank]["finish_ps"].get<std::uint64_t>();
        EXPECT_EQ(spent(result, rank, "compute"), (rank == 0 ? 12 : 5) * us);
        EXPECT_EQ(spent(result, rank, "communication"), finish - (rank == 0 ? 12 : 11) * us);
        EXPECT_EQ(spent(result, rank, "cpu"), (rank == 0 ? 0 : 1) * us);  // what compute does not hide
        EXPECT_EQ(spent(result, rank, "waiting"), (rank == 0 ? 0 : 5) * us);
        EXPECT_EQ(spent(result, rank, "overlap"), 0u);
        EXPECT_EQ(spent(result, rank, "idle"), 0u);
        EXPECT_EQ(spent(result, rank, "done"), end - finish);
    }
}

TEST(TraceBreakdown, OfOverlapAndAPipeline)
{
    // Rank 0 sends behind its compute node and computes on; rank 1 has nothing else to do until the message is there.
    const Json result = finished({{comp(1, 10), send(2, 1, 5, 1 << 16).data({1}), comp(3, 100).data({1})},
        {recv(1, 0, 5, 1 << 16), comp(2, 7).data({1})}});
    const auto finish = result["ranks"][1]["finish_ps"].get<std::uint64_t>();
    EXPECT_EQ(spent(result, 0, "compute") + spent(result, 0, "overlap"), 110 * us);
    EXPECT_EQ(spent(result, 0, "communication"), 0u);
    EXPECT_GT(spent(result, 0, "overlap"), (1 << 16) * us / 25'000);  // 25 GB/s
    EXPECT_EQ(spent(result, 1, "waiting"), 10 * us);
    EXPECT_EQ(spent(result, 1, "communication"), finish - 17 * us);
    EXPECT_EQ(spent(result, 1, "compute"), 7 * us);
    EXPECT_EQ(spent(result, 1, "done"), 110 * us - finish);
}

TEST(TraceBreakdown, OfADeadlockEndsWhereTheRunDoes)
{
    const Json result = run_trace({{comp(1, 3), recv(2, 1, 5, 64).data({1}), send(3, 1, 6, 64).data({2})},
        {recv(1, 0, 6, 64), send(2, 0, 5, 64).data({1})}});
    EXPECT_EQ(result["stop"], "deadlock");
    EXPECT_EQ(spent(result, 0, "compute"), 3 * us);
    EXPECT_EQ(spent(result, 0, "waiting"), result["simulated_ps"].get<std::uint64_t>() - 3 * us);
    EXPECT_EQ(spent(result, 1, "waiting"), result["simulated_ps"]);
}

TEST(TraceKernel, ComputeNodesTakeTheirRooflineAsKernels)
{
    // 1 TB/s is what the misses of the generic L2 keep in flight.
    const Sets figures = {"gpu.peak_flops=100 TFLOP/s", "hbm.bandwidth=1 TB/s", "hbm.refresh=none"};
    Sets kernel = figures;
    kernel.push_back("engine.compute=kernel");
    const auto ratio = [&](std::int64_t operations, std::int64_t bytes) {
        const Ranks ranks = {{work(1, operations, bytes)}};
        return static_cast<double>(time_of(ranks, kernel)) / static_cast<double>(time_of(ranks, figures));
    };
    EXPECT_NEAR(ratio(4'000'000'000, 1 << 20), 1.03, 0.03);
    EXPECT_NEAR(ratio(1'000'000, 16 << 20), 1.03, 0.04);
    // A recorded duration stays, to the picosecond.
    EXPECT_EQ(time_of({{comp(1, 7), comp(2, 5).data({1})}}, kernel), 12 * us);
    EXPECT_EQ(time_of({{comp(1, 7).flag("is_cpu_op", true)}}, kernel), 7 * us);
}

TEST(TraceKernel, ComputeAndCommunicationSlowEachOtherDownOnlyAsKernels)
{
    // 8 MiB of loads beside an all-reduce of 256 KiB; by default a quarter of both.
    const auto share = static_cast<std::int64_t>(weft::test::by_default(4, 1));
    const Ranks compute(2, {work(1, 1'000'000 / share, (8 << 20) / share)});
    const Ranks reduce(2, {collective(1, all_reduce, (1 << 18) / share)});
    const Ranks both(2, {work(1, 1'000'000 / share, (8 << 20) / share), collective(2, all_reduce, (1 << 18) / share)});
    const auto collective_time = [](const Json& result) {
        return result["collectives"][0]["end_ps"].get<std::uint64_t>();
    };
    const std::uint64_t alone = collective_time(finished(reduce));
    EXPECT_EQ(collective_time(finished(both)), alone);
    const Sets kernel = {"engine.compute=kernel"};
    EXPECT_GT(collective_time(finished(both, kernel)), alone);
    // Kernels of few workgroups leave more of the memory to others and take longer.
    const Sets few = {"engine.compute=kernel", "engine.compute_workgroups=8"};
    EXPECT_LT(collective_time(finished(both, few)), collective_time(finished(both, kernel)));
    EXPECT_GT(time_of(compute, few), time_of(compute, kernel));
}

}  // namespace trace_overlap_test
