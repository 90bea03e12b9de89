// Runs that cannot go on: they end by themselves and say who waits for what.
#include <gtest/gtest.h>

#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace stuck_test {

using namespace weft;
using namespace weft::testing;

namespace {

const WaitPolicy policies[] = {WaitPolicy::spin, WaitPolicy::waiting_atomic};

BoxOptions box_with(WaitPolicy policy, unsigned gpus = 2)
{
    BoxOptions options = box(gpus);
    options.gpu.wait_policy = policy;
    return options;
}

std::string blocked_text(const GpuBox& box)
{
    std::string text;
    for (const std::string& line : box.executor->blocked()) text += line + "\n";
    return text;
}

// Runs a schedule that must not finish; what the executor says of it.
std::string stuck(const BoxOptions& options, std::shared_ptr<const Schedule> schedule)
{
    return in_child([&] {
        GpuBox box(options);
        const Executor::JobId job = box.open(std::move(schedule), 4096, ElementType::u8);
        box.enter_all(job);
        box.run();
        EXPECT_FALSE(box.record(job).finished);
        const bool spin = options.gpu.wait_policy == WaitPolicy::spin;
        EXPECT_EQ(box.cannot_progress(), spin);
        EXPECT_TRUE(spin || box.event_queue.idle());
        return blocked_text(box);
    });
}

}  // namespace

TEST(Stuck, MissingSignalIsNamedWithRankStepAndSemaphore)
{
    for (const WaitPolicy policy : policies) {
        auto schedule = schedule_of(CollectiveOp::all_reduce, "ring", 4, 2);
        // Rank 1, channel 1: its first signal to rank 2 is gone.
        std::vector<Step>& steps = schedule->ranks[1].threads[1].steps;
        ASSERT_EQ(steps[1].kind, StepKind::signal);
        steps[1] = Step{};
        const std::string text = stuck(box_with(policy, 4), schedule);
        // Rank 2 lacks one signal, and in the end everybody behind it does.
        EXPECT_NE(text.find("gpu2 (rank 2 of all_reduce ring): step 17 waits for signal 6 of semaphore 1 "
                            "from rank 1, and has 5\n"),
            std::string::npos)
            << text;
        EXPECT_EQ(text.find("semaphore 0"), std::string::npos) << text;
    }
}

TEST(Stuck, RankThatNeverEntersIsMissed)
{
    for (const WaitPolicy policy : policies)
        EXPECT_EQ(in_child([&] {
            GpuBox box(box_with(policy, 3));
            const Executor::JobId job = box.open(schedule_of(CollectiveOp::barrier, "direct", 3), 0, ElementType::u8);
            box.executor->enter(job, 0, nullptr);
            box.executor->enter(job, 2, nullptr);
            box.run();
            EXPECT_FALSE(box.record(job).finished);
            return blocked_text(box);
        }),
            "gpu0 (rank 0 of barrier direct): step 3 waits for signal 1 of semaphore 0 from rank 1, and has 0\n"
            "gpu2 (rank 2 of barrier direct): step 2 waits for signal 1 of semaphore 1 from rank 1, and has 0\n");
}

TEST(Stuck, MoreWorkgroupsThanPlacesTakeTurns)
{
    for (const WaitPolicy policy : policies) {
        BoxOptions options = box_with(policy);
        options.gpu.compute_units = 1;
        options.gpu.workgroups_per_unit = 2;
        options.engine.channels = 9;
        for (const char* algorithm : {"ring", "direct"})
            EXPECT_GT(time_of(options, CollectiveOp::all_reduce, algorithm, 5000), 0u);
    }
}

TEST(Stuck, WorkgroupsThatNeverGetAPlaceAreReported)
{
    for (const WaitPolicy policy : policies) {
        BoxOptions options = box_with(policy);
        options.gpu.compute_units = 1;
        options.gpu.workgroups_per_unit = 1;
        // Thread 0 waits for thread 1, which waits for its place.
        auto schedule = std::make_shared<Schedule>();
        schedule->name = "plan";
        schedule->chunks = 1;
        schedule->ranks.resize(1);
        RankPlan& plan = schedule->ranks[0];
        plan.input_chunks = plan.output_chunks = 1;
        Step copy = move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}});
        Step waits;
        waits.after = {{1, 0}};
        plan.threads = {{{waits}}, {{copy}}};
        EXPECT_EQ(stuck(options, schedule),
            "gpu0 (rank 0 of custom plan): step 0 waits for step 0 of thread 1, and has 0\n"
            "gpu0: 1 workgroups wait for a compute unit\n");
    }
}

// A waiting atomic has the unit's only place, and what it waits for comes from the same unit.
TEST(Stuck, RequestsThatNeverGetAPlaceAreReported)
{
    BoxOptions options = box_with(WaitPolicy::waiting_atomic);
    options.gpu.compute_units = 1;
    options.gpu.workgroups_per_unit = 2;
    options.gpu.outstanding = 1;
    auto schedule = std::make_shared<Schedule>();
    schedule->name = "plan";
    schedule->chunks = 1;
    schedule->ranks.resize(1);
    RankPlan& plan = schedule->ranks[0];
    plan.input_chunks = plan.output_chunks = 1;
    Step waits;
    waits.after = {{1, 0}};
    plan.threads = {{{waits}}, {{move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}})}}};
    EXPECT_EQ(stuck(options, schedule),
        "gpu0 (rank 0 of custom plan): step 0 waits for step 0 of thread 1, and has 0\n"
        "gpu0 (rank 0 of custom plan): step 0 has no place for a request: its unit has gpu.outstanding = 1 without a "
        "response\n");
}

TEST(Stuck, LateRankIsNoDeadlock)
{
    for (const WaitPolicy policy : policies)
        in_child([&] {
            GpuBox box(box_with(policy));
            const Executor::JobId job =
                box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
            box.executor->enter(job, 0, nullptr);
            box.executor->wait(0, 50'000'000, [&] { box.executor->enter(job, 1, nullptr); });
            box.run();
            EXPECT_TRUE(box.record(job).finished);
            EXPECT_EQ(box.record(job).mismatch, "");
            EXPECT_GT(box.record(job).end, 50'000'000u);
            return std::string();
        });
}

}  // namespace stuck_test
