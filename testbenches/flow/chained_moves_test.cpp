// Steps that wait for each other over ranks and are larger than registers, where flow is faster than lines.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/chained_moves.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace chained_moves_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t registers = 16 << 10;  // 16 wavefronts with two instructions of 64 lanes and 16 B

std::uint32_t moves(const char* algorithm, CollectiveOp op, std::uint64_t bytes)
{
    AlgorithmOptions options;
    options.channels = 32;
    return most_chained_moves(make_schedule(algorithm, op, 8, options), bytes, registers);
}

bool tells(const std::string& engine, const std::string& bytes)
{
    RunSetup setup;
    setup.document = star_document(8);
    setup.lines =
        "engine: {" + engine + "}\nworkload: {collective: all_reduce, algorithm: ring, bytes: " + bytes + "}\n";
    for (const std::string& notice : run_flow(resolve_setup(setup), setup.options).notices)
        if (notice.find("wait for another rank each") != std::string::npos) return true;
    return false;
}

}  // namespace

// Of 14 steps the first waits for nobody.
TEST(ChainedMoves, AreThoseThatWaitAndDoNotFitIntoRegisters)
{
    EXPECT_EQ(moves("ring", CollectiveOp::all_reduce, 4 << 20), 0u);
    EXPECT_EQ(moves("ring", CollectiveOp::all_reduce, 5 << 20), 13u);
    EXPECT_EQ(moves("ring", CollectiveOp::all_gather, 5 << 20), 6u);
    EXPECT_LE(moves("direct", CollectiveOp::all_reduce, 16 << 20), 2u);
    EXPECT_EQ(moves("direct", CollectiveOp::all_gather, 16 << 20), 0u);
}

TEST(ChainedMoves, RunsTellThem)
{
    EXPECT_TRUE(tells("channels: 32", "5 MiB"));
    EXPECT_FALSE(tells("channels: 32", "4 MiB"));
    EXPECT_TRUE(tells("channels: 32, unroll: 1", "4 MiB"));
    EXPECT_FALSE(tells("channels: 32, mover: bulk", "5 MiB"));
}

}  // namespace chained_moves_test
