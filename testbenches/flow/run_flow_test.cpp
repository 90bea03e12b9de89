// Runs of real systems at flow fidelity.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/synthesis/estimate.h"
#include "infragraph/dimension_notation.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"

namespace run_flow_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup on(const std::string& document, const std::string& lines)
{
    RunSetup out;
    out.document = document;
    out.lines = lines;
    out.options.progress = false;
    return out;
}

RunSetup dgx(const std::string& op = "all_reduce", const std::string& algorithm = "ring",
    const std::string& bytes = "1 MiB")
{
    return on(example("dgx_h100"), "profile: h100\n" + collective_lines(op, algorithm, bytes));
}

RunResult flow_run(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

std::string refusal(const RunSetup& setup)
{
    try {
        flow_run(setup);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

void expect_refused(const RunSetup& setup, const std::string& text)
{
    const std::string said = refusal(setup);
    EXPECT_NE(said.find(text), std::string::npos) << said;
}

}  // namespace

// Rank 1 computes longest, so the path of the whole trace begins there.
TEST(FlowRun, ATraceThatIsFollowedHasItsPathAndItsTimeline)
{
    using namespace weft::chakra::testing;
    const Folder folder;
    const std::string prefix = folder.write_set(
        {{comp(1, 5), collective(2, 0, 65536).data({1})}, {comp(1, 30), collective(2, 0, 65536).data({1})}});
    RunSetup setup = on(star_document(2), "profile: generic\n" + trace_lines(prefix));
    setup.options.follow = true;
    const RunResult result = flow_run(setup);
    ASSERT_TRUE(result.trace);
    std::uint64_t sum = 0;
    for (const auto& [kind, time] : result.trace->path_ps) sum += time;
    EXPECT_EQ(sum, result.simulated_ps);
    ASSERT_EQ(result.trace->segments.size(), 2U);
    EXPECT_EQ(result.trace->segments[0].rank, 1U);
    EXPECT_EQ(result.trace->segments[0].end_ps, 30'000'000U);
    EXPECT_EQ(result.trace->segments[1].kind, "all_reduce");
    std::size_t nodes = 0;
    const nlohmann::json timeline = nlohmann::json::parse(result.timeline);
    std::size_t operations = 0;
    for (const nlohmann::json& event : timeline["traceEvents"]) {
        if (event["ph"] != "X" || event["pid"] == 0) continue;
        ++(event.contains("cat") ? nodes : operations);
    }
    EXPECT_EQ(nodes, 4U);
    EXPECT_GT(operations, 4U);
    // The collective has a path of its own.
    ASSERT_EQ(result.paths.size(), 1U);
    EXPECT_EQ(result.paths[0].segments.front().begin_ps, result.collectives[0].start_ps);
    EXPECT_EQ(result.paths[0].segments.back().end_ps, result.collectives[0].end_ps);
}

TEST(FlowRun, PlaysTheCostGraphByTheRulesOfLines)
{
    for (const std::string algorithm : {"ring", "direct", "tree", "halving_doubling"})
        for (const std::string bytes : {"64 KiB", "4 MiB"}) {
            const RunSetup setup = dgx("all_reduce", algorithm, bytes);
            const ResolvedSystem system = resolve_setup(setup);
            const FabricPlan plan = plan_fabric(system, members_of(system));
            AlgorithmOptions options;
            options.channels = static_cast<std::uint32_t>(system.engine().channels);
            const Schedule schedule = make_schedule(algorithm, CollectiveOp::all_reduce, 8, options);
            const CostGraph graph = cost_graph_of(system, plan, 8);
            const EstimateOptions bytes_of{system.workload.bytes, 1};
            const auto program = std::make_shared<FlowProgram>(program_of(schedule));
            const RunResult got = run_flow(system, setup.options);
            EXPECT_EQ(got.simulated_ps, play(program, graph, bytes_of, flow_rules(8)).end_ps)
                << algorithm << " " << bytes;
            // Beside the estimate, which knows neither packets nor signals on wires.
            const auto wanted = static_cast<double>(estimate(schedule, graph, bytes_of).time_ps);
            EXPECT_NEAR(static_cast<double>(got.simulated_ps) / wanted, 1, 0.1) << algorithm << " " << bytes;
            EXPECT_EQ(got.exit_code(), 0);
        }
}

TEST(FlowRun, ResultHasTheKeysOfOneByLines)
{
    const RunSetup setup = dgx("all_reduce", "ring", "64 KiB").with("engine.channels=4");
    const Json lines = run(setup, 100);
    const Json flow = Json::parse(result_json(flow_run(setup), false));
    for (const auto& [key, value] : lines.items())
        EXPECT_TRUE(flow.contains(key) || key == "exit_code" || key == "bound_by") << key;
    EXPECT_EQ(lines["fidelity"], "line");
    EXPECT_EQ(flow["fidelity"], "flow");
    EXPECT_EQ(flow["verification"], "symbolic");
    EXPECT_EQ(flow["messages"], 4 * 8 * 14);
    ASSERT_EQ(flow["collectives"].size(), 1U);
    for (const auto& [key, value] : lines["collectives"][0].items())
        EXPECT_TRUE(flow["collectives"][0].contains(key)) << key;
    for (const auto& [key, value] : lines["links"][0].items())
        EXPECT_TRUE(flow["links"][0].contains(key) || key == "theory_payload_bytes") << key;
    EXPECT_EQ(flow["links"].size(), lines["links"].size());
    EXPECT_EQ(flow["ranks"].size(), 8U);
    EXPECT_EQ(flow["parameters"], lines["parameters"]);
}

TEST(FlowRun, BytesOnLinksAreThoseOfTheSchedule)
{
    const RunResult result = flow_run(dgx("all_reduce", "ring", "8 MiB"));
    std::uint64_t sum = 0;
    for (const LinkResult& link : result.link_results) sum += link.payload_bytes;
    // 2 (n-1)/n of the message from each rank, over a link up and one down.
    EXPECT_NEAR(static_cast<double>(sum), 2.0 * 14 * 8 * (1 << 20), 64);
}

TEST(FlowRun, TwoRunsGiveTheSameBytes)
{
    const RunSetup setup =
        on(example("fat_tree_32"), "profile: h100\n" + collective_lines("all_to_all", "pairwise", "256 KiB"))
            .with("engine.channels=2");
    EXPECT_EQ(result_json(flow_run(setup), false), result_json(flow_run(setup), false));
}

TEST(FlowRun, ChoicesPacketsAndSlicesRun)
{
    const RunResult choice = flow_run(dgx("all_reduce", "auto", "256 KiB").with("engine.channels=4"));
    ASSERT_TRUE(choice.choice);
    const RunResult named =
        flow_run(dgx("all_reduce", choice.choice->priced.front().algorithm, "256 KiB").with("engine.channels=4"));
    EXPECT_EQ(choice.simulated_ps, named.simulated_ps);
    EXPECT_EQ(choice.choice->priced.front().algorithm, "push_reduce");
    const RunResult packets = flow_run(dgx("all_reduce", "ring", "16 KiB").with("engine.protocol=ll"));
    EXPECT_EQ(packets.collectives.front().protocol, "ll");
    EXPECT_LT(packets.simulated_ps, flow_run(dgx("all_reduce", "ring", "16 KiB")).simulated_ps);
    EXPECT_EQ(flow_run(dgx("all_reduce", "ring", "4 MiB").with("engine.slices=4")).stop, StopReason::finished);
    EXPECT_EQ(flow_run(dgx("all_reduce", "ring", "4 MiB").with("engine.staging=fifo")).stop, StopReason::finished);
}

TEST(FlowRun, StopsWhenItIsToldTo)
{
    RunSetup setup = dgx();
    setup.options.until = 5'000'000;
    const RunResult result = flow_run(setup);
    EXPECT_EQ(result.stop, StopReason::until);
    EXPECT_EQ(result.simulated_ps, 5'000'000U);
    EXPECT_FALSE(result.collectives.front().finished);
}

TEST(FlowRun, LateRanksDelayTheOthers)
{
    const RunSetup late = on(example("dgx_h100"),
        "profile: h100\n" + collective_lines("all_reduce", "ring", "1 MiB", "delay: {3: 50 us}"));
    const Time delayed = flow_run(late).simulated_ps;
    const Time at_once = flow_run(dgx()).simulated_ps;
    EXPECT_GT(delayed, 50'000'000U);
    EXPECT_LT(delayed, 50'000'000U + at_once);
}

// A run that is interrupted keeps what there is.
TEST(FlowRun, AnInterruptEndsARunWithPartialResults)
{
    const std::string text = in_timed_child(
        [] {
            RunSetup setup =
                on(star_document(256), "profile: generic\n" + collective_lines("all_reduce", "ring", "64 MiB"));
            setup.sets = {"engine.channels=1"};
            setup.options.symmetry = false;  // one rank for all is over too soon
            const ResolvedSystem system = resolve_setup(setup);
            // The first run says how much processor time one takes, most of it behind the set-up; the second is interrupted at
            // two thirds of it.
            const std::clock_t begun = std::clock();
            run_flow(system, setup.options);
            const std::clock_t ended = std::clock();
            std::thread([begun, ended] {
                while (std::clock() < ended + (ended - begun) * 2 / 3)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                std::raise(SIGINT);
            }).detach();
            const RunResult result = run_flow(system, setup.options);
            return fmt::format("{} {} {}", name_of(result.stop), result.exit_code(),
                result.messages > 0 && result.messages < 256 * 510);
        },
        60);
    EXPECT_EQ(text, "interrupted 130 true");
}

// A step of training with tensor and pipeline parallelism: groups of their own, transfers between stages.
TEST(FlowRun, TracesRunAndRanksAccountForTheirTime)
{
    if (!has_shared()) GTEST_SKIP() << "no shared traces";
    const std::string folder = std::string(WEFT_SHARED_DIR) + "/chakra/stage/llama_tp2_pp2_mb4/";
    const RunSetup setup = on(shared_document("device_dgx_h100"),
        trace_lines(folder + "llama_tp2_pp2_mb4", "groups: \"" + folder + "comm_group.json\""));
    const RunResult result = flow_run(setup);
    EXPECT_EQ(result.stop, StopReason::finished);
    EXPECT_EQ(result.collectives.size(), 82U);
    for (const CollectiveResult& collective : result.collectives) EXPECT_TRUE(collective.finished) << collective.name;
    ASSERT_EQ(result.ranks.size(), 4U);
    for (const RankResult& rank : result.ranks) {
        Time sum = 0;
        for (const auto& [activity, time] : rank.breakdown_ps) sum += time;
        EXPECT_EQ(sum, result.simulated_ps) << rank.rank;
    }
    EXPECT_EQ(result_json(flow_run(setup), false), result_json(result, false));
}

// Loads and stores of a pool of memory that the fabric reaches, kernels and a collective: within a tenth of the lines.
// Rank 0 comes to group 1 after 1 us and to group 2, of the same ranks, after 50; rank 1 the other way round.
TEST(FlowRun, GroupsOfTheSameRanksAreCommunicatorsOfTheirOwn)
{
    using namespace chakra::testing;
    const auto time = [](const char* second) {
        const auto visit = [](std::uint64_t id, const char* group) { return collective(id, 0, 4096, group); };
        const Folder folder;
        const std::string prefix = folder.write_set({{comp(1, 1), visit(2, "1").data({1}),
                                                         comp(3, 50).flag("is_cpu_op", true),
                                                         visit(4, second).data({3}), comp(5, 100).data({2})},
            {comp(1, 50), visit(2, "1").data({1}), comp(3, 1).flag("is_cpu_op", true), visit(4, second).data({3})}});
        const std::string groups = folder.write("groups.json", R"({"1": [0, 1], "2": [0, 1]})");
        RunSetup setup = on(star_document(2), "profile: generic\n" + trace_lines(prefix, "groups: \"" + groups + "\""));
        return flow_run(setup.with("engine.communication_in_flight=2")).simulated_ps;
    };
    EXPECT_GT(time("2"), 150'000'000U);
    EXPECT_GT(time(""), 150'000'000U);
    EXPECT_LT(time("1"), 120'000'000U);
}

TEST(FlowRun, AnOffloadToAPoolOfMemoryTakesAboutAsLongAsByLines)
{
    const std::string folder = std::string(WEFT_SOURCE_DIR) + "/examples/memory_pool/";
    const auto simulated = [&](bool flow) {
        return in_timed_child(
            [&] {
                SystemDescription description = read_system_file(folder + "system.yaml");
                const ResolvedSystem system = load_system(description);
                RunOptions options;
                options.progress = options.data_on = false;
                return std::to_string(
                    (flow ? run_flow(system, options) : run_system(system, ModelRegistry(), options)).simulated_ps);
            },
            60);
    };
    EXPECT_NEAR(std::stod(simulated(true)) / std::stod(simulated(false)), 1, 0.1);
}

// The document of a ring without switches; B/s and ps of a link.
static std::string write_ring(const test::ScratchFolder& folder, const std::string& notation, std::uint64_t bandwidth,
    std::uint64_t latency_ps)
{
    std::vector<NotationDimension> dimensions = parse_notation(notation);
    dimensions[0].bandwidth = bandwidth;
    dimensions[0].latency_ps = latency_ps;
    std::string file = folder.path() + "/ring.yaml";
    std::ofstream(file) << notation_document(notation, dimensions);
    return file;
}

// Everything that is not modelled is named.
// Transactions count the links of their path, transfers do not; neither shows the other's end at a cycle of full buffers.
TEST(FlowRun, ALongRingRunsAndItsCycleOfBuffersIsSaid)
{
    const test::ScratchFolder folder;
    const std::string file = write_ring(folder, "Ring(96)", 50'000'000'000, 500'000);
    RunSetup setup =
        on(file, "profile: generic\nrouting: {cycles: allow}\n" + collective_lines("all_reduce", "ring", "1 MiB"));
    const RunResult result = flow_run(setup);
    EXPECT_EQ(result.stop, StopReason::finished);
    // 190 steps of one link each.
    EXPECT_GT(result.simulated_ps, 190U * 500'000);
    EXPECT_TRUE(std::any_of(result.notices.begin(), result.notices.end(),
        [](const std::string& notice) { return notice.find("a cycle of waiting buffers") != std::string::npos; }));
    EXPECT_TRUE(run(setup).contains("refused"));
    const RunResult tree = flow_run(dgx());
    EXPECT_TRUE(std::none_of(tree.notices.begin(), tree.notices.end(),
        [](const std::string& notice) { return notice.find("cycle") != std::string::npos; }));
}

// Where much data pass other ranks, flow is known to be too fast, and the run says so; rings, whose steps go to neighbours, do not.
TEST(FlowRun, MuchDataThroughRanksIsSaid)
{
    const test::ScratchFolder folder;
    const std::string file = write_ring(folder, "Ring(4)", 100'000'000'000, 50'000);
    const auto said = [&file](const std::string& algorithm, const std::string& bytes) {
        const RunResult result = flow_run(on(file,
            "profile: generic\nrouting: {cycles: allow}\n" + collective_lines("all_gather", algorithm, bytes)));
        return std::any_of(result.notices.begin(), result.notices.end(),
            [](const std::string& notice) { return notice.find("much of the data passes other") == 0; });
    };
    EXPECT_TRUE(said("direct", "1 MiB"));
    EXPECT_FALSE(said("direct", "256 KiB"));
    EXPECT_FALSE(said("ring", "1 MiB"));
}

// Flow fidelity ignores this parameter, and a notice says so.
TEST(FlowRun, ARateOfStoresIsSaidToBeLeftOut)
{
    const test::ScratchFolder folder;
    const std::string file = write_ring(folder, "Ring(4)", 100'000'000'000, 50'000);
    const auto with = [&file](const std::string& network) {
        return flow_run(on(file,
            "profile: generic\nrouting: {cycles: allow}\n" + network +
                collective_lines("all_reduce", "ring", "1 MiB")));
    };
    const RunResult usual = with("");
    const RunResult slow = with("parameters:\n  network.unit_store_rate: 1 GB/s\n");
    const auto said = [](const RunResult& of) {
        return std::any_of(of.notices.begin(), of.notices.end(),
            [](const std::string& notice) { return notice.find("network.unit_store_rate bounds no copy") == 0; });
    };
    EXPECT_FALSE(said(usual));
    EXPECT_TRUE(said(slow));
    EXPECT_EQ(slow.simulated_ps, usual.simulated_ps);
}

// One rank for all gives the result of all, and says so; where it may not, all are run.
TEST(FlowRun, OneRankForAllGivesTheResultOfAll)
{
    const std::tuple<const char*, const char*, const char*, const char*> cases[] = {
        {"ring", "all_reduce", "1", "on: 1 of 100 ranks is run for all"},
        {"ring", "all_gather", "1", "on: 1 of 100 ranks is run for all"},
        {"pairwise", "all_to_all", "1", "on: 1 of 100 ranks is run for all"},
        {"ring", "all_reduce", "4", "off: transfers come to one link"}};  // of several threads, at once
    for (const auto& [algorithm, op, channels, said] : cases) {
        RunSetup setup = on(star_document(100), "profile: generic\n" + collective_lines(op, algorithm, "1 MiB"))
                             .with(std::string("engine.channels=") + channels);
        const RunResult one = flow_run(setup);
        EXPECT_EQ(one.symmetry.substr(0, std::string(said).size()), said) << algorithm << ": " << one.symmetry;
        setup.options.symmetry = false;
        const RunResult all = flow_run(setup);
        EXPECT_EQ(all.symmetry, "off: not asked for");
        EXPECT_EQ(one.simulated_ps, all.simulated_ps) << algorithm;
        EXPECT_EQ(one.messages, all.messages) << algorithm;
        ASSERT_EQ(one.ranks.size(), all.ranks.size());
        for (std::size_t rank = 0; rank < all.ranks.size(); ++rank)
            ASSERT_EQ(one.ranks[rank].finish_ps, all.ranks[rank].finish_ps) << algorithm << ", " << rank;
        ASSERT_EQ(one.link_results.size(), all.link_results.size()) << algorithm;
        for (std::size_t link = 0; link < all.link_results.size(); ++link) {
            ASSERT_EQ(one.link_results[link].payload_bytes, all.link_results[link].payload_bytes) << algorithm;
            ASSERT_EQ(one.link_results[link].busy_ps, all.link_results[link].busy_ps) << algorithm;
        }
        const auto tells = [](const RunResult& of) {
            return std::any_of(of.notices.begin(), of.notices.end(),
                [](const std::string& notice) { return notice.find("symmetry: 1 of 100 ranks") == 0; });
        };
        EXPECT_EQ(tells(one), std::string(said).substr(0, 2) == "on") << algorithm;
        EXPECT_FALSE(tells(all)) << algorithm;
        EXPECT_TRUE(one.collectives.front().finished) << algorithm;
    }
    // A rank that comes late, and a small run, whose result has no word on it.
    const RunResult late = flow_run(on(star_document(100),
        "profile: generic\n" + collective_lines("all_reduce", "ring", "1 MiB", "delay: {3: 1 us}")));
    EXPECT_EQ(late.symmetry, "off: ranks enter late, or are not the endpoints in their order");
    EXPECT_EQ(flow_run(dgx()).symmetry, "");
}

// Before the schedule is written, whose steps grow with the square or the cube of the ranks: a contradiction that only the
// schedule shows is not what is said.
TEST(FlowRun, StepsInSwitchesForTooManyRanksAreRefusedAtOnce)
{
    const auto too_many = [](const std::string& lines) {
        RunSetup setup = on(star_document(300), "profile: generic\n" + lines);
        setup.sets = {"switch.multicast_groups=8", "engine.channel=memory"};
        expect_refused(setup,
            "flow fidelity has steps in switches for up to 256 ranks, and this run has 300; expected an algorithm of "
            "loads and stores, or --fidelity line");
    };
    for (const std::string algorithm : {"nvls", "nvls_one_shot", "nvls_tree", "push_reduce"})
        too_many(collective_lines("all_reduce", algorithm, "1 MiB"));
    too_many(collective_lines("reduce_scatter", "load_reduce", "1 MiB"));
    const chakra::testing::Folder folder;
    const std::vector<std::string> reduction{chakra::testing::collective(1, 0, 1 << 20)};
    too_many(trace_lines(folder.write_set(std::vector(300, reduction)), "algorithm: nvls"));
    // No switches at all.
    RunSetup none = on(star_document(200), "profile: generic\n" + collective_lines("all_reduce", "nvls", "1 MiB"));
    none.sets = {"switch.multicast_groups=0", "engine.channel=memory"};
    expect_refused(none,
        "nvls: this algorithm has steps in switches, but no switch of this run combines or copies for its ranks; "
        "expected switches with multicast groups, an algorithm of loads and stores, or --fidelity line");
}

TEST(FlowRun, WhatIsNotModelledIsRefused)
{
    expect_refused(dgx("all_reduce", "nvls").with("switch.multicast_groups=0"),
        "no switch of this run combines or copies");
    expect_refused(on(star_document(300), "profile: generic\n" + collective_lines("broadcast", "multicast", "1 MiB"))
                       .with("switch.multicast_groups=8"),
        "flow fidelity has steps in switches for up to 256 ranks, and this run has 300");
    expect_refused(on(example("switch_ring"),
                       "profile: generic\nbind: [{nodes: {component: sw}, kind: switch}]\n" +
                           collective_lines("all_reduce", "push_reduce", "64 KiB"))
                       .with("routing.cycles=allow"),
        "nor do planes of two tiers");
    expect_refused(dgx().with("engine.mover=copy_engine"), "steps that units carry out");
    expect_refused(dgx().with("engine.channel=port"), "flow fidelity has no port channels");
    expect_refused(dgx().with("engine.flag_home=signaller"), "flow fidelity has flags only at the rank that waits");
    RunSetup crossbar = dgx();
    crossbar.lines += "bind: [{nodes: {component: nvsw}, model: crossbar}]\n";
    expect_refused(crossbar, "flow fidelity has no switch model 'crossbar', which dgx.0.nvsw.0 has");
    expect_refused(dgx().with("link.retry=timeout").with("links.xpu_fabric.bit_error_rate=1e-12"),
        "flow fidelity has no bit errors");
    const std::pair<bool RunOptions::*, const char*> options[] = {{&RunOptions::check_protocol, "--check-protocol"},
        {&RunOptions::record, "--record"}};
    for (const auto& [option, name] : options) {
        RunSetup setup = dgx();
        setup.options.*option = true;
        expect_refused(setup, name);
    }
    RunSetup limited = dgx();
    limited.options.memory_limit = 1 << 30;
    expect_refused(limited, "--memory-limit");
    RunSetup exported = on(star_document(80), "profile: generic\n" + collective_lines("all_reduce", "ring", "1 MiB"));
    exported.options.plan = true;
    expect_refused(exported, "a collective over 80 ranks is generated rank by rank and has no plan to export");
    const RunSetup whole =
        on(star_document(520), "profile: generic\n" + collective_lines("all_reduce", "tree", "1 MiB"));
    expect_refused(whole,
        "all_reduce over 520 ranks by 'tree' needs its whole schedule; expected at most 512 ranks, or ring, direct, "
        "hierarchical, multi_dim, or halving_doubling of a power of two");
}

}  // namespace run_flow_test
