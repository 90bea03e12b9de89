// Collectives of more than 64 ranks: what small messages and their signals take.
#include <gtest/gtest.h>

#include <string>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace many_ranks_test {

using namespace weft;
using namespace weft::testing;

namespace {

const char* const star_of_66 = R"(
name: star
devices:
- name: board
  components:
  - {name: xpu, choice: xpu, count: 66}
  - {name: sw, choice: switch, count: 1}
  links:
  - {name: wire, description: NVLink 4}
  edges:
  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}
instances:
- {name: b, device: board, count: 1}
)";

// Of an all-gather in which each rank stores so much at each of 65 others.
std::uint64_t wire_bytes(const std::string& channels, std::uint64_t block)
{
    RunSetup setup;
    setup.document = star_of_66;
    setup.lines = "profile: h100\n" + collective_lines("all_gather", "direct", std::to_string(66 * block));
    setup.sets = {"engine.channels=" + channels};
    setup.options.progress = false;
    return run_flow(resolve_setup(setup), setup.options).link_results.front().wire_bytes;
}

}  // namespace

// Packets of 128 B with 16 B of header and an acknowledge of 16 B, and for each channel and peer a signal of 32 B and its acknowledge of 16 B. By
// lines it is 32 B more on each link with 512 B: 47,872 and 66,592.
TEST(ManyRanks, SignalsTakeTheWire)
{
    EXPECT_EQ(wire_bytes("2", 512), 65 * (512 + 4 * 32 + 2 * 48));
    EXPECT_EQ(wire_bytes("8", 512), 65 * (512 + 4 * 32 + 8 * 48));
    // Chunks of more than sixteen lines are written rank by rank.
    EXPECT_EQ(wire_bytes("8", 16384), 65 * (16384 + 128 * 32 + 8 * 48));
}

}  // namespace many_ranks_test
