// A rank ends behind the last write to its output, and its input is read behind its first step.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"

namespace presence_test {

using namespace weft;

namespace {

void expect_only(const Schedule& schedule, const std::string& problem)
{
    EXPECT_EQ(all_problems(verify(schedule)), problem.empty() ? "" : problem + "\n");
}

// Rank 0 stores to the output of rank 1, which waits in its last thread.
Schedule one_put(std::uint32_t threads = 1)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1, threads);
    schedule.spare_signals = true;
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {out(1, 0)}), signal_step(1, 0)};
    steps_of(schedule, 1, threads - 1) = {wait_step(0, 0)};
    return schedule;
}

// Rank 1 loads the input of rank 0 when that one has told that it is there.
Schedule one_get()
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1, 2);
    schedule.spare_signals = true;
    steps_of(schedule, 0) = {signal_step(1, 0)};
    steps_of(schedule, 1) = {wait_step(0, 0), move_step({in(0, 0)}, {out(1, 0)})};
    return schedule;
}

// Takes out the first or last wait of the first thread of `rank`.
void drop_wait(Schedule& schedule, std::uint32_t rank, bool last)
{
    std::vector<Step>& steps = steps_of(schedule, rank);
    std::size_t found = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].kind == StepKind::wait && (last || found == steps.size())) found = i;
    ASSERT_LT(found, steps.size());
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(found));
    schedule.spare_signals = true;
}

const std::string late =
    "rank 1 may end before output chunk 0 is written by rank 0 thread 0 step 0 (move); expected a wait for it";

}  // namespace

TEST(Presence, ARankWaitsForTheLastStoreToItsOutput)
{
    expect_only(one_put(), "");
    Schedule schedule = one_put();
    drop_wait(schedule, 1, true);
    expect_only(schedule, late);
    // A wait for something before the store is none for it.
    schedule = one_put();
    std::swap(steps_of(schedule, 0)[0], steps_of(schedule, 0)[1]);
    expect_only(schedule,
        "rank 1 may end before output chunk 0 is written by rank 0 thread 0 step 1 (move); expected a wait for it");
}

TEST(Presence, AnyThreadOfTheRankMayWait)
{
    expect_only(one_put(3), "");
    Schedule schedule = one_put(3);
    steps_of(schedule, 1, 2).clear();
    expect_only(schedule, late);
}

TEST(Presence, OutputsOfCustomCollectivesAndOfNoResultAreWaitedForToo)
{
    Schedule schedule = one_put();
    schedule.op = CollectiveOp::custom;
    expect_only(schedule, "");
    drop_wait(schedule, 1, true);
    expect_only(schedule, late);
}

TEST(Presence, ALastWaitOfBuiltInAlgorithms)
{
    Schedule schedule = make_schedule("ring", CollectiveOp::all_reduce, 4);
    expect_only(schedule, "");
    drop_wait(schedule, 1, true);
    expect_only(schedule,
        "rank 1 may end before output chunk 3 is written by rank 0 thread 0 step 15 (move); expected a wait for it");
}

TEST(Presence, TheInputOfAPeerIsReadWhenThePeerHasEntered)
{
    expect_only(one_get(), "");
    Schedule schedule = one_get();
    drop_wait(schedule, 1, false);
    expect_only(schedule,
        "rank 1 thread 0 step 0 (move) reads input chunk 0 of rank 0, but rank 0 may not have entered; expected a "
        "handshake with it");
    // A wait of another thread tells nothing to this one, until the two meet.
    steps_of(schedule, 1, 1) = {wait_step(0, 0)};
    EXPECT_FALSE(verify(schedule).ok);
    steps_of(schedule, 1)[0].after = {{1, 0}};
    expect_only(schedule, "");
}

TEST(Presence, InputsInPlaceAndInputsReadBySwitches)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 1);
    schedule.in_place = true;
    Step reduce = move_step({out(0, 0), out(1, 0)}, {out(0, 0), out(1, 0)});
    reduce.kind = StepKind::reduce_multicast;
    steps_of(schedule, 0) = {reduce};
    meet_after(schedule);
    EXPECT_EQ(all_problems(verify(schedule)),
        "rank 0 thread 0 step 0 (reduce_multicast) reads output chunk 0 of rank 1, but rank 1 may not have entered; "
        "expected a handshake with it\n");
    meet_before(schedule);
    expect_only(schedule, "");
}

// A rank needs no handshake to read what it has stored in a peer's input itself.
TEST(Presence, WrittenDataNeedNoHandshake)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 1);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {in(1, 0)}), move_step({in(1, 0)}, {out(0, 0)})};
    expect_only(schedule, "");
}

TEST(Presence, APacketTellsThatItsSenderHasEntered)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {packet(1, 0)})};
    steps_of(schedule, 1) = {move_step({packet(1, 0)}, {slot(1, 0)}), move_step({in(0, 0)}, {out(1, 0)})};
    expect_only(schedule, "");
    std::swap(steps_of(schedule, 1)[0], steps_of(schedule, 1)[1]);
    EXPECT_NE(all_problems(verify(schedule)).find("rank 0 may not have entered"), std::string::npos);
}

TEST(Presence, AFirstWaitOfBuiltInAlgorithms)
{
    for (const char* name : {"one_shot_get", "two_shot_get"}) {
        Schedule schedule = make_schedule(name, CollectiveOp::all_reduce, 4);
        expect_only(schedule, "");
        drop_wait(schedule, 1, false);
        EXPECT_NE(all_problems(verify(schedule)).find("may not have entered"), std::string::npos)
            << name << "\n"
            << all_problems(verify(schedule));
    }
}

// Without relaxed signals nothing tells of entries, and stores by the switch that nobody waits for are counted only.
TEST(Presence, WithoutRelaxedSignals)
{
    VerifyOptions options;
    options.without_relaxed = true;
    Schedule schedule = one_get();
    drop_wait(schedule, 1, false);
    EXPECT_TRUE(verify(schedule, options).ok);
    schedule = one_put();
    drop_wait(schedule, 1, true);
    EXPECT_FALSE(verify(schedule, options).ok);
    schedule = empty_plan(CollectiveOp::broadcast, 2, 2);
    steps_of(schedule, 0) = {move_step({in(0, 0, 2)}, {out(0, 0, 2), out(1, 0, 2)})};
    steps_of(schedule, 0)[0].kind = StepKind::multicast;
    EXPECT_FALSE(verify(schedule).ok);
    const Verification counted = verify(schedule, options);
    EXPECT_TRUE(counted.ok) << all_problems(counted);
    EXPECT_EQ(counted.late_switch_stores, 2u);
    EXPECT_EQ(counted.late_switch_store,
        "rank 1 may end before output chunk 0 is written by rank 0 thread 0 step 0 (multicast)");
}

}  // namespace presence_test
