// Each way of breaking a plan is found, and named by rank, thread, step and chunk.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"

namespace verify_defects_test {

using namespace weft;

namespace {

void expect_problem(const Schedule& schedule, const std::string& text)
{
    const Verification result = verify(schedule);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(all_problems(result).find(text), std::string::npos) << "wanted: " << text << "\n" << all_problems(result);
}

Schedule ring(std::uint32_t ranks = 4) { return make_schedule("ring", CollectiveOp::all_reduce, ranks); }

void erase(Schedule& schedule, std::uint32_t rank, std::size_t step)
{
    std::vector<Step>& steps = steps_of(schedule, rank);
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
}

}  // namespace

// Steps of a rank of the ring of 4: move signal (wait move signal) x 5 wait.
TEST(Defects, DroppedMove)
{
    Schedule schedule = ring();
    erase(schedule, 1, 0);
    expect_problem(schedule,
        "rank 2 thread 0 step 3 (move) reads scratch chunk 0 of rank 2, nothing of which was written before");
}

TEST(Defects, DroppedLastMove)
{
    Schedule schedule = ring();
    erase(schedule, 1, 15);
    expect_problem(schedule, "output chunk 0 of rank 2 ends wrong: expected input chunk 0 of ranks 0-3; found nothing");
}

TEST(Defects, SwappedChunk)
{
    Schedule schedule = ring();
    steps_of(schedule, 1)[3].sources[1].index = 1;
    expect_problem(schedule,
        "output chunk 0 of rank 3 ends wrong: expected input chunk 0 of ranks 0-3; found input "
        "chunk 0 of ranks 0, 2-3 and input chunk 1 of rank 1");
}

TEST(Defects, MissingWait)
{
    Schedule schedule = ring();
    erase(schedule, 1, 2);
    expect_problem(schedule, "unordered with");
    expect_problem(schedule, "rank 1 semaphore 0 gets 6 signals, but 5 waits");
}

// A signal that nobody takes harms nobody: what it would have ordered is missed by the checks of accesses alone.
TEST(Defects, UnusedSignalIsARemarkWhereItMayBe)
{
    Schedule schedule = ring();
    EXPECT_TRUE(verify(schedule).remarks.empty());
    steps_of(schedule, 1).push_back(signal_step(2, 0));
    EXPECT_FALSE(verify(schedule).ok);
    schedule.spare_signals = true;
    const Verification result = verify(schedule);
    EXPECT_TRUE(result.ok) << all_problems(result);
    EXPECT_EQ(result.remarks, std::vector<std::string>{"rank 2 semaphore 0 gets 7 signals, but 6 waits"});
}

TEST(Defects, MissingSignalEndsInADeadlockThatIsNamed)
{
    Schedule schedule = ring(3);
    erase(schedule, 1, 1);
    expect_problem(schedule,
        "rank 2 thread 0 step 11 (wait) never runs: it waits for signal 4 on semaphore 0 from rank 1, which "
        "no rank sends");
}

TEST(Defects, WrongDestination)
{
    Schedule schedule = ring();
    steps_of(schedule, 1)[0].destinations[0].rank = 3;
    expect_problem(schedule, "rank 2 thread 0 step 3 (move) reads scratch chunk 0 of rank 2, nothing of which");
    expect_problem(schedule,
        "rank 2 thread 0 step 0 (move) writes scratch chunk 0 of rank 3, unordered with rank 1 "
        "thread 0 step 0 (move), which writes it");
}

TEST(Defects, WrongSignalTarget)
{
    Schedule schedule = ring();
    steps_of(schedule, 1)[1].peer = 3;
    EXPECT_FALSE(verify(schedule).ok);

    Schedule pair = empty_plan(CollectiveOp::send_receive, 3, 1);
    steps_of(pair, 0) = {move_step({in(0, 0)}, {out(1, 0)}), signal_step(1, 0)};
    steps_of(pair, 1) = {wait_step(2, 0)};
    expect_problem(pair,
        "rank 1 thread 0 step 0 (wait) expects a signal of rank 2 on semaphore 0, but only rank 0 signals it");
}

TEST(Defects, MutualWaitsNameBothSides)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 1);
    for (std::uint32_t r = 0; r < 2; ++r) steps_of(schedule, r) = {wait_step(1 - r, 0), signal_step(1 - r, 0)};
    expect_problem(schedule,
        "rank 0 thread 0 step 0 (wait) never runs: it waits for signal 1 on semaphore 0 from rank 1, "
        "which rank 1 thread 0 would send in step 1");
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (wait) never runs: it waits for signal 1 on semaphore 0 from rank 0, "
        "which rank 0 thread 0 would send in step 1");
}

TEST(Defects, CircularDependencyAndShortBarrier)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 1, 1, 2);
    for (std::uint32_t t = 0; t < 2; ++t) {
        steps_of(schedule, 0, t).resize(1);
        steps_of(schedule, 0, t)[0].after = {{1 - t, 0}};
    }
    expect_problem(schedule, "rank 0 thread 0 step 0 (nop) never runs: it waits for step 0 of thread 1 of its rank");

    Step barrier;
    barrier.kind = StepKind::barrier;
    barrier.semaphore = 3;
    barrier.participants = 2;
    steps_of(schedule, 0, 0) = {barrier};
    steps_of(schedule, 0, 1) = {};
    expect_problem(schedule,
        "rank 0 thread 0 step 0 (barrier) never runs: it waits at barrier 3 with 1 of 2 participants");
}

TEST(Defects, UnorderedWritesAndReads)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 3, 2);
    for (std::uint32_t r : {0u, 1u}) steps_of(schedule, r) = {move_step({in(r, 0, 2)}, {out(2, 0, 2)})};
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (move) writes output chunk 1 of rank 2, unordered with rank 0 thread "
        "0 step 0 (move), which writes it");
    steps_of(schedule, 1) = {move_step({in(1, 0)}, {in(0, 0)})};
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (move) writes input chunk 0 of rank 0, unordered with rank 0 thread 0 "
        "step 0 (move), which reads it");
}

// The order tried runs rank 0 first and gives the right values; another one would not.
TEST(Defects, ARightResultByLuckIsARaceAllTheSame)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {slot(1, 0)})};
    steps_of(schedule, 1) = {move_step({slot(1, 0)}, {out(1, 0)})};
    expect_problem(schedule,
        "rank 1 thread 0 step 0 (move) reads scratch chunk 0 of rank 1, unordered with rank 0 thread "
        "0 step 0 (move), which writes it");
}

TEST(Defects, MovesThatRunTogetherMustNotMeet)
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {slot(0, 0)}), move_step({slot(0, 0)}, {out(1, 0)})};
    meet_after(schedule);
    EXPECT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
    steps_of(schedule, 0)[1].with_previous = true;
    expect_problem(schedule,
        "rank 0 thread 0 step 1 (move) reads scratch chunk 0 of rank 0, unordered with rank 0 thread "
        "0 step 0 (move), which writes it");
}

TEST(Defects, SlotUsedAgainBeforeItWasRead)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 2);
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {slot(1, 0)}), signal_step(1, 0),
        move_step({in(0, 1)}, {slot(1, 0)}), signal_step(1, 0)};
    steps_of(schedule, 1) = {wait_step(0, 0), move_step({slot(1, 0)}, {out(1, 0)}), wait_step(0, 0),
        move_step({slot(1, 0)}, {out(1, 1)})};
    expect_problem(schedule, "scratch chunk 0 of rank 1, unordered with");
    // The reader's leave makes it right.
    steps_of(schedule, 0).insert(steps_of(schedule, 0).begin() + 2, wait_step(1, 0));
    steps_of(schedule, 1).insert(steps_of(schedule, 1).begin() + 2, signal_step(0, 0));
    EXPECT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
}

TEST(Defects, OutOfRange)
{
    Schedule schedule = ring();
    steps_of(schedule, 1)[0].destinations[0].index = 3;
    expect_problem(schedule, "rank 1 thread 0 step 0 (move): scratch chunk 3 of rank 2 is out of range, which has 3");
    schedule = ring();
    steps_of(schedule, 1)[0].destinations[0] = {2, Buffer::scratch, 0xffffffffu, 0xffffffffu};
    EXPECT_FALSE(verify(schedule).ok);
    schedule = ring();
    steps_of(schedule, 1)[0].sources[0].rank = 4;
    expect_problem(schedule, "rank 1 thread 0 step 0 (move): names rank 4 of 4");
    schedule = ring();
    steps_of(schedule, 0)[1].semaphore = 1;
    expect_problem(schedule, "rank 0 thread 0 step 1 (signal): semaphore 1 of rank 1 is out of range, which has 1");
}

TEST(Defects, MalformedSteps)
{
    const auto broken = [](auto change) {
        Schedule schedule = ring();
        change(schedule);
        return schedule;
    };
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].sources.clear(); }), "step 0 (move): has no source");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].destinations.clear(); }), "has no destination");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].parts = 0; }), "handles part 0 of 0");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].part = 1; }), "handles part 1 of 1");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].sources[0].count = 2; }), "operands of 2 and 1 chunks");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].with_previous = true; }), "has no data step before it");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[1].sources = {in(0, 0)}; }),
        "has operands but moves no data");
    expect_problem(broken([](Schedule& s) {
        steps_of(s, 0)[0].after = {{0, 99}};
    }),
        "step 99 of thread 0, which does not exist");
    expect_problem(broken([](Schedule& s) { steps_of(s, 0)[0].after = {{0, 5}}; }), "never runs");
    expect_problem(broken([](Schedule& s) { s.chunks = 0; }), "0 chunks");
    expect_problem(broken([](Schedule& s) { s.root = 4; }), "root 4 of 4 ranks");
    expect_problem(broken([](Schedule& s) { s.ranks.clear(); }), "no ranks");
    expect_problem(broken([](Schedule& s) { s.ranks[2].input_chunks = 3; }), "rank 2 declares 3 input chunks");
    expect_problem(broken([](Schedule& s) {
        s.op = CollectiveOp::all_gather;
        s.chunks = 5;
    }),
        "5 chunks cannot be shared");
    expect_problem(broken([](Schedule& s) {
        steps_of(s, 0)[0].kind = StepKind::multicast;
        steps_of(s, 0)[0].destinations = {slot(1, 0), slot(2, 1)};
    }),
        "the switch reaches the same chunk of every rank");
}

TEST(Defects, SourceAndDestinationThatOverlap)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 1, 4);
    steps_of(schedule, 0) = {move_step({in(0, 0, 3)}, {in(0, 1, 3)})};
    expect_problem(schedule, "source input chunk 0 of rank 0 and destination input chunk 1 of rank 0 overlap");
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {out(0, 0), out(0, 0)})};
    expect_problem(schedule, "rank 0 thread 0 step 0 (move) writes output chunk 0 of rank 0 twice");
}

TEST(Defects, MissingOutput)
{
    Schedule schedule = empty_plan(CollectiveOp::broadcast, 2, 1);
    schedule.ranks[1].output_chunks = 0;
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {out(0, 0)})};
    expect_problem(schedule, "rank 1 has no output; expected 1 chunks");
}

TEST(Defects, LeakyBarrier)
{
    Schedule schedule = make_schedule("ring", CollectiveOp::barrier, 4);
    // One lap only: rank 0 never hears that the others have entered.
    for (std::uint32_t r = 0; r < 4; ++r) {
        steps_of(schedule, r) = {};
        if (r > 0) steps_of(schedule, r).push_back(wait_step(r - 1, 0));
        if (r < 3) steps_of(schedule, r).push_back(signal_step(r + 1, 0));
    }
    expect_problem(schedule, "rank 0 can leave the barrier before rank 3 has entered");
    expect_problem(schedule, "rank 2 can leave the barrier before rank 3 has entered");
}

TEST(Defects, TwoWaitersWithoutOrder)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 1, 2);
    steps_of(schedule, 0) = {signal_step(1, 0), signal_step(1, 0)};
    steps_of(schedule, 1, 0) = {wait_step(0, 0)};
    steps_of(schedule, 1, 1) = {wait_step(0, 0)};
    expect_problem(schedule, "another thread waits on semaphore 0, too, and the order of the two is not defined");
}

// Cuts of different moves that do not agree are found at the size where they differ.
TEST(Defects, PartsThatDisagreeAtUnevenSizes)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 1, 2, 2);
    for (std::uint32_t part : {0u, 1u}) {
        // Through the slot: written by the lines of input chunk 1, read by those of chunk 0.
        std::vector<Step>& steps = steps_of(schedule, 0, part);
        steps = {move_step({in(0, 1)}, {slot(0, 0)}), move_step({slot(0, 0)}, {out(0, 0)})};
        for (Step& step : steps) {
            step.part = part;
            step.parts = 2;
        }
    }
    EXPECT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
    VerifyOptions uneven;
    uneven.bytes = 2 * 1000;
    EXPECT_FALSE(verify(schedule, uneven).ok);
    uneven.bytes = 2001;
    const Verification result = verify(schedule, uneven);
    EXPECT_NE(all_problems(result).find("not all of which was written before"), std::string::npos)
        << all_problems(result);
}

TEST(Defects, ProblemsBeyondTheLimitAreCounted)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 4, 64);
    VerifyOptions options;
    options.most_problems = 3;
    const Verification result = verify(schedule, options);
    ASSERT_EQ(result.problems.size(), 4u);
    EXPECT_EQ(result.problems.back(), "and 253 further problems");
}

TEST(Defects, HugePlansAreRefusedNotFollowed)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 0xffffffffu);
    expect_problem(schedule, "it has more than 16777216 chunks");
    EXPECT_TRUE(verify(schedule).too_large);
    EXPECT_FALSE(verify(empty_plan(CollectiveOp::all_reduce, 4, 64)).too_large);
    schedule.name = "huge";
    try {
        require_right(schedule);
        FAIL() << "taken";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "huge among 2 ranks is too large to be verified: it has more than 16777216 chunks; "
            "expected fewer ranks or channels, or another algorithm");
    }
}

}  // namespace verify_defects_test
