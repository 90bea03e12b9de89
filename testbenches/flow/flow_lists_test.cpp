// Engines that copy for several jobs at once at flow fidelity: whose turn it is, who waits for a place, when lists poll, and what parts of
// lines cost an engine.
#include <gtest/gtest.h>

#include <string>

#include "collectives/schedule/analysis/partial_lines.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace flow_lists_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

// A poll of a list and the interval behind it take 250 ns.
RunSetup star(unsigned ranks, const std::string& lines, const std::string& mover)
{
    RunSetup out;
    out.document = star_document(ranks);
    out.lines = "profile: generic\n" + lines;
    out.sets = {"engine.channels=1", "engine.mover=" + mover};
    out.options.progress = false;
    return out;
}

RunResult flow_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }
std::uint64_t ps(const RunSetup& setup) { return flow_of(setup).simulated_ps; }

// One rank sends four messages to another at once, none of which waits for another.
class FourSends {
public:
    FourSends() : prefix_(folder_.write_set({sends(), receives()})) {}
    RunSetup by(const std::string& mover) const
    {
        return star(2, trace_lines(prefix_), mover).with("engine.communication_in_flight=4");
    }

private:
    static std::vector<std::string> sends()
    {
        return {send(1, 1, 1, 4096), send(2, 1, 2, 4096), send(3, 1, 3, 4096), send(4, 1, 4, 4096)};
    }
    static std::vector<std::string> receives()
    {
        return {recv(1, 0, 1, 4096), recv(2, 0, 2, 4096), recv(3, 0, 3, 4096), recv(4, 0, 4, 4096)};
    }
    Folder folder_;
    std::string prefix_;
};

// How much longer a start of 50 us in place of 25 makes a run: 25 us for each copy that waits for the one before it.
std::uint64_t more_by_start(const RunSetup& setup, const std::string& block)
{
    return ps(setup.with(block + ".start=50 us")) - ps(setup.with(block + ".start=25 us"));
}

}  // namespace

TEST(FlowLists, ListsOfAllJobsGoToTheEnginesInTurn)
{
    const FourSends four;
    const RunSetup lists = four.by("copy_engine");
    EXPECT_EQ(more_by_start(lists.with("copy.engines=1"), "copy"), 100'000'000U);
    EXPECT_EQ(more_by_start(lists.with("copy.engines=2"), "copy"), 50'000'000U);
    EXPECT_EQ(more_by_start(lists.with("copy.engines=4"), "copy"), 25'000'000U);
}

// Units as the dispatcher gives them out: each workgroup the next one with a place.
TEST(FlowLists, WorkgroupsOfAllJobsGoToTheUnitsInTurn)
{
    const FourSends four;
    const RunSetup bulk = four.by("bulk").with("gpu.workgroups_per_unit=4");
    EXPECT_EQ(more_by_start(bulk.with("gpu.compute_units=1"), "bulk"), 100'000'000U);
    EXPECT_EQ(more_by_start(bulk.with("gpu.compute_units=2"), "bulk"), 50'000'000U);
    EXPECT_EQ(more_by_start(bulk.with("gpu.compute_units=4"), "bulk"), 25'000'000U);
}

// With one place a list begins when the one before it has ended, signal and all.
TEST(FlowLists, AListWaitsForAPlace)
{
    const FourSends four;
    const RunSetup one = four.by("copy_engine").with("copy.engines=1");
    const std::uint64_t free = ps(one);
    const std::uint64_t two = ps(one.with("copy.queues=2"));
    const RunSetup single = one.with("copy.queues=1");
    EXPECT_LT(free, two);
    EXPECT_LT(two, ps(single));
    const RunResult lines = run_here(single);
    EXPECT_NEAR(static_cast<double>(ps(single)), static_cast<double>(lines.simulated_ps),
        0.04 * static_cast<double>(lines.simulated_ps));  // two polls of 12.8 us
}

// Each rank receives before it sends, so the only place is that of a list that waits.
TEST(FlowLists, ListsThatWaitForEachOthersPlacesAreADeadlock)
{
    const Folder folder;
    const std::string prefix =
        folder.write_set({{recv(1, 1, 0, 4096), send(2, 1, 0, 4096)}, {recv(1, 0, 0, 4096), send(2, 0, 0, 4096)}});
    const RunSetup setup = star(2, trace_lines(prefix), "copy_engine").with("copy.engines=1");
    EXPECT_EQ(flow_of(setup.with("copy.queues=2")).stop, StopReason::finished);
    const RunResult stuck = flow_of(setup.with("copy.queues=1"));
    EXPECT_EQ(stuck.stop, StopReason::deadlock);
    EXPECT_EQ(stuck.exit_code(), 3);
    std::string all;
    for (const std::string& line : stuck.blocked) all += line + "\n";
    EXPECT_NE(all.find("has a command list that waits for a copy engine"), std::string::npos) << all;
}

// Also the lists of one collective.
TEST(FlowLists, ListsBeyondThePlacesOfOneCollectiveWait)
{
    const RunSetup two = star(2, collective_lines("all_gather", "direct", "8 KiB"), "copy_engine")
                             .with("engine.channels=2")
                             .with("copy.engines=1");
    const std::uint64_t together = ps(two.with("copy.queues=2"));
    const RunResult queued = flow_of(two.with("copy.queues=1"));
    EXPECT_EQ(queued.stop, StopReason::finished);
    EXPECT_GT(queued.simulated_ps, together + 1'000'000);
    std::uint64_t waited = 0;
    for (const auto& [cause, time] : queued.ranks.at(0).stall_ps)
        if (cause == "queued") waited = time;
    EXPECT_GT(waited, 1'000'000U);
}

// Flags that are set within the first interval are found by the poll behind it: one more interval is one more interval.
TEST(FlowLists, PollsFollowEachOtherFromTheBeginningOfTheWait)
{
    const RunSetup setup = star(2, collective_lines("all_gather", "direct", "8 KiB"), "copy_engine");
    const auto by = [&](const char* interval) { return ps(setup.with(std::string("copy.poll_interval=") + interval)); };
    EXPECT_EQ(by("10 us") - by("5 us"), 5'000'000U);
    EXPECT_EQ(by("1 ms") - by("10 us"), 990'000'000U);
    EXPECT_NEAR(static_cast<double>(by("1 ms")),
        static_cast<double>(run_here(setup.with("copy.poll_interval=1 ms")).simulated_ps), 20e3);
}

TEST(FlowLists, ACopyIsCutWhereAnOperandReachesTheEndOfALine)
{
    const auto lines = [](std::uint64_t bytes, std::uint64_t from, std::vector<std::uint64_t> to) {
        Piece piece;
        piece.bytes = bytes;
        piece.sources.push_back({0, Buffer::input, from});
        for (const std::uint64_t offset : to) piece.destinations.push_back({1, Buffer::output, offset});
        return lines_of_copy(piece);
    };
    EXPECT_EQ(lines(1, 0, {0}), 1U);
    EXPECT_EQ(lines(64, 0, {128}), 1U);
    EXPECT_EQ(lines(65, 0, {128}), 2U);
    EXPECT_EQ(lines(64, 32, {32}), 2U);
    EXPECT_EQ(lines(64, 0, {32}), 2U);
    EXPECT_EQ(lines(128, 0, {32}), 4U);
    EXPECT_EQ(lines(128, 0, {32, 96}), 4U);  // in the same place of their lines
    EXPECT_EQ(lines(128, 0, {32, 16}), 6U);
    EXPECT_EQ(lines(32, 16, {0}), 1U);
}

// Shares of 65540 B on three ranks: the first two begin at places of the output that are not those of the input. A copy of the third is
// of 1025 lines, each in two parts, to three places.
TEST(FlowLists, APartOfALineTakesTheTimeOfALine)
{
    const RunSetup setup =
        star(3, collective_lines("all_gather", "direct", "196620"), "copy_engine").with("copy.poll_interval=1 ns");
    const double us = static_cast<double>(ps(setup.with("copy.rate=1 GB/s"))) / 1e6 -
        static_cast<double>(ps(setup.with("copy.rate=2 GB/s"))) / 1e6;
    EXPECT_NEAR(us, 2049.0 * 3 * 64 / 2e3, 0.2);
}

}  // namespace flow_lists_test
