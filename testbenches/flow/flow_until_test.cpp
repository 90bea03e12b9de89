// A run that ends before its work does (--until) counts what has taken the wire by then, and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/comma_list.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace flow_until_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup setup_of(const std::string& document, const std::string& op, const std::string& algorithm, Time until)
{
    RunSetup out;
    out.document = document;
    out.lines = "profile: h100\n" + collective_lines(op, algorithm, "4 MiB");
    out.options.progress = out.options.data_on = false;
    if (until > 0) out.options.until = until;
    out.options.window = 5'000'000;
    return out;
}

using Causes = decltype(RankResult::stall_ps);

Time sum_of(const RankResult& rank)
{
    Time out = 0;
    for (const auto& [cause, time] : rank.stall_ps) out += time;
    return out;
}

RunResult flow_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

}  // namespace

TEST(FlowUntil, NoLinkIsBusyForLongerThanTheRun)
{
    const std::pair<const char*, const char*> collectives[] = {{"all_gather", "direct"}, {"all_gather", "direct_get"},
        {"all_reduce", "ring"}, {"all_to_all", "pairwise"}, {"all_reduce", "two_shot_get"}};
    for (const auto& [op, algorithm] : collectives)
        for (const Time until : {3'000'000ULL, 12'000'000ULL}) {
            const RunSetup setup = setup_of(star_document(8), op, algorithm, until);
            const RunResult result = flow_of(setup);
            ASSERT_EQ(result.stop, StopReason::until) << algorithm;
            std::uint64_t most = 0;
            for (const LinkResult& link : result.link_results) {
                EXPECT_LE(link.busy_ps, until) << algorithm << " " << link.from;
                EXPECT_LE(static_cast<double>(link.wire_bytes), link.GBps * static_cast<double>(until) / 1e3 + 1);
                EXPECT_LT(link.payload_bytes, link.wire_bytes);
                most = std::max<std::uint64_t>(most, link.busy_ps);
            }
            EXPECT_GT(most, until / 4) << algorithm;
            std::istringstream rows(result.series);
            std::string row;
            std::getline(rows, row);
            std::uint64_t wire = 0;
            while (std::getline(rows, row)) {
                const std::vector<std::string_view> cells = comma_list(row);
                const auto number = [&](std::size_t i) { return std::stoull(std::string(cells[i])); };
                EXPECT_LE(number(0) + number(1), until) << row;
                wire += number(6);
            }
            for (const LinkResult& link : result.link_results) wire -= link.wire_bytes;
            EXPECT_EQ(wire, 0U) << algorithm;
        }
}

TEST(FlowUntil, AnEndBehindTheWorkChangesNothing)
{
    const RunResult whole = flow_of(setup_of(star_document(8), "all_gather", "direct", 0));
    const RunResult result = flow_of(setup_of(star_document(8), "all_gather", "direct", whole.simulated_ps * 2));
    EXPECT_EQ(result.stop, StopReason::finished);
    EXPECT_EQ(result.series, whole.series);
    ASSERT_EQ(result.link_results.size(), whole.link_results.size());
    for (std::size_t i = 0; i < whole.link_results.size(); ++i) {
        EXPECT_EQ(result.link_results[i].busy_ps, whole.link_results[i].busy_ps);
        EXPECT_EQ(result.link_results[i].payload_bytes, whole.link_results[i].payload_bytes);
    }
}

// What decides the end of a trace is not known before it: such a run has its operations so far and no path.
TEST(FlowUntil, AStoppedTraceHasNoPath)
{
    const chakra::testing::Folder folder;
    using chakra::testing::comp;
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: h100\n" + trace_lines(folder.write_set({{comp(1, 5), comp(2, 5).data({1})}, {comp(1, 7)}}));
    setup.options.progress = false;
    setup.options.follow = true;
    const RunResult whole = flow_of(setup);
    ASSERT_EQ(whole.trace->segments.size(), 2U);
    EXPECT_NE(whole.timeline.find("whole trace"), std::string::npos);
    setup.options.until = 8'000'000;
    const RunResult result = flow_of(setup);
    ASSERT_EQ(result.stop, StopReason::until);
    EXPECT_TRUE(result.trace->segments.empty());
    EXPECT_TRUE(result.trace->path_ps.empty());
    ASSERT_EQ(result.trace->operations.size(), 1U);
    EXPECT_EQ(result.trace->operations[0].total_ps, 12'000'000U);
    EXPECT_EQ(result.trace->operations[0].on_path_ps, 0U);
    EXPECT_EQ(result.timeline.find("whole trace"), std::string::npos);
    EXPECT_EQ(result.ranks[0].finish_ps, 0U);
    EXPECT_EQ(result.ranks[1].finish_ps, 7'000'000U);
    // The second node of rank 0 reaches up to the end.
    EXPECT_NE(result.timeline.find("\"ts\":5.000000,\"dur\":3.000000,\"args\":{\"rank\":0,\"node\":2,\"kind\":"
                                   "\"compute\",\"unfinished\":true"),
        std::string::npos)
        << result.timeline;
    EXPECT_EQ(
        std::count(result.notices.begin(), result.notices.end(), "no critical path: the trace did not run to its end"),
        1);
}

// Of two GPUs with a long link between them, rank 0 waits for the acknowledge and rank 1 for the signal.
TEST(FlowUntil, WhatRanksWaitForCountsUpToTheEnd)
{
    RunSetup setup = setup_of(mesh_document(2), "broadcast", "tree", 12'000'000);
    setup.lines = "profile: h100\n" + collective_lines("broadcast", "tree", "4 KiB");
    setup.sets = {"link.latency=10us", "engine.channels=1"};
    setup.options.follow = true;
    const RunResult early = flow_of(setup);
    setup.options.until = 19'000'000;
    const RunResult late = flow_of(setup);
    for (unsigned rank = 0; rank < 2; ++rank) {
        auto expected = early.ranks[rank].stall_ps;
        for (auto& [cause, time] : expected)
            if (cause == (rank == 0 ? "acknowledge" : "flag")) time += 7'000'000;
        EXPECT_EQ(late.ranks[rank].stall_ps, expected);
        EXPECT_EQ(sum_of(late.ranks[rank]), 19'000'000U);
    }
    EXPECT_EQ(late.ranks[1].stall_ps,
        (Causes{{"busy", 0}, {"issue", 0}, {"registers", 0}, {"loads", 0}, {"unit_outstanding", 0}, {"acknowledge", 0},
            {"flag", 19'000'000}, {"barrier", 0}, {"compute", 0}, {"queued", 0}}));
    EXPECT_NE(late.timeline.find("\"name\":\"wait 0\",\"ts\":0.000000,\"dur\":19.000000,\"args\":{\"job\":0,"
                                 "\"step\":0,\"flag_ps\":19000000,\"unfinished\":true}"),
        std::string::npos)
        << late.timeline;
}

// Wherever a run is stopped, also where the log is ahead of it: the causes of a rank add up to its time so far, and no slice is longer.
TEST(FlowUntil, WhereverItIsStoppedCausesAddUp)
{
    struct Kind {
        const char* op;
        const char* algorithm;
        const char* set;
    };
    const Kind kinds[] = {{"all_reduce", "ring", "engine.protocol=simple"},
        {"all_gather", "direct_get", "engine.protocol=simple"},
        {"all_reduce", "two_shot_get", "engine.protocol=simple"}, {"all_gather", "ring", "engine.mover=copy_engine"},
        {"all_reduce", "ring", "engine.protocol=ll"}, {"all_reduce", "ring", "engine.protocol=ll128"}};
    for (const auto& [op, algorithm, set] : kinds) {
        RunSetup setup = setup_of(star_document(4), op, algorithm, 0);
        setup.lines = "profile: h100\n" + collective_lines(op, algorithm, "48 KiB");
        setup.sets = {set, "engine.channels=1"};
        setup.options.follow = true;
        const RunResult whole = flow_of(setup);
        for (const RankResult& rank : whole.ranks) EXPECT_EQ(sum_of(rank), rank.finish_ps);
        EXPECT_EQ(whole.timeline.find("unfinished"), std::string::npos);
        for (unsigned part = 1; part < 40; part += test::thorough() ? 1 : 4) {
            const Time until = whole.simulated_ps * part / 40;
            setup.options.until = until;
            const RunResult result = flow_of(setup);
            for (const RankResult& rank : result.ranks)
                EXPECT_EQ(sum_of(rank), rank.finish_ps > 0 ? rank.finish_ps : until) << algorithm << " at " << until;
            const auto timeline = nlohmann::json::parse(result.timeline);
            for (const auto& event : timeline["traceEvents"]) {
                if (event["ph"] != "X") continue;
                const double end = (event["ts"].get<double>() + event["dur"].get<double>()) * 1e6;
                EXPECT_LE(std::llround(end), static_cast<long long>(until)) << event;
                std::uint64_t spent = 0;
                for (const auto& [name, value] : event["args"].items())
                    if (name.size() > 3 && name.substr(name.size() - 3) == "_ps") spent += value.get<std::uint64_t>();
                EXPECT_EQ(spent, static_cast<std::uint64_t>(std::llround(event["dur"].get<double>() * 1e6))) << event;
            }
        }
    }
}

// Nothing moves any more: rank 0 receives what rank 1 would send later, and the other way round.
TEST(FlowUntil, ADeadlockCountsUpToItsEnd)
{
    const chakra::testing::Folder folder;
    using namespace chakra::testing;
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: h100\n" +
        trace_lines(folder.write_set({{recv(1, 1, 5, 64), send(2, 1, 6, 64).data({1}), comp(3, 4)},
            {recv(1, 0, 6, 64), send(2, 0, 5, 64).data({1})}}));
    setup.options.progress = false;
    setup.options.follow = true;
    const RunResult result = flow_of(setup);
    ASSERT_EQ(result.stop, StopReason::deadlock);
    EXPECT_EQ(result.simulated_ps, 4'000'000U);
    for (const char* rank : {"0", "1"})
        EXPECT_NE(result.timeline.find(std::string("\"ts\":0.000000,\"dur\":4.000000,\"args\":{\"rank\":") + rank +
                      ",\"node\":1,\"kind\":\"receive\""),
            std::string::npos)
            << result.timeline;
}

// A rank that only receives answers when data are there, which takes 10 us on the link.
TEST(FlowSeries, AcknowledgesCountWhenTheirDataAreThere)
{
    RunSetup setup = setup_of(mesh_document(2), "broadcast", "tree", 0);
    setup.lines = "profile: h100\n" + collective_lines("broadcast", "tree", "64 KiB");
    setup.sets = {"link.bandwidth=50GB/s", "link.latency=10us"};
    setup.options.window = 1'000'000;
    for (const Time until : {Time{0}, Time{19'000'000}, Time{33'000'000}}) {
        if (until > 0) setup.options.until = until;
        const RunResult result = flow_of(setup);
        std::istringstream rows(result.series);
        std::string row;
        std::getline(rows, row);
        std::map<std::string, std::pair<Time, std::uint64_t>> sums;
        std::map<std::string, Time> first;
        while (std::getline(rows, row)) {
            const std::vector<std::string_view> cells = comma_list(row);
            const auto number = [&](std::size_t i) { return std::stoull(std::string(cells[i])); };
            const std::string from(cells[3]);
            EXPECT_LE(number(8), number(1)) << row;
            if (number(6) > 0) first.emplace(from, number(0));
            sums[from].first += number(8);
            sums[from].second += number(6);
        }
        EXPECT_EQ(first.at("b.0.xpu.0"), 0U);
        EXPECT_EQ(first.at("b.0.xpu.1"), 10'000'000U);
        for (const LinkResult& link : result.link_results) {
            EXPECT_EQ(sums[link.from].first, link.busy_ps);
            EXPECT_EQ(sums[link.from].second, link.wire_bytes);
        }
    }
}

// A saturated link: hundreds of small transfers, each of a fraction of a picosecond more than the wire is taken for.
TEST(FlowSeries, NoWindowIsBusyForLongerThanItIs)
{
    RunSetup setup = setup_of(example("dgx_h100"), "all_to_all", "pairwise", 0);
    setup.options.window = 1'000'000;
    const RunResult result = flow_of(setup);
    std::istringstream rows(result.series);
    std::string row;
    std::getline(rows, row);
    std::map<std::string, Time> sums;
    std::uint64_t full = 0;
    while (std::getline(rows, row)) {
        const std::vector<std::string_view> cells = comma_list(row);
        const auto number = [&](std::size_t i) { return std::stoull(std::string(cells[i])); };
        EXPECT_LE(number(8), number(1)) << row;
        full += number(8) == number(1) ? 1 : 0;
        sums[std::string(cells[3]) + ">" + std::string(cells[4])] += number(8);
    }
    EXPECT_GT(full, 0U);
    for (const LinkResult& link : result.link_results) EXPECT_EQ(sums[link.from + ">" + link.to], link.busy_ps);
}

}  // namespace flow_until_test
