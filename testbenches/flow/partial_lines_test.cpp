// Data that go to another place of a line than they come from are told.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/partial_lines.h"
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
