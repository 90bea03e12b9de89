// Schedules in packets and in slices are schedules of the same collective, with the same transfers.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace protocol_test {

using namespace weft;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter, CollectiveOp::barrier};

template <typename Visit>
void for_each_step(const Schedule& schedule, Visit visit)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) visit(rank, step);
}

// Stores to peers, and nothing else that leaves a rank.
bool only_puts(const Schedule& schedule)
{
    bool puts = true;
    for_each_step(schedule, [&](std::uint32_t rank, const Step& step) {
        puts &= !in_switch(step.kind);
        for (const ChunkRef& source : step.sources) puts &= source.rank == rank;
    });
    return puts;
}

std::size_t count_of(const Schedule& schedule, StepKind kind)
{
    std::size_t count = 0;
    for_each_step(schedule, [&](std::uint32_t, const Step& step) { count += step.kind == kind; });
    return count;
}

struct Case {
    CollectiveOp op;
    std::string algorithm;
    std::uint32_t ranks;
    AlgorithmOptions options;

    std::string text() const
    {
        return std::string(name_of(op)) + " " + algorithm + ", " + std::to_string(ranks) + " ranks, " +
            std::to_string(options.channels) + " channels";
    }
    Schedule make() const { return make_schedule(algorithm, op, ranks, options); }
};

template <typename Visit>
void for_each_case(std::uint32_t most_ranks, Visit visit)
{
    for (const CollectiveOp op : ops)
        for (const std::string& algorithm : algorithm_names(op))
            for (std::uint32_t ranks = 2; ranks <= most_ranks; ++ranks)
                for (std::uint32_t channels = 1; channels <= 3; ++channels) {
                    AlgorithmOptions options;
                    options.channels = channels;
                    const Case one{op, algorithm, ranks, options};
                    SCOPED_TRACE(one.text());
                    Schedule schedule;
                    try {
                        schedule = one.make();
                    } catch (const InputError&) {
                        continue;  // not for this number of ranks
                    }
                    visit(schedule);
                }
}

}  // namespace

TEST(Protocol, EveryAlgorithmThatPutsIsRightInPackets)
{
    std::size_t tried = 0;
    for_each_case(weft::test::thorough() ? 16 : 8, [&](const Schedule& schedule) {
        if (!only_puts(schedule)) {
            EXPECT_THROW(in_packets(schedule), InputError);
            return;
        }
        const Schedule packets = in_packets(schedule);
        const Verification before = verify(schedule);
        const Verification after = verify(packets);
        ASSERT_TRUE(after.ok) << all_problems(after);
        EXPECT_EQ(after.steps, before.steps);
        if (schedule.op != CollectiveOp::barrier) {
            EXPECT_EQ(after.signal_steps, 0u);
        }
        for_each_step(packets, [](std::uint32_t rank, const Step& step) {
            for (const ChunkRef& ref : step.destinations)
                EXPECT_TRUE(ref.rank == rank || ref.buffer == Buffer::packets);
        });
        ++tried;
    });
    EXPECT_GT(tried, 300u);
}

TEST(Protocol, PacketsSendTheSameBytesAtAnySize)
{
    for_each_case(6, [](const Schedule& schedule) {
        if (!only_puts(schedule) || schedule.op == CollectiveOp::barrier) return;
        const Schedule packets = in_packets(schedule);
        for (const std::uint64_t bytes : {4u, 20u, 1000u, 4100u}) {
            VerifyOptions options;
            options.bytes = bytes;
            options.element_bytes = 4;
            if (!verify(schedule, options).ok) continue;
            const Verification after = verify(packets, options);
            ASSERT_TRUE(after.ok) << bytes << " bytes: " << all_problems(after);
            EXPECT_EQ(traffic_of(packets, Layout(packets, bytes, 4)).pairs,
                traffic_of(schedule, Layout(schedule, bytes, 4)).pairs);
        }
    });
}

TEST(Protocol, ReceiversForwardAndKeepInOneStep)
{
    // Ring all-gather of 4: a send, two recvCopySends, a recv; of all-reduce: a send, two recvReduceSends, a
    // recvReduceCopySend, two recvCopySends, a recv.
    const Schedule gather = in_packets(make_schedule("ring", CollectiveOp::all_gather, 4));
    const Schedule reduce = in_packets(make_schedule("ring", CollectiveOp::all_reduce, 4));
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        const std::vector<Step>& steps = gather.ranks[rank].threads[0].steps;
        ASSERT_EQ(steps.size(), 4u);
        for (const unsigned s : {1u, 2u}) {
            EXPECT_EQ(steps[s].sources[0].buffer, Buffer::packets);
            ASSERT_EQ(steps[s].destinations.size(), 2u);
            EXPECT_EQ(steps[s].destinations[0].buffer, Buffer::packets);
            EXPECT_EQ(steps[s].destinations[1].buffer, Buffer::output);
            EXPECT_EQ(steps[s].destinations[1].rank, rank);
        }
        EXPECT_EQ(steps[3].destinations.size(), 1u);
        EXPECT_EQ(reduce.ranks[rank].threads[0].steps.size(), 7u);
        EXPECT_EQ(reduce.ranks[rank].scratch_chunks, 0u);
        EXPECT_EQ(reduce.ranks[rank].packet_chunks, 6u);
    }
}

TEST(Protocol, SignalsThatPublishNothingStay)
{
    for (const char* algorithm : {"ring", "direct"}) {
        const Schedule barrier = make_schedule(algorithm, CollectiveOp::barrier, 5);
        const Schedule packets = in_packets(barrier);
        EXPECT_EQ(count_of(packets, StepKind::signal), count_of(barrier, StepKind::signal));
        EXPECT_TRUE(verify(packets).ok);
    }
}

TEST(Protocol, AReadThatIsCutOtherwiseFindsTheDataInMemory)
{
    // Two threads put a half each; a third one waits for both and takes the whole.
    Schedule plan = empty_plan(CollectiveOp::send_receive, 2, 1, 3);
    for (std::uint32_t half : {0u, 1u}) {
        Step put = move_step({in(0, 0)}, {slot(1, 0)});
        put.part = half;
        put.parts = 2;
        steps_of(plan, 0, half) = {put, signal_step(1, half)};
        steps_of(plan, 1, half) = {wait_step(0, half)};
    }
    Step take = move_step({slot(1, 0)}, {out(1, 0)});
    take.after = {{0, 0}, {1, 0}};
    steps_of(plan, 1, 2) = {take};
    ASSERT_TRUE(verify(plan).ok) << all_problems(verify(plan));
    const Schedule packets = in_packets(plan);
    EXPECT_TRUE(verify(packets).ok) << all_problems(verify(packets));
    EXPECT_EQ(count_of(packets, StepKind::wait), 0u);
    EXPECT_EQ(steps_of(const_cast<Schedule&>(packets), 1, 2)[0].sources[0].buffer, Buffer::scratch);
}

TEST(Protocol, SlotsThatAreUsedAgainHaveNewPackets)
{
    // Two messages through one slot, the second one after a credit.
    Schedule plan = empty_plan(CollectiveOp::send_receive, 2, 2);
    steps_of(plan, 0) = {move_step({in(0, 0)}, {slot(1, 0)}), signal_step(1, 0), wait_step(1, 0),
        move_step({in(0, 1)}, {slot(1, 0)}), signal_step(1, 0)};
    steps_of(plan, 1) = {wait_step(0, 0), move_step({slot(1, 0)}, {out(1, 0)}), signal_step(0, 0), wait_step(0, 0),
        move_step({slot(1, 0)}, {out(1, 1)})};
    ASSERT_TRUE(verify(plan).ok) << all_problems(verify(plan));
    Schedule packets = in_packets(plan);
    EXPECT_TRUE(verify(packets).ok) << all_problems(verify(packets));
    EXPECT_EQ(count_of(packets, StepKind::signal), 1u);  // the credit
    EXPECT_EQ(steps_of(packets, 0)[2].destinations[0].index, steps_of(packets, 0)[0].destinations[0].index + 1);
}

TEST(Protocol, ADroppedStoreIsFound)
{
    Schedule packets = in_packets(make_schedule("ring", CollectiveOp::all_reduce, 4));
    steps_of(packets, 1).erase(steps_of(packets, 1).begin());
    const Verification result = verify(packets);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(all_problems(result).find("rank 2 thread 0 step 1 (move) never runs: it waits for packets in slot"),
        std::string::npos)
        << all_problems(result);
}

TEST(Protocol, WhatPacketsCannotDoIsRefused)
{
    const auto refusal = [](const Schedule& schedule) -> std::string {
        try {
            in_packets(schedule);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(make_schedule("direct_get", CollectiveOp::all_gather, 2)),
        "direct_get: rank 1 thread 0 step 2 (move) loads from a peer, which packets cannot do; expected an "
        "algorithm "
        "that only "
        "stores to peers, or engine.protocol=simple");
    Schedule plan = empty_plan(CollectiveOp::send_receive, 2, 1);
    steps_of(plan, 0) = {move_step({in(0, 0)}, {out(1, 0)})};
    EXPECT_EQ(refusal(plan),
        "test: no step waits for the data that rank 0 thread 0 step 0 (move) puts, which is impossible with packets; "
        "expected "
        "a wait for every put");
    steps_of(plan, 0)[0].kind = StepKind::multicast;
    EXPECT_EQ(refusal(plan),
        "test: rank 0 thread 0 step 0 (multicast) has steps in switches, which packets cannot do; expected "
        "an algorithm of stores, or engine.protocol=simple");
}

TEST(Protocol, EveryAlgorithmIsRightInSlices)
{
    for_each_case(weft::test::thorough() ? 8 : 6, [](const Schedule& schedule) {
        for (const std::uint32_t slices : {2u, 3u}) {
            const Schedule sliced = in_slices(schedule, slices);
            const Verification before = verify(schedule);
            const Verification after = verify(sliced);
            ASSERT_TRUE(after.ok) << slices << " slices: " << all_problems(after);
            if (schedule.op == CollectiveOp::barrier) continue;
            EXPECT_EQ(count_of(sliced, StepKind::signal), slices * count_of(schedule, StepKind::signal));
            EXPECT_EQ(traffic_of(sliced, Layout(sliced, 65536, 4)).pairs,
                traffic_of(schedule, Layout(schedule, 65536, 4)).pairs);
        }
        EXPECT_EQ(count_of(in_slices(schedule, 1), StepKind::move), count_of(schedule, StepKind::move));
    });
}

// Blocks of one rank that each wait for a step of the other, as in recursive halving with a block for each partner: the second adds what
// comes and sends it on behind a step of the first, which works on that sum.
TEST(Protocol, BlocksThatWaitForEachOtherAreRightInSlices)
{
    Schedule schedule = empty_plan(CollectiveOp::custom, 2, 1, 2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        const std::uint32_t peer = 1 - rank;
        // Second thread: it receives, adds, and sends on what the first one has made of the sum.
        Step add = move_step({in(rank, 0), slot(rank, 0)}, {out(rank, 0)});
        Step pass = move_step({slot(rank, 1)}, {slot(peer, 2)});
        pass.after = {{0, 0}};
        steps_of(schedule, rank, 1) = {move_step({in(rank, 0)}, {slot(peer, 0)}), signal_step(peer, 0),
            wait_step(peer, 0), add, pass, signal_step(peer, 1), wait_step(peer, 1)};
        Step copy = move_step({out(rank, 0)}, {slot(rank, 1)});
        copy.after = {{1, 3}};
        steps_of(schedule, rank, 0) = {copy};
    }
    ASSERT_TRUE(verify(schedule).ok) << all_problems(verify(schedule));
    for (const std::uint32_t slices : {2u, 3u}) {
        const Verification sliced = verify(in_slices(schedule, slices));
        EXPECT_TRUE(sliced.ok) << slices << " slices: " << all_problems(sliced);
    }
}

}  // namespace protocol_test
