// A thread of which its rank has no second one: blocks of a plan, one channel.
#include <gtest/gtest.h>

#include "testbenches/flow/flow_bench.h"
#include "testbenches/synthesis/graphs.h"

namespace lone_threads_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint32_t chunk_bytes = 16 << 10;
constexpr std::uint64_t slots_ps = 8 * chunk_bytes;  // of its loads, and of its stores

// Each of two ranks puts a chunk to the other one, by so many threads that do a part each.
Schedule exchange(std::uint32_t threads)
{
    Schedule out;
    out.op = CollectiveOp::custom;
    out.chunks = 1;
    out.ranks.resize(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        RankPlan& plan = out.ranks[rank];
        plan.input_chunks = plan.output_chunks = 1;
        plan.semaphores = threads;
        plan.threads.resize(threads);
        for (std::uint32_t t = 0; t < threads; ++t) {
            Step put = move_step({{rank, Buffer::input, 0, 1}}, {{1 - rank, Buffer::output, 0, 1}});
            put.part = t;
            put.parts = threads;
            plan.threads[t].steps = {put, signal_step(1 - rank, t), wait_step(1 - rank, t)};
        }
    }
    return out;
}

// How much earlier it ends if lone threads are told apart.
std::uint64_t saved(const Schedule& schedule, std::uint64_t load_ps, std::uint64_t poll_ps)
{
    EstimateOptions options;
    options.bytes = chunk_bytes;
    CostGraph graph = mesh_graph(2);
    for (CostRank& rank : graph.ranks) {
        rank.issue_ps_per_byte = 8;
        rank.load_ps = load_ps;
        rank.poll_ps = poll_ps;
        rank.notice_ps = 1000;
    }
    const auto program = std::make_shared<const FlowProgram>(program_of(schedule));
    FlowProfile profile;
    const std::uint64_t before = play(program, graph, options, profile).end_ps;
    profile.lone_threads = true;
    return before - play(program, graph, options, profile).end_ps;
}

}  // namespace

// Its stores begin when the first line has come. By then all loads are issued, or as many as there is time for.
TEST(LoneThreads, IssueLoadsWhileTheyWaitForTheFirst)
{
    EXPECT_EQ(saved(exchange(1), 2 * slots_ps, 0), slots_ps);
    EXPECT_EQ(saved(exchange(1), slots_ps / 4, 0), slots_ps / 4);
    EXPECT_EQ(saved(exchange(1), 0, 0), 0U);
}

// No look follows the one that finds the flag.
TEST(LoneThreads, GoOnWithTheLookThatFindsTheFlag) { EXPECT_EQ(saved(exchange(1), 0, 700), 700U); }

TEST(LoneThreads, ChannelsAreNotLone) { EXPECT_EQ(saved(exchange(2), 2 * slots_ps, 700), 0U); }

}  // namespace lone_threads_test
