// Flags between threads of one rank at flow fidelity: signals to itself, `after` and barriers.
#include <gtest/gtest.h>

#include "platform/applications/flow/flow_fabric.h"
#include "platform/choice/cost_graph_of.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"
#include "testbenches/synthesis/graphs.h"

namespace own_flags_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t own_flag_ps = 105'000;
constexpr std::uint64_t notice_ps = 130'000;

Step copy() { return move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}}); }

Schedule two_threads(std::vector<Step> first, std::vector<Step> second)
{
    Schedule out;
    out.op = CollectiveOp::custom;
    out.chunks = 1;
    out.ranks.resize(2);
    for (RankPlan& plan : out.ranks) {
        plan.input_chunks = plan.output_chunks = 1;
        plan.semaphores = 1;
    }
    out.ranks[0].threads = {{std::move(first)}, {std::move(second)}};
    out.ranks[1].threads.resize(1);
    return out;
}

// What the flag adds to the time of a thread that goes on when the other one has told it.
std::uint64_t flag_ps(const Schedule& schedule)
{
    EstimateOptions options;
    options.bytes = 4096;
    CostGraph graph = mesh_graph(2);
    for (CostRank& rank : graph.ranks) rank.load_ps = 150'000;
    const std::uint64_t without = play(schedule, graph, options).end_ps;
    for (CostRank& rank : graph.ranks) {
        rank.own_flag_ps = own_flag_ps;
        rank.notice_ps = notice_ps;
    }
    const std::uint64_t with = play(schedule, graph, options).end_ps;
    EXPECT_EQ(estimate(schedule, graph, options).time_ps, with);
    return with - without;
}

}  // namespace

// It goes from the unit to the cache, and has no way back to wait for.
TEST(OwnFlags, TakeTheWayToTheCacheAndTheNotice)
{
    EXPECT_EQ(flag_ps(two_threads({copy(), signal_step(0, 0)}, {wait_step(0, 0), copy()})), own_flag_ps + notice_ps);
    Step depends = copy();
    depends.after = {{0, 0}};
    EXPECT_EQ(flag_ps(two_threads({copy()}, {depends})), own_flag_ps + notice_ps);
    Step meets;
    meets.kind = StepKind::barrier;
    meets.participants = 2;
    EXPECT_EQ(flag_ps(two_threads({copy(), meets}, {meets, copy()})), own_flag_ps + notice_ps);
}

// A wait that depends on a step looks at both flags at once, if there are lanes for them; else at its own when the other one is found. So it
// does behind steps without work.
TEST(OwnFlags, OfDependenciesArePolledWithThoseOfPeers)
{
    constexpr std::uint64_t poll_ps = 150'000;
    const auto end_of = [](bool nop, std::uint32_t lanes) {
        Step depends = wait_step(1, 0);
        depends.after = {{0, 0}};
        std::vector<Step> second{depends, copy()};
        if (nop) {
            second.insert(second.begin(), Step());
            second[0].kind = StepKind::nop;
            std::swap(second[0].after, second[1].after);
        }
        Schedule schedule = two_threads({copy()}, std::move(second));
        schedule.ranks[1].threads[0].steps = {signal_step(0, 0)};
        EstimateOptions options;
        options.bytes = 4096;
        CostGraph graph = mesh_graph(2);
        for (CostRank& rank : graph.ranks) {
            rank.load_ps = 10'000'000;  // the signal is there before
            rank.own_flag_ps = own_flag_ps;
            rank.notice_ps = notice_ps;
            rank.poll_ps = poll_ps;
            rank.poll_slot_ps = 600;
            rank.poll_lanes = lanes;
        }
        FlowProfile profile;
        profile.polls_dependencies = true;
        return play(std::make_shared<FlowProgram>(program_of(schedule)), graph, options, profile).end_ps;
    };
    for (const bool nop : {false, true}) {
        EXPECT_EQ(end_of(nop, 1), end_of(nop, 2) + poll_ps) << nop;
        EXPECT_EQ(end_of(nop, 2), end_of(nop, 32));
    }
}

// 45 ns to the slice of the L2 and 60 ns there; of an H100 41 and 60, and in half of all cases 24 more to the other half.
TEST(OwnFlags, GoToWhereAllSeeThem)
{
    const auto of = [](const char* profile) {
        RunSetup setup;
        setup.document = mesh_document(2);
        setup.lines = std::string("profile: ") + profile + "\n" + collective_lines("all_reduce", "ring", "1 MiB");
        const ResolvedSystem system = resolve_setup(setup);
        return rank_cost_of(system, members_of(system).front()).own_flag_ps;
    };
    EXPECT_EQ(of("generic"), 105'000U);
    EXPECT_EQ(of("h100"), 113'000U);
}

}  // namespace own_flags_test
