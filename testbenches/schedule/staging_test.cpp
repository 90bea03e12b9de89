// Schedules through FIFOs: the same collective with the same transfers, in bounded memory, and found out when damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/execute.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/protocol/staging.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace staging_test {

using namespace weft;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter};

Verification verified(const Schedule& schedule, std::uint64_t bytes)
{
    VerifyOptions options;
    options.bytes = bytes;
    options.element_bytes = 4;
    return verify(schedule, options);
}

template <typename Visit>
void for_each_put_algorithm(const std::vector<std::uint32_t>& ranks_tried, Visit visit)
{
    for (const CollectiveOp op : ops)
        for (const std::string& algorithm : algorithm_names(op)) {
            if (algorithm_info(op, algorithm)->carrier != Carrier::put) continue;
            if (algorithm == "multi_dim") continue;  // ChunksOfSeveralDimensionsNeedASlotEach
            for (const std::uint32_t ranks : ranks_tried)
                for (std::uint32_t channels = 1; channels <= 3; ++channels) {
                    AlgorithmOptions options;
                    options.channels = channels;
                    Schedule schedule;
                    try {
                        schedule = make_schedule(algorithm, op, ranks, options);
                    } catch (const InputError&) {
                        continue;  // not for this number of ranks
                    }
                    SCOPED_TRACE(fmt::format("{} {}, {} ranks, {} channels", name_of(op), algorithm, ranks, channels));
                    visit(schedule);
                }
        }
}

template <typename Visit>
void for_each_step(const Schedule& schedule, Visit visit)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) visit(rank, step);
}

std::size_t count_of(const Schedule& schedule, StepKind kind)
{
    std::size_t count = 0;
    for_each_step(schedule, [&](std::uint32_t, const Step& step) { count += step.kind == kind; });
    return count;
}

// Of a rank's staging: who stores there and tells of it by which semaphore.
std::size_t connections_to(const Schedule& schedule, std::uint32_t rank)
{
    std::set<std::tuple<std::uint32_t, std::size_t, std::uint32_t>> out;
    for (std::uint32_t r = 0; r < schedule.size(); ++r)
        for (std::size_t t = 0; t < schedule.ranks[r].threads.size(); ++t) {
            bool stored = false;
            for (const Step& step : schedule.ranks[r].threads[t].steps) {
                for (const ChunkRef& ref : step.destinations)
                    stored |= ref.buffer == Buffer::staging && ref.rank == rank;
                if (!stored || step.kind != StepKind::signal || step.peer != rank) continue;
                out.insert({r, t, step.semaphore});
                stored = false;
            }
        }
    return out.size();
}

using Bytes = std::vector<std::uint8_t>;

// The outputs of all ranks, from inputs that are all different.
std::vector<Bytes> outputs_of(const Schedule& schedule, std::uint64_t bytes)
{
    const Layout layout(schedule, bytes, 1);
    std::vector<RankMemory> memories = allocate_memories(layout, schedule.size());
    std::mt19937 random(7);
    for (RankMemory& rank : memories)
        for (std::uint8_t& byte : rank.memory[0]) byte = static_cast<std::uint8_t>(random());
    execute(schedule, layout, ElementType::u8, memories);
    std::vector<Bytes> out;
    for (RankMemory& rank : memories) out.push_back(std::move(rank.memory[1]));
    return out;
}

// Rank 0 sends to rank 1 in one chunk.
Schedule lone_put()
{
    Schedule schedule = empty_plan(CollectiveOp::send_receive, 2, 1, 1, 1);
    for (RankPlan& plan : schedule.ranks) plan.packet_chunks = 0;
    steps_of(schedule, 0) = {move_step({in(0, 0)}, {out(1, 0)}), signal_step(1, 0)};
    steps_of(schedule, 1) = {wait_step(0, 0)};
    return schedule;
}

template <typename Make>
std::string refusal(Make make)
{
    try {
        make();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Staging, EveryAlgorithmThatPutsIsRightThroughFifos)
{
    std::size_t tried = 0;
    std::vector<std::uint32_t> sizes{2, 3, 5};
    if (weft::test::thorough()) sizes = {2, 3, 4, 5, 8, 16};  // the larger they are, the longer they take
    for_each_put_algorithm(sizes, [&](const Schedule& schedule) {
        for (const std::uint32_t steps : {3u, 8u})
            for (const std::uint64_t bytes : {4u, 1000u, 65536u}) {
                const Schedule staged = in_fifos(schedule, bytes, 4, {steps, 1024});
                const Verification verdict = verified(staged, bytes);
                ASSERT_TRUE(verdict.ok) << steps << " steps, " << bytes << " bytes: " << all_problems(verdict);
                EXPECT_EQ(traffic_of(staged, Layout(staged, bytes, 4)).pairs,
                    traffic_of(schedule, Layout(schedule, bytes, 4)).pairs);
                for_each_step(staged, [](std::uint32_t rank, const Step& step) {
                    for (const ChunkRef& ref : step.destinations)
                        EXPECT_TRUE(ref.rank == rank || ref.buffer == Buffer::staging);
                });
                ++tried;
            }
    });
    EXPECT_GT(tried, 2000u);
}

// Its threads send on what came by other threads, so that few slots are a circle of waiting.
TEST(Staging, ChunksOfSeveralDimensionsNeedASlotEach)
{
    const Schedule schedule = make_schedule("multi_dim", CollectiveOp::all_reduce, 2, AlgorithmOptions());
    EXPECT_FALSE(verified(in_fifos(schedule, 1024, 4, {4, 256}), 1024).ok);
    const Verification enough = verified(in_fifos(schedule, 1024, 4, {64, 256}), 1024);
    EXPECT_TRUE(enough.ok) << (enough.problems.empty() ? "" : enough.problems.front());
}

TEST(Staging, BytesAreThoseOfTheSameScheduleWithout)
{
    for_each_put_algorithm({2, 3, 8}, [&](const Schedule& schedule) {
        for (const std::uint64_t bytes : {1u, 1024u, 5003u})
            EXPECT_EQ(outputs_of(in_fifos(schedule, bytes, 1, {4, 256}), bytes), outputs_of(schedule, bytes))
                << bytes << " bytes";
    });
}

// Slots of a connection take steps x step_bytes at most, whatever the message.
TEST(Staging, MemoryIsBoundedByStepsAndBytes)
{
    constexpr std::uint64_t step_bytes = 1024;
    const std::vector<std::uint32_t> sizes =
        weft::test::thorough() ? std::vector<std::uint32_t>{2, 5, 8} : std::vector<std::uint32_t>{2, 5};
    for_each_put_algorithm(sizes, [&](const Schedule& schedule) {
        for (const std::uint32_t steps : {3u, 8u})
            for (const std::uint64_t bytes : {100u, 65536u, 200000u}) {
                const Schedule staged = in_fifos(schedule, bytes, 4, {steps, step_bytes});
                const Layout layout(staged, bytes, 4);
                for (std::uint32_t rank = 0; rank < staged.size(); ++rank)
                    EXPECT_LE(layout.memory_bytes(rank, Buffer::staging),
                        connections_to(staged, rank) * steps * step_bytes);
            }
    });
    // A ring has one connection for each channel, and no scratch is left.
    for (const std::uint64_t bytes : {1u << 16, 1u << 20}) {
        AlgorithmOptions options;
        options.channels = 2;
        const Schedule staged =
            in_fifos(make_schedule("ring", CollectiveOp::all_reduce, 4, options), bytes, 4, {8, step_bytes});
        const Layout layout(staged, bytes, 4);
        EXPECT_EQ(layout.cell_bytes(), step_bytes);
        EXPECT_EQ(layout.memory_bytes(0, Buffer::staging), 2 * 8 * step_bytes);
        EXPECT_EQ(layout.memory_bytes(0, Buffer::scratch), 0u);
    }
}

TEST(Staging, ReceiversForwardFromTheSlotInOneStep)
{
    // Ring all-reduce of 4 in one round: send, recvReduceSend twice, recvReduceCopySend, recvCopySend twice, recv.
    const Schedule staged = in_fifos(make_schedule("ring", CollectiveOp::all_reduce, 4), 4096, 4, {8, 4096});
    const std::size_t sources[] = {1, 2, 2, 2, 1, 1, 1};
    const std::size_t destinations[] = {1, 1, 1, 2, 2, 2, 1};
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        std::vector<const Step*> moves;
        for (const Step& step : staged.ranks[rank].threads[0].steps)
            if (is_data(step.kind)) moves.push_back(&step);
        ASSERT_EQ(moves.size(), 7u);
        for (std::size_t m = 0; m < 7; ++m) {
            EXPECT_EQ(moves[m]->sources.size(), sources[m]) << m;
            EXPECT_EQ(moves[m]->destinations.size(), destinations[m]) << m;
            EXPECT_EQ(moves[m]->sources[0].buffer == Buffer::staging, m > 0) << m;
        }
    }
    // Six messages and eight slots: nothing is handed back.
    EXPECT_EQ(count_of(staged, StepKind::signal), 4u * 6);
}

TEST(Staging, SlotsThatAreFilledAgainAreHandedBack)
{
    for (const std::uint32_t steps : {1u, 2u, 5u}) {
        const Schedule staged = in_fifos(lone_put(), 12 * 256, 4, {steps, 256});
        EXPECT_EQ(staged.ranks[1].staging_chunks, steps);
        EXPECT_EQ(count_of(staged, StepKind::move), 2u * 12);  // a put and a copy
        EXPECT_EQ(count_of(staged, StepKind::signal), 12u + (12 - steps));
        EXPECT_EQ(count_of(staged, StepKind::wait), 12u + (12 - steps));
        EXPECT_TRUE(verify(staged).ok);
    }
}

// A thread that sends twice before it receives needs two slots, as do all in a circle that hold one and want the next.
TEST(Staging, TooFewSlotsBlockForEver)
{
    const Schedule ring = make_schedule("ring", CollectiveOp::all_reduce, 4);
    EXPECT_TRUE(verify(in_fifos(ring, 4096, 4, {2, 4096})).ok);
    const Verification one = verify(in_fifos(ring, 4096, 4, {1, 4096}));
    EXPECT_FALSE(one.ok);
    EXPECT_NE(all_problems(one).find("never runs: it waits for signal"), std::string::npos) << all_problems(one);
}

TEST(Staging, SlicesAreSlotsOfTheirOwn)
{
    const Schedule sliced = in_slices(lone_put(), 3);
    const Schedule staged = in_fifos(sliced, 3 * 256, 4, {8, 4096});
    EXPECT_TRUE(verify(staged).ok) << all_problems(verify(staged));
    EXPECT_EQ(staged.ranks[1].staging_chunks, 3u);
    EXPECT_EQ(Layout(staged, 3 * 256, 4).cell_bytes(), 256u);
}

namespace {

// The staged lone put with its `n`-th step of a kind left out at a rank.
Schedule damaged(std::uint32_t rank, StepKind kind, std::size_t n)
{
    Schedule staged = in_fifos(lone_put(), 12 * 256, 4, {2, 256});
    std::vector<Step>& steps = steps_of(staged, rank);
    for (std::size_t s = 0; s < steps.size(); ++s)
        if (steps[s].kind == kind && n-- == 0) {
            steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(s));
            break;
        }
    return staged;
}

}  // namespace

TEST(Staging, ASenderThatDoesNotWaitForItsSlotIsCaughtTwice)
{
    // Without any of ten credits some slot is stored to too early.
    for (std::size_t n = 0; n < 10; ++n) {
        const Schedule schedule = damaged(0, StepKind::wait, n);
        const Verification verdict = verify(schedule);
        EXPECT_FALSE(verdict.ok);
        EXPECT_NE(all_problems(verdict).find("writes staging chunk"), std::string::npos) << all_problems(verdict);
    }
    Schedule without = in_fifos(lone_put(), 12 * 256, 4, {2, 256});
    std::vector<Step>& steps = steps_of(without, 0);
    steps.erase(
        std::remove_if(steps.begin(), steps.end(), [](const Step& step) { return step.kind == StepKind::wait; }),
        steps.end());
    EXPECT_FALSE(verify(without).ok);
    EXPECT_NE(outputs_of(without, 12 * 256)[1], outputs_of(lone_put(), 12 * 256)[1]);
}

TEST(Staging, ASlotThatIsNotHandedBackIsCaughtTwice)
{
    const Schedule schedule = damaged(1, StepKind::signal, 9);
    const Verification verdict = verify(schedule);
    EXPECT_FALSE(verdict.ok);
    EXPECT_NE(all_problems(verdict).find("rank 0 thread 0 step 31 (wait) never runs: it waits for signal 10"),
        std::string::npos)
        << all_problems(verdict);
    EXPECT_NE(outputs_of(schedule, 12 * 256)[1], outputs_of(lone_put(), 12 * 256)[1]);
}

TEST(Staging, AReceiverThatDoesNotWaitForItsDataIsCaught)
{
    const Verification verdict = verify(damaged(1, StepKind::wait, 3));
    EXPECT_FALSE(verdict.ok);
    EXPECT_NE(all_problems(verdict).find("reads staging chunk"), std::string::npos) << all_problems(verdict);
}

TEST(Staging, WhatAFifoCannotDoIsRefused)
{
    EXPECT_EQ(refusal([] { in_fifos(make_schedule("direct_get", CollectiveOp::all_gather, 2), 64, 4, {}); }),
        "direct_get: rank 1 thread 0 step 2 (move) loads from a peer, which a FIFO cannot do; expected an "
        "algorithm "
        "that only "
        "stores to peers, or engine.staging=none");
    Schedule plan = lone_put();
    steps_of(plan, 0).pop_back();
    EXPECT_EQ(refusal([&] { in_fifos(plan, 64, 4, {}); }),
        "test: no step waits for the data that rank 0 thread 0 step 0 (move) puts, which is impossible with a FIFO; "
        "expected a wait for "
        "every put, "
        "or engine.staging=none");
    EXPECT_EQ(refusal([] {
        in_fifos(make_schedule("bruck", CollectiveOp::all_gather, 8), 8192, 4, {8, 128});
    }),
        "bruck: a slot of 128 bytes is too small for a line of each of the 4 chunks of one signal, which is impossible "
        "with a FIFO; "
        "expected "
        "engine.step_bytes of 256 at least, or engine.staging=none");
    EXPECT_EQ(refusal([] {
        in_fifos(lone_put(), std::uint64_t{1} << 30, 4, {8, 64});
    }),
        "test: rank 0 thread 0 step 0 (move) goes to slots in more than 65536 parts, which is impossible with a FIFO; "
        "expected "
        "a larger "
        "engine.step_bytes or fewer channels, or engine.staging=none");
}

}  // namespace staging_test
