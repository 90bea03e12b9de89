// Waits for different flags that follow one another: looked at together, as the lanes of a wavefront.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace vector_wait_test {

using namespace weft;
using namespace weft::testing;

namespace {

// A cycle so long that no two looks meet at a slice.
constexpr Time cycle = 10'000;
constexpr Time us = 1'000'000;

GpuSpec slow_clock(WaitPolicy policy = WaitPolicy::spin)
{
    GpuSpec spec;
    spec.clock = 100'000'000;
    spec.wait_policy = policy;
    return spec;
}

const L2Spec l2;
const GpuSpec gpu = slow_clock();
const Time round_trip = gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit;

std::uint64_t flag(unsigned number) { return global_address(1, MemoryImage::flag_base + 64 * number); }

struct Outcome {
    Time noticed = 0;
    unsigned reads = 0;
};

// A workgroup of GPU 1 waits for every flag from `begin` on, all having been signalled at `signalled` (a time for each).
Outcome wait_once(bool compact, unsigned lanes, const std::vector<Time>& signalled, Time begin, WaitPolicy policy,
    const L2Spec& cache)
{
    const std::string text = in_child([=] {
        TwoGpus system(true, slow_clock(policy), cache);
        Program waiter;
        if (begin > 0) waiter.add_compute(begin);
        for (unsigned i = 0; i < signalled.size(); ++i) waiter.add_wait(flag(i), 1);
        std::vector<Program> senders(signalled.size());
        for (unsigned i = 0; i < signalled.size(); ++i) {
            if (signalled[i] > 0) senders[i].add_compute(signalled[i]);
            senders[i].add_signal(flag(i));
        }
        if (compact) waiter.compact();
        system.launch(1, waiter, 1, 1, nullptr, lanes);
        for (const Program& sender : senders) system.launch(1, sender);
        sc_core::sc_start();
        EXPECT_EQ(system.pool.live(), 0u);
        EXPECT_FALSE(system.gpus[1]->units().cannot_progress());
        return std::to_string(system.done[0]) + " " +
            std::to_string(static_cast<unsigned>(system.gpus[1]->units().statistics()[1].value));
    });
    return {std::stoull(text), static_cast<unsigned>(std::stoul(text.substr(text.find(' ') + 1)))};
}

// The same whether the waits are operations by themselves or one run (Program::compact()).
Outcome wait_for(unsigned lanes, const std::vector<Time>& signalled, Time begin, WaitPolicy policy = WaitPolicy::spin,
    const L2Spec& cache = {})
{
    const Outcome apart = wait_once(false, lanes, signalled, begin, policy, cache);
    const Outcome run = wait_once(true, lanes, signalled, begin, policy, cache);
    EXPECT_EQ(run.noticed, apart.noticed);
    EXPECT_EQ(run.reads, apart.reads);
    return run;
}

}  // namespace

TEST(VectorWait, FlagsThatAreThereTakeOneRoundTripAndACycleForEachLine)
{
    for (const unsigned flags : {1U, 8U, 28U}) {
        const std::vector<Time> there(flags, 0);
        const Outcome one_by_one = wait_for(1, there, 2 * us);
        EXPECT_EQ(one_by_one.noticed, 2 * us + flags * round_trip);
        EXPECT_EQ(one_by_one.reads, flags);
        const Outcome together = wait_for(32, there, 2 * us);
        EXPECT_EQ(together.noticed, 2 * us + (flags - 1) * cycle + round_trip);
        EXPECT_EQ(together.reads, flags);
    }
}

TEST(VectorWait, TakesNoMoreFlagsThanItHasLanes)
{
    // 4, 4 and 2 of them.
    const Outcome outcome = wait_for(4, std::vector<Time>(10, 0), 2 * us);
    EXPECT_EQ(outcome.noticed, 2 * us + 3 * round_trip + (3 + 3 + 1) * cycle);
    EXPECT_EQ(outcome.reads, 10u);
}

TEST(VectorWait, LooksAgainAtThoseThatAreMissingOnly)
{
    // The first look finds flags 0 and 2, those that follow only look at 1; a signal is performed unit_to_l2 behind its begin.
    const Time late = 3 * us;
    const Time first = 2 * us + 2 * cycle + round_trip + gpu.spin_interval;  // issue of the second look
    const Time period = round_trip + gpu.spin_interval;
    const Time looks = (late - first + period - 1) / period;
    const Outcome outcome = wait_for(32, {0, late, 0}, 2 * us);
    EXPECT_EQ(outcome.noticed, first + looks * period + round_trip);
    EXPECT_EQ(outcome.reads, 3 + looks + 1);
}

TEST(VectorWait, ALookIsOverWhenAllItsLinesAreAnswered)
{
    // The flag of the first lane is signalled during the look, behind its own line: only the next look finds it.
    const Time begin = 2 * us;
    const Outcome outcome = wait_for(32, {begin + cycle, 0, 0, 0}, begin);
    EXPECT_EQ(outcome.noticed, begin + 3 * cycle + round_trip + gpu.spin_interval + round_trip);
    EXPECT_EQ(outcome.reads, 5u);
}

TEST(VectorWait, EveryPolicyWaitsForAllFlags)
{
    for (const WaitPolicy policy :
        {WaitPolicy::spin, WaitPolicy::backoff, WaitPolicy::monitor, WaitPolicy::waiting_atomic}) {
        const std::vector<Time> signalled{3 * us, 0, 5 * us, 4 * us};
        const Outcome outcome = wait_for(32, signalled, 1 * us, policy);
        const Time last = 5 * us + gpu.unit_to_l2;
        EXPECT_GE(outcome.noticed, last + l2.latency + gpu.l2_to_unit);
        if (policy == WaitPolicy::waiting_atomic) {
            EXPECT_EQ(outcome.noticed, last + l2.latency + gpu.l2_to_unit);
            EXPECT_EQ(outcome.reads, 4u);
        }
    }
}

TEST(VectorWait, AFlagStandsInALookOnce)
{
    const std::string text = in_child([] {
        TwoGpus system(true, slow_clock());
        Program waiter;
        waiter.add_compute(2 * us);
        waiter.add_wait(flag(0), 1);
        waiter.add_wait(flag(0), 2);
        Program sender;
        sender.add_signal(flag(0));
        sender.add_signal(flag(0));
        system.launch(1, waiter, 1, 1, nullptr, 32);
        system.launch(1, sender);
        sc_core::sc_start();
        return std::to_string(system.done[0]);
    });
    EXPECT_EQ(std::stoull(text), 2 * us + 2 * round_trip);
}

// What follows the waits sees them all ended: the operation behind them runs once, in its place.
TEST(VectorWait, GoesOnBehindTheLastOfThem)
{
    const std::string text = in_child([] {
        TwoGpus system(true, slow_clock());
        Program waiter;
        waiter.add_compute(2 * us);
        for (unsigned i = 0; i < 5; ++i) waiter.add_wait(flag(i), 1);
        waiter.add_compute(1 * us);
        waiter.add_wait(flag(5), 1);
        Program sender;
        for (unsigned i = 0; i < 6; ++i) sender.add_signal(flag(i));
        system.launch(1, waiter, 1, 1, nullptr, 32);
        system.launch(1, sender);
        sc_core::sc_start();
        return std::to_string(system.done[0]);
    });
    EXPECT_EQ(std::stoull(text), 3 * us + 4 * cycle + round_trip + round_trip);
}

TEST(VectorWait, OneThatNeverEndsIsFoundOutAndNamed)
{
    for (const WaitPolicy policy : {WaitPolicy::spin, WaitPolicy::backoff}) {
        const std::string text = in_child([=] {
            TwoGpus system(true, slow_clock(policy));
            Program waiter;
            for (unsigned i = 0; i < 5; ++i) waiter.add_wait(flag(i), 1, 40 + i);
            Program sender;
            sender.add_signal(flag(0));
            sender.add_signal(flag(3));
            system.launch(1, waiter, 1, 1, nullptr, 32);
            system.launch(1, sender);
            sc_core::sc_start();
            EXPECT_TRUE(system.gpus[1]->units().cannot_progress());
            const std::vector<ComputeUnits::Blocked> blocked = system.gpus[1]->units().blocked();
            if (blocked.size() != 1) return std::string("not one");
            return std::to_string(blocked[0].label) + " " + std::to_string(blocked[0].more_flags) + " " +
                std::to_string(blocked[0].flag == flag(1));
        });
        EXPECT_EQ(text, "41 2 1");  // and flags 2 and 4
    }
}

}  // namespace vector_wait_test
