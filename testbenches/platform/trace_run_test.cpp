// Hand-written traces, run to their end or to their deadlock, with the times that their nodes must take.
#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace trace_run_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr int all_reduce = 0;
constexpr int all_gather = 2;
constexpr std::uint64_t us = 1'000'000;
const char* const policies[] = {"spin", "waiting_atomic"};

using Ranks = std::vector<std::vector<std::string>>;

RunSetup setup_of(const Folder& folder, const Ranks& ranks, const std::string& policy = "waiting_atomic",
    const std::string& more = "")
{
    RunSetup setup;
    setup.document = mesh_document(4);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks), more);
    setup.sets = {"gpu.wait_policy=" + policy, "engine.channels=4"};
    return setup;
}

Json run_trace(const Ranks& ranks, const std::string& policy = "waiting_atomic",
    const std::vector<std::string>& sets = {})
{
    const Folder folder;
    RunSetup setup = setup_of(folder, ranks, policy);
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return run(setup);
}

std::uint64_t time_of(const Ranks& ranks, const std::vector<std::string>& sets = {})
{
    const Json result = run_trace(ranks, "waiting_atomic", sets);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
    return result.value("simulated_ps", std::uint64_t{0});
}

std::string all_blocked(const Json& result)
{
    std::string text;
    for (const Json& line : result.value("blocked", Json::array())) text += line.get<std::string>() + "\n";
    return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

NodeText cpu(NodeText node) { return node.flag("is_cpu_op", true); }

NodeText work(std::uint64_t id, std::int64_t operations, std::int64_t bytes)
{
    return NodeText(id, 4, "w").integer("num_ops", operations).integer("tensor_size", bytes);
}

NodeText memory(std::uint64_t id, bool write, std::int64_t bytes)
{
    return NodeText(id, write ? 3 : 2, "m").integer("tensor_size", bytes);
}

}  // namespace

TEST(TraceRun, ComputeTakesItsRecordedTime)
{
    EXPECT_EQ(time_of({{comp(1, 7)}}), 7 * us);
    EXPECT_EQ(time_of({{comp(1, 7), comp(2, 5).data({1})}}), 12 * us);
    EXPECT_EQ(time_of({{comp(1, 7)}, {comp(1, 9)}}), 9 * us);
    EXPECT_EQ(time_of({{comp(1, 0)}}), 1000u);  // nothing recorded: 1 ns
}

// Two chains that need nothing of each other, on the accelerator and on the CPU, take the time of one, however the file has them.
TEST(TraceRun, TheOrderOfTheFileHasNoEffect)
{
    constexpr std::uint64_t many = 9000;
    std::vector<std::string> first;
    std::vector<std::string> second;
    std::vector<std::string> mixed;
    for (std::uint64_t id = 0; id < many; ++id) {
        first.push_back(id == 0 ? comp(id, 1) : comp(id, 1).data({id - 1}));
        const NodeText other = cpu(comp(many + id, 1));
        second.push_back(id == 0 ? other : NodeText(other).data({many + id - 1}));
        mixed.push_back(first.back());
        mixed.push_back(second.back());
    }
    std::vector<std::string> sorted = first;
    sorted.insert(sorted.end(), second.begin(), second.end());
    const std::vector<std::string> reversed(sorted.rbegin(), sorted.rend());
    for (const auto& nodes : {mixed, sorted, reversed}) EXPECT_EQ(time_of({nodes}), many * us);
}

TEST(TraceRun, ComputeInFlight)
{
    const Ranks two = {{comp(1, 7), comp(2, 5), comp(3, 1).data({1})}};
    EXPECT_EQ(time_of(two), 13 * us);
    EXPECT_EQ(time_of(two, {"engine.compute_in_flight=2"}), 8 * us);
    // The CPU works beside the accelerator, one node at a time.
    EXPECT_EQ(time_of({{comp(1, 7), cpu(comp(2, 5)), cpu(comp(3, 4))}}), 9 * us);
}

TEST(TraceRun, ComputeWithoutDurationFollowsTheRoofline)
{
    const std::vector<std::string> rates = {"gpu.peak_flops=1 TFLOP/s", "hbm.bandwidth=1 TB/s"};
    EXPECT_EQ(time_of({{work(1, 1'000'000'000, 1'000'000)}}, rates), 1000 * us);  // bound by arithmetic
    EXPECT_EQ(time_of({{work(1, 1'000'000, 1'000'000'000)}}, rates), 1000 * us);  // bound by memory
    EXPECT_EQ(time_of({{work(1, 1'000'000'000, 1'000'000).micros(3)}}, rates),
        3 * us);  // recorded: no roofline
    EXPECT_EQ(time_of({{work(1, 1'000'000'000, 1'000'000)}}, {"gpu.peak_flops=2 TFLOP/s", "hbm.bandwidth=1 TB/s"}),
        500 * us);
}

// 10^9 operations and 10^6 B at 1 TFLOP/s and 1 TB/s are 1000 us of operations. Nodes on the CPU have no roofline.
TEST(TraceRun, TheRooflineOrTheRecordedTime)
{
    const auto both = [](bool on_cpu) {
        const NodeText node = work(1, 1'000'000'000, 1'000'000).micros(7);
        return std::vector<std::string>{on_cpu ? cpu(node) : node};
    };
    std::vector<std::string> sets = {"gpu.peak_flops=1 TFLOP/s", "hbm.bandwidth=1 TB/s"};
    EXPECT_EQ(time_of({both(false)}, sets), 7 * us);
    sets.push_back("engine.compute_time=roofline");
    EXPECT_EQ(time_of({both(false)}, sets), 1000 * us);
    EXPECT_EQ(time_of({both(true)}, sets), 7 * us);
    const Json lacks = run_trace({{comp(1, 7)}}, "waiting_atomic", sets);
    EXPECT_TRUE(contains(lacks.value("refused", ""), "node 1 (c): COMP_NODE without attribute num_ops"))
        << lacks.dump().substr(0, 300);
    // As kernels: operations behind loads, not 7 us on a unit.
    sets.emplace_back("engine.compute=kernel");
    EXPECT_GT(time_of({both(false)}, sets), 900 * us);
}

// Values for compute nodes that the trace does not have: known when it has ended.
TEST(TraceRun, ValuesForComputeNodesItLacksAreTold)
{
    const auto told = [](const std::vector<std::string>& nodes, const std::string& set) {
        const std::string notices = run_trace({nodes}, "waiting_atomic", {set})["notices"].dump();
        return contains(notices, set.substr(0, set.find('=')) + " is set and changes nothing: the trace has no");
    };
    const std::vector<std::string> recorded = {comp(1, 7)};
    const std::vector<std::string> roofline = {work(1, 1'000'000, 64)};
    const std::vector<std::string> on_cpu = {cpu(comp(1, 7))};
    EXPECT_TRUE(told(recorded, "gpu.peak_flops=1 TFLOP/s"));
    EXPECT_FALSE(told(roofline, "gpu.peak_flops=1 TFLOP/s"));
    EXPECT_TRUE(told(roofline, "gpu.compute_model=weight_stationary"));
    NodeText product = work(1, 2 * 256 * 128 * 256, 64);
    product.integer("gemm_m", 256).integer("gemm_n", 128).integer("gemm_k", 256);
    EXPECT_FALSE(told({product}, "gpu.compute_model=weight_stationary"));
    EXPECT_TRUE(told(on_cpu, "engine.compute=kernel"));
    EXPECT_FALSE(told(recorded, "engine.compute=kernel"));
}

TEST(TraceRun, AProductOfMatricesWithoutACountIsOne)
{
    const std::vector<std::string> arrays = {"gpu.compute_model=weight_stationary", "gpu.array_rows=32",
        "gpu.array_columns=32", "gpu.array_clock=940 MHz"};
    NodeText once = work(1, 2 * 256 * 128 * 256, 64);
    once.integer("gemm_m", 256).integer("gemm_n", 128).integer("gemm_k", 256);
    // 8 x 4 folds of 32 + 32 + 32 + 256 - 2 cycles at 940 MHz.
    EXPECT_EQ(time_of({{once}}, arrays), 11'914'894u);
    NodeText twice = once;
    EXPECT_EQ(time_of({{twice.integer("gemm_count", 2)}}, arrays), 2 * 11'914'894u);
}

TEST(TraceRun, MemoryNodesAreLinesToTheOwnMemory)
{
    const Folder folder;
    const ResolvedSystem system = resolve_setup(setup_of(folder, {{memory(1, false, 64)}}));
    const NodeId node = system.endpoints()[0];
    const GpuSpec& gpu = system.gpu(node);
    const std::uint64_t write = gpu.launch_latency + gpu.unit_to_l2 + system.l2(node).latency + gpu.l2_to_unit;
    const std::uint64_t read = write + idle_read(system.hbm(node));
    EXPECT_EQ(time_of({{memory(1, false, 64)}}), read);
    EXPECT_EQ(time_of({{memory(1, true, 64)}}), write);
    EXPECT_EQ(time_of({{memory(1, true, 64), memory(2, true, 64)}}), 2 * write);
    EXPECT_LT(time_of({{memory(1, true, 64), memory(2, true, 64)}}, {"engine.communication_in_flight=2"}),
        write + gpu.unit_to_l2);
    EXPECT_EQ(time_of({{memory(1, true, 0)}}), 0u);
}

TEST(TraceRun, LaunchersAreCpuWork)
{
    EXPECT_EQ(time_of({{cpu(NodeText(1, 7, "launch").micros(6)), comp(2, 1).data({1})}}), 7 * us);
}

TEST(TraceRun, PingPongTakesTheSumOfItsParts)
{
    // Rank 0 sends a line, rank 1 sends one back when it has it.
    const Ranks ranks = {{send(1, 1, 7, 64), recv(2, 1, 8, 64)}, {recv(1, 0, 7, 64), send(2, 0, 8, 64).data({1})}};
    const Folder folder;
    const ResolvedSystem system = resolve_setup(setup_of(folder, ranks));
    ASSERT_GT(system.link(0).packet_overhead, 0u);
    const NodeId node = system.endpoints()[0];
    const GpuSpec& gpu = system.gpu(node);
    const LinkSpec& link = system.link(0);
    const std::uint64_t slice = system.l2(node).latency;
    const auto wire = [&](std::uint64_t payload) {
        return (link.packet_overhead + link.header + payload) * 1'000'000'000'000 / link.bandwidth + link.latency;
    };
    const auto there = [&](std::uint64_t payload) { return gpu.unit_to_port + wire(payload) + gpu.port_to_l2 + slice; };
    const std::uint64_t back = gpu.l2_to_port + wire(0) + gpu.port_to_unit;
    const std::uint64_t read = gpu.unit_to_l2 + slice + idle_read(system.hbm(node)) + gpu.l2_to_unit;
    const std::uint64_t flag = (8 + link.flit - 1) / link.flit * link.flit;
    const std::uint64_t one_way = gpu.launch_latency + read + there(64) + back + there(flag) + gpu.l2_to_unit;
    // The last to finish is the second sender: it waits for the acknowledge of its signal.
    const Json result = run_trace(ranks, "waiting_atomic", {"engine.channels=1"});
    EXPECT_EQ(result["ranks"][0]["finish_ps"], 2 * one_way);
    EXPECT_EQ(result["ranks"][1]["finish_ps"], 2 * one_way - gpu.l2_to_unit + back);
    EXPECT_EQ(result["verified"], "passed");
    EXPECT_TRUE(result["collectives"].empty());
}

TEST(TraceRun, TransfersAreMatchedByTagFirstInFirstOut)
{
    for (const char* policy : policies) {
        const Json result =
            run_trace({{send(1, 1, 5, 100), send(2, 1, 6, 3000), send(3, 1, 5, 7)},
                          {recv(1, 0, 6, 3000), recv(2, 0, 5, 100).data({1}), recv(3, 0, 5, 7).data({2})}},
                policy);
        EXPECT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
    }
}

TEST(TraceRun, BarriersMoveNothingWhateverTheirSize)
{
    const Json result = run_trace({{collective(1, 9, 4096)}, {collective(1, 9, 0)}});
    ASSERT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
    const Json& barrier = result["collectives"][0];
    EXPECT_EQ(barrier["op"], "barrier");
    EXPECT_EQ(barrier["bytes"], 0);
    EXPECT_EQ(barrier["algbw_GBps"], 0.0);
    EXPECT_EQ(barrier["busbw_GBps"], 0.0);
}

TEST(TraceRun, GroupsRunTheirOwnCollectives)
{
    const std::string groups = R"(['[{"pg_name": "1", "ranks": [0, 1]}, {"pg_name": "2", "ranks": [3, 2]}]'])";
    Ranks ranks;
    for (int rank = 0; rank < 4; ++rank)
        ranks.push_back({NodeText(1, 1).inputs(groups), collective(2, all_reduce, 4096, rank < 2 ? "1" : "2").data({1}),
            collective(3, all_gather, 1024).data({2})});
    for (const char* policy : policies) {
        const Json result = run_trace(ranks, policy);
        EXPECT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
        ASSERT_EQ(result["collectives"].size(), 3u);
        EXPECT_EQ(result["collectives"][0]["ranks"], 2);
        EXPECT_EQ(result["collectives"][1]["ranks"], 2);
        EXPECT_EQ(result["collectives"][2]["ranks"], 4);
        EXPECT_EQ(result["collectives"][2]["bytes"], 4096);  // in a trace: of one rank
    }
}

TEST(TraceRun, GroupFile)
{
    const Folder folder;
    const std::string file = folder.write("groups.json", R"({"4": [1, 3]})");
    const Ranks ranks = {{comp(1, 1)}, {collective(1, all_reduce, 1000, "4")}, {comp(1, 2)},
        {collective(1, all_reduce, 1000, "4")}};
    const Json result = run(setup_of(folder, ranks, "spin", "groups: \"" + file + "\""));
    EXPECT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
}

TEST(TraceRun, TheWorkloadsAlgorithmIsUsedWhereTheOperationKnowsIt)
{
    const Folder folder;
    const Ranks ranks(4, {collective(1, all_reduce, 4096)});
    for (const char* algorithm : {"direct", "ring"}) {
        RunSetup setup = setup_of(folder, ranks, "spin");
        setup.algorithm = algorithm;
        EXPECT_EQ(run(setup)["collectives"][0]["algorithm"], algorithm);
    }
    RunSetup other = setup_of(folder, ranks, "spin");
    other.algorithm = "none of these";
    EXPECT_EQ(run(other).value("verified", ""), "passed");
}

TEST(TraceDeadlock, MutuallyWaitingReceivesAreNamed)
{
    for (const char* policy : policies) {
        const Json result = run_trace(
            {{recv(1, 1, 5, 64), send(2, 1, 6, 64).data({1})}, {recv(1, 0, 6, 64), send(2, 0, 5, 64).data({1})}},
            policy);
        EXPECT_EQ(result.value("stop", ""), "deadlock") << result.dump().substr(0, 300);
        EXPECT_EQ(result["exit_code"], 3);
        const std::string text = all_blocked(result);
        EXPECT_TRUE(contains(text, "rank 0: COMM_RECV_NODE node 1 (r) waits for a send from rank 1 with tag 5\n"))
            << text;
        EXPECT_TRUE(contains(text, "rank 1: COMM_RECV_NODE node 1 (r) waits for a send from rank 0 with tag 6\n"))
            << text;
        EXPECT_TRUE(contains(text, "rank 0: COMM_SEND_NODE node 2 waits for node 1\n")) << text;
    }
}

TEST(TraceDeadlock, AMemberThatNeverReachesTheCollectiveIsNamed)
{
    // Rank 2 waits for a message that rank 0 sends only after the collective.
    for (const char* policy : policies) {
        const Json result = run_trace({{collective(1, all_reduce, 4096), send(2, 2, 5, 64).data({1})},
                                          {collective(1, all_reduce, 4096)},
                                          {recv(1, 0, 5, 64), collective(2, all_reduce, 4096).data({1})}},
            policy);
        EXPECT_EQ(result.value("stop", ""), "deadlock") << result.dump().substr(0, 300);
        const std::string text = all_blocked(result);
        EXPECT_TRUE(contains(text, "ALL_REDUCE (number 1 of group 0): rank 2 did not reach it; ranks 0 1 wait in it\n"))
            << text;
        EXPECT_TRUE(contains(text, "rank 2: COMM_RECV_NODE node 1 (r) waits for a send from rank 0")) << text;
    }
}

TEST(TraceDeadlock, CollectivesThatMeetInAnotherOrderAreRefusedDuringTheRun)
{
    // On rank 1 the second collective is free while the first still waits for the compute node.
    const Json result = run_trace({{collective(1, all_reduce, 4096), collective(2, all_gather, 1024)},
        {comp(1, 100), collective(2, all_reduce, 4096).data({1}), collective(3, all_gather, 1024)}});
    ASSERT_TRUE(result.contains("refused")) << result.dump().substr(0, 300);
    const std::string text = result["refused"];
    EXPECT_TRUE(contains(text,
        ".1.et:4: ALL_GATHER of 1024 bytes is number 1 of group 0, but another rank issued ALL_REDUCE of 4096 bytes "
        "there; expected the same sequence of collectives on every member"))
        << text;
}

TEST(TraceDeadlock, WhatEndsAWaitMayBeFarAheadInTheFile)
{
    constexpr std::uint64_t many = 9000;
    Ranks ranks = {{recv(1, 1, 5, 64), send(2, 1, 6, 64).data({1})}, {recv(1, 0, 6, 64)}};
    for (std::uint64_t id = 2; id < many; ++id) ranks[1].push_back(comp(id, 1).data({1}));
    ranks[1].push_back(send(many, 0, 5, 64));
    for (const char* policy : policies) {
        const Json result = run_trace(ranks, policy);
        EXPECT_EQ(result.value("stop", ""), "finished") << policy << ": " << all_blocked(result).substr(0, 300);
        EXPECT_EQ(result.value("verified", ""), "passed");
    }
}

// Write-backs that go on after the end have not held the run up: what the stores went through has.
TEST(TraceBound, LateWriteBacksDoNotCount)
{
    const std::vector<std::string> sets = {"l2.size=64 KiB", "l2.slices=2", "l2.bandwidth=64 GB/s", "hbm.channels=2",
        "hbm.bandwidth=4 GB/s", "l2.outstanding_write_backs=0"};
    const Json result = run_trace({{memory(1, true, 128 << 10)}}, "waiting_atomic", sets);
    ASSERT_TRUE(result.contains("bound_by")) << result.dump().substr(0, 400);
    EXPECT_EQ(result.at("bound_by").at("parameter"), "l2.bandwidth");
    EXPECT_NE(result.at("notices").dump().find("carries write-backs until"), std::string::npos);
    // Where stores wait for them it is the memory.
    std::vector<std::string> few = sets;
    few.back() = "l2.outstanding_write_backs=8";
    EXPECT_EQ(run_trace({{memory(1, true, 128 << 10)}}, "waiting_atomic", few).at("bound_by").at("parameter"),
        "hbm.bandwidth");
}

TEST(TraceLimits, FiguresTooLargeToCountWithAreRefused)
{
    const auto refusal = [](const Ranks& ranks, const std::vector<std::string>& sets = {}) {
        const Json result = run_trace(ranks, "spin", sets);
        return result.value("refused", "not refused: " + result.dump().substr(0, 200));
    };
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    EXPECT_TRUE(contains(refusal({{work(1, huge, 1'000'000)}}, {"gpu.peak_flops=1 MFLOP/s"}),
        ".0.et:2: node 1 (w): roofline time beyond 2^63 ps"))
        << refusal({{work(1, huge, 1'000'000)}}, {"gpu.peak_flops=1 MFLOP/s"});
    EXPECT_TRUE(contains(refusal(Ranks(4, {collective(1, all_gather, huge)})),
        ".et:2: node 1 (x): attribute comm_size is 4611686018427387904; expected at most 2^48 bytes"));
    EXPECT_TRUE(contains(refusal(Ranks(2, {collective(1, all_reduce, huge)})), "at most 2^48 bytes"));
    EXPECT_TRUE(contains(refusal({{memory(1, false, -1)}}), "refused") ||
        contains(refusal({{memory(1, false, huge)}}), "do not fit"));
    EXPECT_TRUE(contains(refusal({{memory(1, false, huge)}}), "do not fit"));
    // Four times 46 days.
    std::vector<std::string> rank;
    for (std::uint64_t id = 1; id <= 4; ++id) rank.push_back(comp(id, 4'000'000'000'000).data({id - 1}));
    rank[0] = comp(1, 4'000'000'000'000);
    const std::string late = ".0.et:5: node 4 (c): a wait of 4e+06 s goes beyond the longest simulated time";
    EXPECT_TRUE(contains(refusal({rank}), late)) << refusal({rank});
    EXPECT_TRUE(contains(refusal({rank}, {"engine.compute=kernel"}), late));
}

}  // namespace trace_run_test
