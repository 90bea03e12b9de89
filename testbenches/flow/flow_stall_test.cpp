// Traces over hundreds of ranks, with --all a thousand, that wait for each other in a circle: the run ends, and the report names the circle in a few lines.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace flow_stall_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

const auto n = static_cast<std::uint32_t>(test::by_default(256, 1024));
constexpr int all_reduce = 0;
using Ranks = std::vector<std::vector<std::string>>;

RunResult run_ranks(const Ranks& ranks, const std::string& groups = "")
{
    const Folder folder;
    RunSetup setup;
    setup.document = star_document(n);
    std::string more;
    if (!groups.empty()) more = "groups: \"" + folder.write("groups.json", groups) + "\"";
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks), more);
    setup.sets = {"engine.channels=1"};
    setup.options.progress = false;
    return run_flow(resolve_setup(setup), setup.options);
}

}  // namespace

TEST(FlowStall, ReceivesBeforeSendsAroundARingOfManyRanksAreNamed)
{
    Ranks ranks(n);
    for (std::uint32_t rank = 0; rank < n; ++rank)
        ranks[rank] = {recv(1, static_cast<int>((rank + 1) % n), 5, 64),
            send(2, static_cast<int>((rank + n - 1) % n), 5, 64).data({1})};
    const RunResult result = run_ranks(ranks);
    EXPECT_EQ(result.stop, StopReason::deadlock);
    EXPECT_EQ(result.exit_code(), 3);
    ASSERT_EQ(result.blocked.size(), 3U);
    EXPECT_EQ(result.blocked[0],
        fmt::format(
            "circular wait: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 3, which waits "
            "for rank 4, which waits for rank 5, which waits for rank 6, which waits for rank 7, which waits, "
            "over {} more, for rank {}, which waits for rank 0",
            n - 9, n - 1));
    EXPECT_EQ(result.blocked[1],
        fmt::format("rank r: COMM_RECV_NODE node 1 (r) waits for a send from rank r+1 with tag 5, for r = 0-{} "
                    "(modulo {})",
            n - 1, n));
    EXPECT_EQ(result.blocked[2], fmt::format("rank r: COMM_SEND_NODE node 2 waits for node 1, for r = 0-{}", n - 1));
    // One rank that sends first lets all of them go on.
    ranks[7] = {send(1, 6, 5, 64), recv(2, 8, 5, 64)};
    EXPECT_EQ(run_ranks(ranks).stop, StopReason::finished);
}

// Pairs of neighbours, each with a group of its own: every rank enters the collective with the next rank before the one with the
// rank before it.
TEST(FlowStall, CollectivesEnteredInDifferentOrdersByManyRanksAreNamed)
{
    Ranks ranks(n);
    std::string groups;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        const std::uint32_t next = (rank + 1) % n;
        groups += fmt::format("{}\"{}\": [{}, {}]", rank == 0 ? "{" : ",", rank + 1, std::min(rank, next),
            std::max(rank, next));
        ranks[rank] = {collective(1, all_reduce, 4096, std::to_string(rank + 1)),
            collective(2, all_reduce, 4096, std::to_string((rank + n - 1) % n + 1)).data({1})};
    }
    groups += "}";
    const RunResult result = run_ranks(ranks, groups);
    EXPECT_EQ(result.stop, StopReason::deadlock);
    ASSERT_FALSE(result.blocked.empty());
    EXPECT_EQ(
        result.blocked[0].rfind("circular wait: rank 0 waits in ALL_REDUCE for rank 1, which waits in ALL_REDUCE for "
                                "rank 2, which",
            0),
        0U)
        << result.blocked[0];
    EXPECT_LT(result.blocked.size(), 100U);
    // One rank with the order of its neighbour breaks the circle.
    ranks[0] = {collective(1, all_reduce, 4096, std::to_string(n)), collective(2, all_reduce, 4096, "1").data({1})};
    EXPECT_EQ(run_ranks(ranks, groups).stop, StopReason::finished);
}

}  // namespace flow_stall_test
