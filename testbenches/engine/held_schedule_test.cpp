// Schedules that hold one channel of many (collectives/schedule/channels.h) run as those that hold all do, and the programs of
// large ones are small.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/engine/collective_driver.h"
#include "collectives/schedule/channels.h"
#include "collectives/schedule/protocol/protocol.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace held_schedule_test {

using namespace weft;
using namespace weft::testing;

namespace {

// When each rank left, and how many lines all GPUs sent.
std::string outcome_of(const BoxOptions& options, const Schedule& schedule)
{
    return in_child([&] {
        GpuBox box(options);
        std::string out;
        const Executor::JobId job = box.open(std::make_shared<Schedule>(schedule), 40'000, ElementType::fp32);
        for (std::uint32_t rank = 0; rank < options.gpus; ++rank)
            box.executor->enter(job, rank, [&out, &box, rank] {
                out += std::to_string(rank) + " at " + std::to_string(box.executor->now()) + " ";
            });
        box.run();
        EXPECT_TRUE(box.record(job).finished && box.record(job).checked);
        EXPECT_EQ(box.record(job).mismatch, "");
        for (const auto& gpu : box.gpus) out += std::to_string(gpu->units().lines()) + " ";
        return out;
    });
}

// A rank's programs as the executor keeps them.
std::size_t program_bytes(const Schedule& schedule, std::uint64_t bytes, std::uint32_t rank)
{
    const Layout layout(schedule, bytes, 4);
    std::vector<RankAddresses> addresses(schedule.size());
    for (std::uint32_t r = 0; r < schedule.size(); ++r) {
        for (unsigned buffer = 0; buffer < buffer_kinds; ++buffer)
            addresses[r].memory[buffer] = global_address(r, std::uint64_t{buffer} << 32);
        addresses[r].flags = global_address(r, MemoryImage::flag_base);
    }
    SwitchUse use = switch_use(schedule);
    for (auto& group : use.groups) group.second = first_group;
    Lowered lowered = lower(schedule, layout, ElementType::fp32, rank, addresses, Mover::units, nullptr, nullptr,
        use.any() ? &use.groups : nullptr);
    std::size_t out = 0;
    for (Program& program : lowered.workgroups) {
        program.compact();
        out += program.memory_bytes();
    }
    return out;
}

}  // namespace

TEST(HeldSchedule, RunsAsTheWholeOneDoes)
{
    const auto expect_same = [](const BoxOptions& options, CollectiveOp op, const char* algorithm) {
        AlgorithmOptions of;
        of.channels = 4;
        const Schedule held = make_held_schedule(algorithm, op, options.gpus, of);
        ASSERT_EQ(held.channels, 4U);
        EXPECT_EQ(outcome_of(options, held), outcome_of(options, whole(held))) << algorithm;
    };
    BoxOptions options = box(4);
    expect_same(options, CollectiveOp::all_reduce, "ring");
    expect_same(options, CollectiveOp::all_reduce, "double_tree");  // threads that depend on each other
    expect_same(options, CollectiveOp::all_gather, "bruck");
    for (const Mover mover : {Mover::copy_engine, Mover::bulk}) {
        options.engine.mover = mover;
        expect_same(options, CollectiveOp::all_reduce, "ring");
        expect_same(options, CollectiveOp::all_reduce, "double_tree");
    }
    options = box(4);
    options.engine.flag_home = FlagHome::signaller;
    expect_same(options, CollectiveOp::all_reduce, "ring");
    options = box(4);
    options.engine.channel = EngineChannel::port;
    expect_same(options, CollectiveOp::all_reduce, "ring");
    options = box(4);
    options.engine.slices = 2;
    expect_same(options, CollectiveOp::all_reduce, "ring");
    options = box(4);
    options.engine.protocol = Protocol::ll;
    expect_same(options, CollectiveOp::all_reduce, "ring");
    options = box(4);
    options.has_switch = true;
    expect_same(options, CollectiveOp::all_reduce, "nvls");
}

// Between 8 and 512 ranks that all signal each other twice the programs of a rank stay the same: 32 channels of four runs a
// meeting, a move and a barrier on either side. One by one the signals and waits of 512 ranks are 2.6 MB of a rank.
TEST(HeldSchedule, MeetingsTakeTheSameMemoryForAnyNumberOfRanks)
{
    for (const std::uint32_t ranks : {8U, 64U, 512U}) {
        AlgorithmOptions options;
        options.channels = 32;
        const Schedule schedule = make_held_schedule("nvls", CollectiveOp::all_reduce, ranks, options);
        const std::size_t bytes = program_bytes(schedule, std::uint64_t{ranks} * 32 * 64, ranks / 2);
        EXPECT_EQ(bytes, 32 * (11 * sizeof(Operation) + 2 * sizeof(std::uint64_t))) << ranks;
    }
}

// A ring waits, moves and signals in turn: an operation and a barrier for each, and two or three operands, without spare room.
TEST(HeldSchedule, ProgramsOfRingsHaveNoSpareRoom)
{
    AlgorithmOptions options;
    options.channels = 8;
    const Schedule schedule = make_held_schedule("ring", CollectiveOp::all_reduce, 64, options);
    const std::size_t steps = 2 * 63 * 3;
    const std::size_t bytes = program_bytes(schedule, 64 * 8 * 64, 5);
    EXPECT_LE(bytes, 8 * steps * (5 * sizeof(Operation) / 3 + sizeof(std::uint64_t)));
    EXPECT_GE(bytes, 8 * steps * sizeof(Operation));
}

// A ring of 576 has more in sight of each other than the verifier follows: the same ring of 64 is verified, and that is said.
TEST(HeldSchedule, WhatIsTooLargeToBeVerifiedIsVerifiedSmaller)
{
    GpuBox box(weft::testing::box(2));
    CollectiveRequest request;
    request.algorithm = "ring";
    request.bytes = 1 << 20;
    for (std::uint32_t rank = 0; rank < 576; ++rank) request.members.push_back(rank);
    request.options.channels = 32;
    const CollectiveDriver large(*box.executor, request);
    ASSERT_EQ(large.notices().size(), 1U);
    EXPECT_EQ(large.notices()[0],
        "ring among 576 ranks is too large to be verified (its threads depend on more than 268435456 steps of each "
        "other): "
        "it was verified among 64");
    EXPECT_EQ(large.schedule().size(), 576U);
    // An order of ranks cannot be made smaller.
    request.options.orders.emplace_back();
    for (std::uint32_t rank = 0; rank < 576; ++rank) request.options.orders[0].push_back(575 - rank);
    EXPECT_THROW(CollectiveDriver(*box.executor, request), InputError);
    request.options.orders.clear();
    request.members.resize(64);
    EXPECT_TRUE(CollectiveDriver(*box.executor, request).notices().empty());
}

}  // namespace held_schedule_test
