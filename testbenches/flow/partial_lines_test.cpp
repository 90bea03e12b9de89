// Data that go to another place of a line than they come from are told.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/partial_lines.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace partial_lines_test {

using namespace weft;
using namespace weft::testing;

namespace {

double share(const char* algorithm, CollectiveOp op, std::uint32_t ranks, std::uint64_t bytes)
{
    AlgorithmOptions options;
    options.channels = 1;
    const Schedule schedule = make_schedule(algorithm, op, ranks, options);
    return share_in_partial_lines(schedule, bytes, 4);
}

bool tells(const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup;
    setup.document = star_document(6);
    setup.lines = "profile: generic\n" + collective_lines("all_gather", algorithm, bytes);
    setup.options.progress = setup.options.data_on = false;
    for (const std::string& notice : run_flow(resolve_setup(setup), setup.options).notices)
        if (notice.find("another place of a line") != std::string::npos) return true;
    return false;
}

}  // namespace

TEST(FlowPartialLines, TheShareIsThatOfDataThatMoveWithinLines)
{
    // Input chunks begin at lines; those of the output of all ranks but the first do not.
    EXPECT_NEAR(share("direct", CollectiveOp::all_gather, 6, 2 << 20), 5.0 / 6, 0.01);
    EXPECT_EQ(share("direct", CollectiveOp::all_gather, 6, 2049 << 10), 0);
    EXPECT_EQ(share("direct", CollectiveOp::all_gather, 8, 2 << 20), 0);
    // Both buffers of an all-reduce have the chunk at the same place.
    EXPECT_EQ(share("two_shot_get", CollectiveOp::all_reduce, 6, 2 << 20), 0);
}

TEST(FlowPartialLines, RunsTellIt)
{
    EXPECT_TRUE(tells("direct", "2 MiB"));
    EXPECT_FALSE(tells("direct", "2049 KiB"));
    EXPECT_FALSE(tells("direct", "1000"));  // latencies are all of it
}

// The L2 fetches the rest of a line that nobody has touched, and acknowledges a store to a part of it then; the signal waits for that.
TEST(FlowPartialLines, StoresToPartsOfLinesWaitForMemory)
{
    struct Times {
        double lines;
        double flow;
    };
    const auto times = [](const std::string& op, const std::string& bytes, unsigned ranks) {
        RunSetup setup;
        setup.document = mesh_document(ranks);
        setup.lines = "profile: generic\n" + collective_lines(op, "direct", bytes);
        setup.sets = {"engine.channels=1", "hbm.refresh=none", "link.bandwidth=1000GB/s"};
        setup.options.progress = setup.options.data_on = false;
        return Times{run(setup).at("simulated_ps"),
            static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps)};
    };
    RunSetup generic;  // its first node is an accelerator
    generic.document = mesh_document(2);
    generic.lines = "profile: generic\n" + collective_lines("broadcast", "direct", "64");
    const ResolvedSystem system = resolve_setup(generic);
    const auto read = static_cast<double>(idle_read(system.hbm(0)));
    const auto later = [&](const std::string& op, const std::string& part, const std::string& whole) {
        const Times of_part = times(op, part, 2);
        const Times of_whole = times(op, whole, 2);
        return Times{of_part.lines - of_whole.lines, of_part.flow - of_whole.flow};
    };
    // By lines and at flow the flag is found by the next poll.
    for (const auto& [part, whole] : {std::pair("60", "64"), std::pair("124", "128")}) {
        const Times time = later("broadcast", part, whole);
        EXPECT_NEAR(time.flow, time.lines, 1000);
        EXPECT_GE(time.lines, read - 100);
        EXPECT_LE(time.lines, 1.5 * read);
    }
    // Both chunks are in one line, which each rank has read before the other one's chunk comes.
    EXPECT_NEAR(later("all_gather", "60", "64").lines, 0, 1000);
    EXPECT_NEAR(later("all_gather", "60", "64").flow, 0, 1000);
    for (const char* op : {"all_to_all", "all_gather"}) {
        const Times time = times(op, "4080", 4);
        EXPECT_NEAR(time.flow / time.lines, 1, 0.03) << op;
    }
}

// 24 places for 32 channels: of a chunk of 1 KiB the first 16 have a line, and the others are done before these wait for a place. Were
// each given 32 B, all would go in two rounds: half as fast.
TEST(FlowPartialLines, ChannelsWithoutALineLeaveTheirPlaces)
{
    for (const std::string algorithm : {"ring", "direct"}) {
        RunSetup setup;
        setup.document = mesh_document(3);
        setup.lines = "profile: generic\n" + collective_lines("all_reduce", algorithm, "3072");
        setup.sets = {"gpu.compute_units=6", "engine.channels=32"};
        setup.options.progress = setup.options.data_on = false;
        const double lines = run(setup).at("simulated_ps");
        const double flow = static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
        EXPECT_NEAR(flow / lines, 1, 0.1) << algorithm;
    }
}

}  // namespace partial_lines_test
