// Puts through FIFOs on simulated GPUs: what a step in flight is worth, and what damage does in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/protocol/staging.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace staging_run_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t cycle = 1000;  // ps, at the clock of these tests

// One workgroup at 1 GHz, slots of one line, memory that takes next to no time, flags that are noticed at once.
BoxOptions plain(std::uint64_t steps)
{
    BoxOptions options = box(2);
    options.engine.channels = 1;
    options.engine.wavefronts = 1;
    options.engine.staging = StagingMode::fifo;
    options.engine.steps_in_flight = steps;
    options.engine.step_bytes = 64;
    options.gpu.clock = 1'000'000'000;
    options.gpu.wait_policy = WaitPolicy::waiting_atomic;
    options.link.latency = 5'000'000;
    options.hbm.refresh = RefreshMode::none;
    return options;
}

struct Outcome {
    bool finished = false;
    bool right = false;
    std::uint64_t end = 0;
};

// Rank 1 enters `late` ps behind the others.
Outcome outcome_of(const BoxOptions& options, const Schedule& schedule, std::uint64_t bytes, Picoseconds late = 0)
{
    const std::string text = in_child([&] {
        GpuBox box(options);
        const Executor::JobId job = box.open(std::make_shared<Schedule>(schedule), bytes, ElementType::u8);
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            box.executor->wait(0, rank == 1 ? late : 0, [&box, job, rank] { box.executor->enter(job, rank, nullptr); });
        box.run();
        const JobRecord& record = box.record(job);
        return fmt::format("{} {} {}", record.finished ? 1 : 0, record.mismatch.empty() ? 1 : 0, record.end);
    });
    Outcome out;
    unsigned finished = 0;
    unsigned right = 0;
    EXPECT_EQ(std::sscanf(text.c_str(), "%u %u %lu", &finished, &right, &out.end), 3) << text;
    out.finished = finished != 0;
    out.right = out.finished && right != 0;
    return out;
}

std::uint64_t time_of_put(const BoxOptions& options, std::uint64_t bytes)
{
    const Outcome outcome = outcome_of(options, lone_put(), bytes);
    EXPECT_TRUE(outcome.right);
    return outcome.end;
}

// What a step takes, in parts.
struct Parts {
    explicit Parts(const BoxOptions& options)
    {
        const auto wire = [&](std::uint64_t bytes) { return bytes * 1'000'000'000'000 / options.link.bandwidth; };
        const GpuSpec& g = options.gpu;
        const auto there = [&](std::uint64_t bytes) {
            return g.unit_to_port + wire(bytes) + options.link.latency + g.port_to_l2 + options.l2.latency;
        };
        hit = g.unit_to_l2 + options.l2.latency + g.l2_to_unit;
        load = hit + idle_read(options.hbm);
        put = there(80) + g.l2_to_port + wire(16) + options.link.latency + g.port_to_unit;
        signal = there(32) + g.l2_to_unit;
    }

    std::uint64_t hit = 0;     // a line of the own L2: load, store, or look at a flag
    std::uint64_t load = 0;    // a line of the input
    std::uint64_t put = 0;     // a line to the peer and its acknowledge
    std::uint64_t signal = 0;  // until the peer knows

    // Of the sender alone: whether its slot is free, load, put, signal and the cycle behind that.
    std::uint64_t sender() const { return hit + load + put + cycle; }
    // Of a slot, from one line to the next: the receiver copies it to its output.
    std::uint64_t slot() const { return load + put + signal + 2 * hit + signal; }
    // The receiver forwards it; it looks for a slot of its own together with the data. Its slot is free when what was forwarded has
    // been acknowledged and signalled. The sender keeps what it sends too, which takes it a cycle more.
    std::uint64_t forwarded_slot() const { return load + cycle + put + signal + hit + put + cycle + signal; }
    std::uint64_t keeping_sender() const { return sender() + cycle; }
};

}  // namespace

// A step every max(what the sender takes, round trip of a slot / steps in flight).
TEST(StagingRun, StepsInFlightCoverTheRoundTrip)
{
    const auto eight_steps = [](std::uint64_t steps) {
        return time_of_put(plain(steps), 40 * 64) - time_of_put(plain(steps), 32 * 64);
    };
    const Parts parts(plain(1));
    EXPECT_EQ(eight_steps(1), 8 * parts.slot());
    EXPECT_GT(parts.sender(), parts.slot() / 2);
    for (const std::uint64_t steps : {2u, 3u, 8u}) EXPECT_EQ(eight_steps(steps), 8 * parts.sender());
    // Not before the slots are all taken.
    EXPECT_EQ(time_of_put(plain(8), 8 * 64) - time_of_put(plain(8), 64), 7 * (parts.sender() - parts.hit));
}

TEST(StagingRun, AReceiverThatForwardsNeedsMoreOfThem)
{
    const auto six_steps = [](std::uint64_t steps) {
        const auto time = [steps](std::uint64_t lines) {
            BoxOptions options = plain(steps);
            options.gpus = 3;
            AlgorithmOptions chain;
            chain.pipeline = 1;
            const Outcome outcome =
                outcome_of(options, make_schedule("ring", CollectiveOp::broadcast, 3, chain), lines * 64);
            EXPECT_TRUE(outcome.right);
            return outcome.end;
        };
        return time(36) - time(30);
    };
    const Parts parts(plain(1));
    EXPECT_EQ(six_steps(1), 6 * parts.forwarded_slot());
    EXPECT_EQ(six_steps(2), 3 * parts.forwarded_slot());
    EXPECT_GT(parts.forwarded_slot(), 2 * parts.keeping_sender());
    EXPECT_EQ(six_steps(3), 6 * parts.keeping_sender());
    EXPECT_EQ(six_steps(8), 6 * parts.keeping_sender());
}

// The more a slot takes, the less its round trip counts.
TEST(StagingRun, LargeSlotsHideTheirRoundTrip)
{
    const auto ratio = [](std::uint64_t latency, std::uint64_t step_bytes) {
        const auto time = [&](std::uint64_t steps) {
            BoxOptions options = plain(steps);
            options.engine.wavefronts = 16;
            options.engine.step_bytes = step_bytes;
            options.link.latency = latency;
            return static_cast<double>(time_of_put(options, 1 << 20));
        };
        return time(1) / time(8);
    };
    EXPECT_GT(ratio(5'000'000, 4096), 1.9);
    EXPECT_LT(ratio(500'000, 1 << 18), ratio(500'000, 1 << 15));
}

// One slot: a round trip for every `step_bytes`.
TEST(StagingRun, LargerSlotsNeedFewerRoundTrips)
{
    const auto time = [](std::uint64_t step_bytes) {
        BoxOptions options = plain(1);
        options.engine.step_bytes = step_bytes;
        return time_of_put(options, 64 * 64);
    };
    const Parts parts(plain(1));
    EXPECT_NEAR(static_cast<double>(time(64) - time(128)), 32.0 * static_cast<double>(parts.slot()),
        0.01 * 32.0 * static_cast<double>(parts.slot()));
    EXPECT_LT(time(1024), time(128) / 4);
}

TEST(StagingRun, CollectivesEndRightWhoeverMovesThem)
{
    for (const Mover mover : {Mover::units, Mover::copy_engine, Mover::bulk})
        for (const auto& [op, algorithm] : {std::pair(CollectiveOp::all_reduce, "ring"),
                 std::pair(CollectiveOp::all_gather, "direct"), std::pair(CollectiveOp::broadcast, "tree")}) {
            BoxOptions options = box(4);
            options.engine.mover = mover;
            options.engine.staging = StagingMode::fifo;
            options.engine.steps_in_flight = 3;
            options.engine.step_bytes = 512;
            EXPECT_GT(time_of(options, op, algorithm, 50'000, ElementType::bf16), 0u)
                << name_of(op) << " " << algorithm;
        }
}

namespace {

// Carried out as it is, from a schedule that is staged already, with all steps of a kind left out at a rank.
Outcome damaged(std::uint32_t rank, StepKind kind)
{
    Schedule staged = in_fifos(lone_put(), 12 * 64, 1, {2, 64});
    std::vector<Step>& steps = staged.ranks[rank].threads[0].steps;
    if (kind != StepKind::nop)
        steps.erase(std::remove_if(steps.begin(), steps.end(), [kind](const Step& step) { return step.kind == kind; }),
            steps.end());
    BoxOptions options = plain(2);
    options.engine.staging = StagingMode::none;
    return outcome_of(options, staged, 12 * 64, 40'000'000);
}

}  // namespace

TEST(StagingRun, DamageIsFoundInMemory)
{
    EXPECT_TRUE(damaged(0, StepKind::nop).right);
    // A sender that does not wait for its slots fills them before the receiver has come.
    EXPECT_TRUE(damaged(0, StepKind::wait).finished);
    EXPECT_FALSE(damaged(0, StepKind::wait).right);
    EXPECT_FALSE(damaged(1, StepKind::signal).finished);
}

TEST(StagingRun, WhatCannotBeStagedIsRefused)
{
    const auto refusal = [](const BoxOptions& options, CollectiveOp op, const char* algorithm) {
        return in_child([&] {
            GpuBox box(options);
            try {
                box.open(schedule_of(op, algorithm, 2), 4096, ElementType::u8);
            } catch (const InputError& error) {
                return std::string(error.what());
            }
            return std::string("none");
        });
    };
    BoxOptions options = plain(8);
    options.engine.protocol = Protocol::ll;
    EXPECT_EQ(refusal(options, CollectiveOp::all_reduce, "ring"),
        "ring: engine.staging=fifo with packets: packets have slots of their own; expected engine.protocol=simple, or "
        "engine.staging=none");
    EXPECT_EQ(refusal(plain(1), CollectiveOp::all_reduce, "ring"),
        "ring: through FIFOs: rank 0 thread 0 step 3 (wait) never runs: it waits for signal 1 on semaphore 1 from rank "
        "1, which "
        "rank 1 thread 0 would send in step 6; expected more engine.steps_in_flight, a larger engine.step_bytes, or "
        "engine.staging=none for this schedule");
    EXPECT_EQ(refusal(plain(2), CollectiveOp::all_reduce, "ring"), "none");
}

}  // namespace staging_run_test
