// What the verifier accepts: every collective as a small hand-made plan, and the rules of order.
#include "collectives/schedule/verification/verify.h"

#include <gtest/gtest.h>

#include "testbenches/schedule/plans.h"

namespace verify_test {

using namespace weft;

namespace {

void expect_ok(const Schedule& schedule)
{
    const Verification result = verify(schedule);
    EXPECT_TRUE(result.ok) << all_problems(result);
}

}  // namespace

TEST(Verify, ReduceGatherScatterAndSendReceive)
{
    Schedule reduce = empty_plan(CollectiveOp::reduce, 3, 1);
    reduce.root = 1;
    steps_of(reduce, 1) = {move_step({in(0, 0), in(1, 0), in(2, 0)}, {out(1, 0)})};
    meet_before(reduce);
    expect_ok(reduce);

    Schedule gather = empty_plan(CollectiveOp::gather, 2, 4);
    gather.root = 1;
    for (std::uint32_t rank : {0u, 1u}) steps_of(gather, rank) = {move_step({in(rank, 0, 2)}, {out(1, 2 * rank, 2)})};
    meet_after(gather);
    expect_ok(gather);

    Schedule scatter = empty_plan(CollectiveOp::scatter, 2, 2);
    steps_of(scatter, 0) = {move_step({in(0, 0)}, {out(0, 0)}), move_step({in(0, 1)}, {out(1, 0)})};
    meet_after(scatter);
    expect_ok(scatter);

    Schedule pair = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(pair, 1) = {move_step({in(0, 0)}, {out(1, 0)})};
    meet_before(pair);
    expect_ok(pair);
}

// The 4-rank ring of two-sided plans, in place, as an importer would deliver it.
TEST(Verify, RingAllReduceInPlace)
{
    Schedule ring = empty_plan(CollectiveOp::all_reduce, 4, 4);
    ring.in_place = true;
    for (std::uint32_t r = 0; r < 4; ++r) {
        ring.ranks[r].output_chunks = 0;
        const std::uint32_t next = (r + 1) % 4;
        const std::uint32_t previous = (r + 3) % 4;
        std::vector<Step>& steps = steps_of(ring, r);
        steps = {move_step({in(r, r)}, {slot(next, 0)}), signal_step(next, 0)};
        for (std::uint32_t s = 1; s < 4; ++s) {
            const std::uint32_t chunk = (r + 4 - s) % 4;
            steps.push_back(wait_step(previous, 0));
            if (s < 3)
                steps.push_back(move_step({in(r, chunk), slot(r, s - 1)}, {slot(next, s)}));
            else
                steps.push_back(move_step({in(r, chunk), slot(r, s - 1)}, {in(r, chunk), in(next, chunk)}));
            steps.push_back(signal_step(next, 0));
        }
        for (std::uint32_t s = 0; s < 2; ++s) {
            const std::uint32_t chunk = (r + 4 - s) % 4;
            steps.push_back(wait_step(previous, 0));
            steps.push_back(move_step({in(r, chunk)}, {in(next, chunk)}));
            steps.push_back(signal_step(next, 0));
        }
        steps.push_back(wait_step(previous, 0));
    }
    expect_ok(ring);
    VerifyOptions uneven;
    uneven.bytes = 1002;
    EXPECT_TRUE(verify(ring, uneven).ok);
}

// An in-place all-gather that names the output only.
TEST(Verify, AllGatherInPlaceWithoutInput)
{
    Schedule gather = empty_plan(CollectiveOp::all_gather, 2, 2);
    gather.in_place = true;
    for (std::uint32_t r = 0; r < 2; ++r) {
        gather.ranks[r].input_chunks = 0;
        steps_of(gather, r) = {move_step({out(r, r)}, {out(1 - r, r)})};
    }
    meet_after(gather);
    expect_ok(gather);
}

TEST(Verify, SwitchOperations)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 2);
    for (std::uint32_t r = 0; r < 2; ++r) {
        Step reduce = move_step({in(0, r), in(1, r)}, {slot(r, 0)});
        reduce.kind = StepKind::load_reduce;
        Step spread = move_step({slot(r, 0)}, {out(0, r), out(1, r)});
        spread.kind = StepKind::multicast;
        steps_of(schedule, r) = {reduce, spread};
    }
    meet_before(schedule);
    meet_after(schedule);
    expect_ok(schedule);
    EXPECT_EQ(verify(schedule).steps, 2u);
}

TEST(Verify, ThreadsAreOrderedByAfterAndByBarriers)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 1, 2, 2);
    steps_of(schedule, 0, 0) = {move_step({in(0, 0)}, {slot(0, 0)})};
    steps_of(schedule, 0, 1) = {move_step({slot(0, 0)}, {out(0, 0)})};
    EXPECT_FALSE(verify(schedule).ok);
    steps_of(schedule, 0, 1)[0].after = {{0, 0}};
    expect_ok(schedule);

    steps_of(schedule, 0, 1)[0].after = {};
    Step barrier;
    barrier.kind = StepKind::barrier;
    barrier.participants = 2;
    steps_of(schedule, 0, 0).push_back(barrier);
    steps_of(schedule, 0, 1).insert(steps_of(schedule, 0, 1).begin(), barrier);
    expect_ok(schedule);
}

// Different parts of one chunk belong to different threads and do not conflict.
TEST(Verify, PartsOfAChunkDoNotConflict)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1, 2);
    for (std::uint32_t part : {0u, 1u}) {
        Step put = move_step({in(0, 0)}, {out(1, 0)});
        put.part = part;
        put.parts = 2;
        steps_of(schedule, 0, part) = {put, signal_step(1, part)};
        steps_of(schedule, 1).push_back(wait_step(0, part));
    }
    expect_ok(schedule);
    steps_of(schedule, 0, 1)[0].part = 0;  // now both write the first half and nobody the second
    const Verification result = verify(schedule);
    EXPECT_NE(all_problems(result).find("rank 0 thread 1 step 0 (move) writes output chunk 0 of rank 1, unordered "
                                        "with rank 0 thread 0 step 0 (move), which writes it"),
        std::string::npos)
        << all_problems(result);
    EXPECT_NE(all_problems(result).find("output chunk 0 of rank 1 ends wrong from byte 64 on"), std::string::npos)
        << all_problems(result);
}

// Two senders, one counter: only the second wait proves anything.
TEST(Verify, OneSemaphoreForSeveralSenders)
{
    Schedule schedule = empty_plan(CollectiveOp::reduce, 3, 1);
    schedule.root = 2;
    for (std::uint32_t r : {0u, 1u}) steps_of(schedule, r) = {move_step({in(r, 0)}, {slot(2, r)}), signal_step(2, 0)};
    const Step sum = move_step({slot(2, 0), slot(2, 1), in(2, 0)}, {out(2, 0)});
    steps_of(schedule, 2) = {wait_step(0, 0), wait_step(1, 0), sum};
    expect_ok(schedule);
    // After the first of two, either may still be missing, whatever the peer that is named.
    steps_of(schedule, 2) = {wait_step(0, 0), move_step({slot(2, 0)}, {slot(2, 2)}), wait_step(1, 0), sum};
    EXPECT_FALSE(verify(schedule).ok);
}

TEST(Verify, MovesThatRunTogetherCountAsOneStep)
{
    Schedule schedule = empty_plan(CollectiveOp::scatter, 4, 4);
    for (std::uint32_t r = 0; r < 4; ++r) {
        steps_of(schedule, 0).push_back(move_step({in(0, r)}, {out(r, 0)}));
        steps_of(schedule, 0).back().with_previous = r > 0;
    }
    meet_after(schedule);
    EXPECT_EQ(verify(schedule).steps, 1u);
    expect_ok(schedule);
    for (Step& step : steps_of(schedule, 0)) step.with_previous = false;
    EXPECT_EQ(verify(schedule).steps, 3u);
}

TEST(Verify, MinimumMayCountAContributionTwice)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 1);
    for (std::uint32_t r = 0; r < 2; ++r)
        steps_of(schedule, r) = {move_step({in(0, 0), in(1, 0), in(0, 0)}, {out(r, 0)})};
    meet_before(schedule);
    const Verification sum = verify(schedule);
    EXPECT_EQ(all_problems(sum).substr(0, all_problems(sum).find('\n')),
        "output chunk 0 of rank 0 ends wrong: expected input chunk 0 of ranks 0-1; "
        "found input chunk 0 of ranks 0 (2 times), 1");
    schedule.reduction = ReduceOp::min;
    expect_ok(schedule);
}

// Slots are copied whole: what lies behind a shorter chunk is nobody's concern.
TEST(Verify, CopyBetweenSlotsCarriesAnything)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {slot(0, 0)}), move_step({slot(0, 0)}, {slot(1, 0)}),
        signal_step(1, 0)};
    steps_of(schedule, 1) = {wait_step(0, 0), move_step({slot(1, 0)}, {out(1, 0)})};
    VerifyOptions uneven;
    uneven.bytes = 100;
    const Verification result = verify(schedule, uneven);
    EXPECT_TRUE(result.ok) << all_problems(result);
}

}  // namespace verify_test
