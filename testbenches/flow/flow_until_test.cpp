// A run that ends before its work does (--until) counts what has taken the wire by then, and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/comma_list.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

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
    EXPECT_EQ(
        std::count(result.notices.begin(), result.notices.end(), "no critical path: the trace did not run to its end"),
        1);
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
