// What a switch carries out: reduce_multicast, push_reduce.
#include <gtest/gtest.h>

#include <cstring>

#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/execute.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"

namespace in_switch_test {

using namespace weft;

namespace {

std::vector<ChunkRef> of_all(std::uint32_t ranks, Buffer buffer, std::uint32_t chunk)
{
    std::vector<ChunkRef> out;
    for (std::uint32_t r = 0; r < ranks; ++r) out.push_back({r, buffer, chunk, 1});
    return out;
}

// Everybody reduces its shard and multicasts it.
Schedule shards(std::uint32_t ranks)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, ranks, ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
        Step step = move_step(of_all(ranks, Buffer::input, r), of_all(ranks, Buffer::output, r));
        step.kind = StepKind::reduce_multicast;
        steps_of(schedule, r) = {step};
    }
    return schedule;
}

Schedule pushes(std::uint32_t ranks)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, ranks, 1);
    for (std::uint32_t r = 0; r < ranks; ++r) {
        Step step = move_step({in(r, 0)}, of_all(ranks, Buffer::output, 0));
        step.kind = StepKind::push_reduce;
        steps_of(schedule, r) = {step};
    }
    return schedule;
}

void expect_problem(const Schedule& schedule, const std::string& text)
{
    const Verification result = verify(schedule);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(all_problems(result).find(text), std::string::npos) << "wanted: " << text << "\n" << all_problems(result);
}

void expect_sums(const Schedule& schedule)
{
    const std::uint32_t n = schedule.size();
    const Layout layout(schedule, 4 * n, 4);
    std::vector<RankMemory> memories = allocate_memories(layout, n);
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto value = static_cast<std::int32_t>(100 * r + i);
            std::memcpy(memories[r].memory[0].data() + 4 * i, &value, 4);
        }
    execute(schedule, layout, ElementType::int32, memories);
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::uint32_t i = 0; i < n; ++i) {
            std::int32_t value = 0;
            std::memcpy(&value, memories[r].memory[1].data() + 4 * i, 4);
            EXPECT_EQ(value, static_cast<std::int32_t>(100 * (n * (n - 1) / 2) + n * i));
        }
}

}  // namespace

TEST(InSwitch, ShardsReducedAndMulticast)
{
    Schedule schedule = shards(4);
    meet_before(schedule);
    meet_after(schedule);
    const Verification result = verify(schedule);
    EXPECT_TRUE(result.ok) << all_problems(result);
    EXPECT_EQ(result.steps, 1u);
    // (1 + 1/n) S up and down.
    const Traffic traffic = traffic_of(schedule, Layout(schedule, 4096, 4));
    for (std::uint32_t r = 0; r < 4; ++r) {
        EXPECT_EQ(traffic.sent[r], 4096u + 1024u);
        EXPECT_EQ(traffic.received[r], 4096u + 1024u);
    }
    expect_sums(schedule);
}

TEST(InSwitch, PushedTermsAreAddedForAll)
{
    const Schedule schedule = pushes(3);
    const Verification result = verify(schedule);
    EXPECT_TRUE(result.ok) << all_problems(result);
    EXPECT_EQ(result.steps, 1u);
    const Traffic traffic = traffic_of(schedule, Layout(schedule, 4096, 4));
    for (std::uint32_t r = 0; r < 3; ++r) {
        EXPECT_EQ(traffic.sent[r], 4096u);
        EXPECT_EQ(traffic.received[r], 4096u);
    }
    expect_sums(schedule);
}

TEST(InSwitch, AMissingPushIsNamed)
{
    Schedule schedule = pushes(3);
    steps_of(schedule, 1).clear();
    expect_problem(schedule,
        "rank 0 thread 0 step 0 (push_reduce) never runs: it waits for the contribution of rank 1");
}

TEST(InSwitch, AWrongSourceIsFound)
{
    Schedule schedule = shards(3);
    steps_of(schedule, 1)[0].sources.pop_back();
    expect_problem(schedule, "output chunk 1 of rank 0 ends wrong");
}

TEST(InSwitch, TheSameChunkOfAll)
{
    Schedule schedule = shards(2);
    steps_of(schedule, 0)[0].destinations[1].index = 1;
    expect_problem(schedule, "the switch reaches the same chunk of every rank, not output chunk 0 and output chunk 1");
    schedule = pushes(2);
    steps_of(schedule, 0)[0].sources[0].rank = 1;
    expect_problem(schedule, "pushes more or other sources than one of its own rank");
    schedule = pushes(3);
    steps_of(schedule, 0)[0].destinations.erase(steps_of(schedule, 0)[0].destinations.begin());
    expect_problem(schedule, "pushes to a group without its own rank");
}

// A result is stored at a member when that one has pushed: it may use the chunk before, not meanwhile.
TEST(InSwitch, AResultComesBehindTheMembersOwnPush)
{
    Schedule schedule = pushes(2);
    schedule.op = CollectiveOp::custom;
    std::vector<Step>& first = steps_of(schedule, 0);
    first.insert(first.begin(), move_step({in(0, 0)}, {out(0, 0)}));
    EXPECT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
    schedule.ranks[0].threads.emplace_back();
    steps_of(schedule, 0, 1) = {move_step({out(0, 0)}, {slot(0, 0)})};
    expect_problem(schedule, "unordered with");
}

}  // namespace in_switch_test
