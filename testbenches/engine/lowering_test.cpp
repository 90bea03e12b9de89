// Schedules as wavefront programs, compared operation by operation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/engine/lines/lowering.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace lowering_test {

using namespace weft;

namespace {

// Addresses as text: memory, then offset; buffers of rank r lie at r00000 (input), r10000 (output),
// r20000 (scratch) and r30000 (flags), in hexadecimal.
std::vector<RankAddresses> addresses(std::uint32_t ranks)
{
    std::vector<RankAddresses> all(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint64_t base = std::uint64_t{rank} << 20;
        all[rank] = {{base, base + 0x10000, base + 0x20000}, base + 0x30000};
    }
    return all;
}

std::string text_of(const Program& program)
{
    std::string out;
    for (const Operation& operation : program.operations) {
        const auto operands = [&](std::size_t first, std::size_t count) {
            std::string list;
            for (std::size_t i = 0; i < count; ++i)
                list += fmt::format("{}{:x}", i == 0 ? "" : "+", program.operands[operation.first_operand + first + i]);
            return list;
        };
        switch (operation.kind) {
        case Operation::Kind::move:
            out += fmt::format("{}{}: {} -> {} {} B\n", operation.label, operation.with_previous ? " too" : "",
                operands(0, operation.sources), operands(operation.sources, operation.destinations), operation.bytes);
            break;
        case Operation::Kind::signal:
            out += fmt::format("{}: signal {:x}\n", operation.label, operation.address);
            break;
        case Operation::Kind::wait:
            out += fmt::format("{}: wait {:x} >= {}\n", operation.label, operation.address, operation.value);
            break;
        case Operation::Kind::barrier: out += fmt::format("{}: barrier\n", operation.label); break;
        case Operation::Kind::fence:
            out += fmt::format("{}: fence {}\n", operation.label, name_of(operation.scope));
            break;
        case Operation::Kind::bulk:
            out += fmt::format("{}: bulk {} -> {} {} B\n", operation.label, operands(0, 1),
                operands(1, operation.destinations), operation.bytes);
            break;
        case Operation::Kind::bulk_wait: out += fmt::format("{}: bulk wait\n", operation.label); break;
        case Operation::Kind::request:
            out += fmt::format("{}: request {} {}\n", operation.label, operation.value, name_of(operation.scope));
            break;
        case Operation::Kind::load:
        case Operation::Kind::chase:
        case Operation::Kind::store:
        case Operation::Kind::atomic:
        case Operation::Kind::compute:
        case Operation::Kind::flops: out += fmt::format("{}: another\n", operation.label); break;
        }
    }
    return out;
}

Lowered lowered_for(Mover mover, const Schedule& schedule, std::uint64_t bytes, std::uint32_t rank)
{
    return lower(schedule, Layout(schedule, bytes, 1), ElementType::u8, rank, addresses(schedule.size()), mover);
}

std::vector<Program> lowered(const Schedule& schedule, std::uint64_t bytes, std::uint32_t rank,
    ElementType type = ElementType::u8)
{
    const Layout layout(schedule, bytes, size_of(type));
    return lower(schedule, layout, type, rank, addresses(schedule.size())).workgroups;
}

// A custom schedule of one rank with three buffers of `chunks` chunks.
Schedule custom(std::uint32_t chunks)
{
    Schedule schedule;
    schedule.name = "plan";
    schedule.chunks = chunks;
    schedule.ranks.resize(1);
    schedule.ranks[0].input_chunks = schedule.ranks[0].output_chunks = chunks;
    return schedule;
}

}  // namespace

TEST(Lowering, RingAllReduceOfTwoRanks)
{
    const Schedule schedule = make_schedule("ring", CollectiveOp::all_reduce, 2, {});
    const std::vector<Program> programs = lowered(schedule, 256, 0);
    ASSERT_EQ(programs.size(), 1u);
    EXPECT_EQ(text_of(programs[0]),
        "0: 0 -> 120000 128 B\n"
        "1: barrier\n"
        "1: signal 130000\n"
        "2: wait 30000 >= 1\n"
        "3: barrier\n"
        "3: 20000+80 -> 10080+110080 128 B\n"
        "4: barrier\n"
        "4: signal 130000\n"
        "5: wait 30000 >= 2\n");
}

TEST(Lowering, DirectAllToAllOfThreeRanksOverlapsItsMoves)
{
    const Schedule schedule = make_schedule("direct", CollectiveOp::all_to_all, 3, {});
    EXPECT_EQ(text_of(lowered(schedule, 192, 1)[0]),
        "0: 100080 -> 210040 64 B\n"
        "1 too: 100000 -> 10040 64 B\n"
        "2 too: 100040 -> 110040 64 B\n"
        "3: barrier\n"
        "3: signal 230040\n"
        "4: signal 30000\n"
        "5: wait 130000 >= 1\n"
        "6: wait 130040 >= 1\n");
}

TEST(Lowering, EveryChannelMovesItsPartOfEveryChunk)
{
    AlgorithmOptions options;
    options.channels = 3;
    const Schedule schedule = make_schedule("direct", CollectiveOp::broadcast, 2, options);
    // 300 bytes are five lines: two, two and one of 44 bytes.
    const std::vector<Program> programs = lowered(schedule, 300, 0);
    ASSERT_EQ(programs.size(), 3u);
    EXPECT_EQ(text_of(programs[0]), "0: 0 -> 10000+110000 128 B\n1: barrier\n1: signal 130000\n");
    EXPECT_EQ(text_of(programs[1]), "0: 80 -> 10080+110080 128 B\n1: barrier\n1: signal 130040\n");
    EXPECT_EQ(text_of(programs[2]), "0: 100 -> 10100+110100 44 B\n1: barrier\n1: signal 130080\n");
    EXPECT_EQ(text_of(lowered(schedule, 300, 1)[2]), "0: wait 130080 >= 1\n");
}

TEST(Lowering, PartsWithoutBytesVanishButTheirSignalsStay)
{
    AlgorithmOptions options;
    options.channels = 2;
    const Schedule schedule = make_schedule("direct", CollectiveOp::broadcast, 2, options);
    const std::vector<Program> programs = lowered(schedule, 7, 0);
    EXPECT_EQ(text_of(programs[0]), "0: 0 -> 10000+110000 7 B\n1: barrier\n1: signal 130000\n");
    EXPECT_EQ(text_of(programs[1]), "1: signal 130040\n");
}

TEST(Lowering, ConsecutiveChunksThatAreApartInOneOperandBecomePieces)
{
    Schedule schedule = custom(4);
    // Slots of scratch are whole lines, so 100-byte chunks lie apart there.
    schedule.ranks[0].scratch_chunks = 2;
    schedule.ranks[0].threads.push_back({{move_step({{0, Buffer::input, 1, 2}}, {{0, Buffer::scratch, 0, 2}})}});
    EXPECT_EQ(text_of(lowered(schedule, 400, 0)[0]),
        "0: 64 -> 20000 100 B\n"
        "0 too: c8 -> 20080 100 B\n");
}

TEST(Lowering, BarriersCountTheirRounds)
{
    Schedule schedule = custom(1);
    Step barrier;
    barrier.kind = StepKind::barrier;
    barrier.semaphore = 1;
    barrier.participants = 2;
    schedule.ranks[0].semaphores = 2;
    schedule.ranks[0].threads = {{{barrier, barrier}}, {{barrier, barrier}}};
    const std::string expected = "0: signal 30040\n0: wait 30040 >= 2\n"
                                 "1: signal 30040\n1: wait 30040 >= 4\n";
    const std::vector<Program> programs = lowered(schedule, 64, 0);
    EXPECT_EQ(text_of(programs[0]), expected);
    EXPECT_EQ(text_of(programs[1]), expected);
}

TEST(Lowering, DependenciesAcrossThreadsAreFlagsBehindTheSemaphores)
{
    Schedule schedule = custom(2);
    schedule.ranks[0].semaphores = 1;
    const auto copy = [](std::uint32_t chunk) {
        return move_step({{0, Buffer::input, chunk, 1}}, {{0, Buffer::output, chunk, 1}});
    };
    Step after_other = copy(1);
    after_other.after = {{0, 0}};
    after_other.with_previous = true;  // the dependency wins
    Step nothing;
    nothing.after = {{1, 1}, {0, 0}};
    schedule.ranks[0].threads = {{{copy(0), nothing}}, {{copy(0), after_other}}};
    EXPECT_EQ(flags_of(schedule.ranks[0]), 3u);
    const std::vector<Program> programs = lowered(schedule, 128, 0);
    EXPECT_EQ(text_of(programs[0]),
        "0: 0 -> 10000 64 B\n"
        "0: barrier\n"
        "0: signal 30040\n"
        "1: wait 30080 >= 1\n");
    EXPECT_EQ(text_of(programs[1]),
        "0: 0 -> 10000 64 B\n"
        "1: wait 30040 >= 1\n"
        "1: barrier\n"
        "1: 40 -> 10040 64 B\n"
        "1: barrier\n"
        "1: signal 30080\n");
}

TEST(Lowering, AMoveThatReadsWhatOneBeforeItWroteComesBehindAFence)
{
    Schedule schedule = custom(3);
    const auto copy = [](Buffer from, std::uint32_t first, Buffer to, std::uint32_t second) {
        return move_step({{0, from, first, 1}}, {{0, to, second, 1}});
    };
    schedule.ranks[0].threads = {{{copy(Buffer::input, 0, Buffer::output, 0), copy(Buffer::input, 1, Buffer::output, 1),
        copy(Buffer::output, 0, Buffer::output, 2), copy(Buffer::input, 2, Buffer::input, 0)}}};
    EXPECT_EQ(text_of(lowered(schedule, 192, 0)[0]),
        "0: 0 -> 10000 64 B\n"
        "1: 40 -> 10040 64 B\n"
        "2: barrier\n"
        "2: fence system\n"
        "2: barrier\n"
        "2: 10000 -> 10080 64 B\n"
        "3: 80 -> 0 64 B\n");
}

TEST(Lowering, ASignalsFenceCountsAtTheNextBarrier)
{
    Schedule schedule = custom(2);
    schedule.ranks[0].semaphores = 1;
    const Step first = move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}});
    const Step second = move_step({{0, Buffer::output, 0, 1}}, {{0, Buffer::output, 1, 1}});
    schedule.ranks[0].threads = {{{first, signal_step(0, 0), second}}};
    EXPECT_EQ(text_of(lowered(schedule, 128, 0)[0]),
        "0: 0 -> 10000 64 B\n"
        "1: barrier\n"
        "1: signal 30000\n"
        "2: fence system\n"
        "2: barrier\n"
        "2: 10000 -> 10040 64 B\n");
    schedule.ranks[0].threads = {{{first, signal_step(0, 0), wait_step(0, 0), second}}};
    EXPECT_EQ(text_of(lowered(schedule, 128, 0)[0]),
        "0: 0 -> 10000 64 B\n"
        "1: barrier\n"
        "1: signal 30000\n"
        "2: wait 30000 >= 1\n"
        "3: barrier\n"
        "3: 10000 -> 10040 64 B\n");
}

TEST(Lowering, InPlaceBuffersShareOneMemory)
{
    Schedule schedule;
    schedule.name = "plan";
    schedule.op = CollectiveOp::all_gather;
    schedule.chunks = 2;
    schedule.in_place = true;
    schedule.ranks.resize(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        schedule.ranks[rank].input_chunks = 1;
        schedule.ranks[rank].output_chunks = 2;
        schedule.ranks[rank].threads.push_back(
            {{move_step({{rank, Buffer::input, 0, 1}}, {{1 - rank, Buffer::output, rank, 1}})}});
    }
    // The input of rank 1 is chunk 1 of its output.
    EXPECT_EQ(text_of(lowered(schedule, 128, 0)[0]), "0: 10000 -> 110000 64 B\n");
    EXPECT_EQ(text_of(lowered(schedule, 128, 1)[0]), "0: 110040 -> 10040 64 B\n");
}

TEST(Lowering, StepsForASwitchAreRefusedWithTheirPlace)
{
    for (const StepKind kind :
        {StepKind::multicast, StepKind::load_reduce, StepKind::reduce_multicast, StepKind::push_reduce}) {
        Schedule schedule = custom(1);
        Step step = move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}});
        step.kind = kind;
        schedule.ranks[0].threads = {{{}}, {{wait_step(0, 0), step}}};
        try {
            lowered(schedule, 64, 0);
            ADD_FAILURE() << name_of(kind) << " was lowered";
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()),
                std::string("plan: rank 0 thread 1 step 1: ") + name_of(kind) +
                    " cannot run here; expected steps that need no multicast or reduction in a switch");
        }
    }
}

TEST(Lowering, StepsForASwitchBecomeMovesAtTheAddressOfTheirGroup)
{
    const auto of_both = [](Buffer buffer) { return std::vector<ChunkRef>{{1, buffer, 0, 1}, {0, buffer, 0, 1}}; };
    GroupNumbers groups{{{1, 0}, 0xfc05}, {{0, 1}, 0xfc07}};
    for (const Mover mover : {Mover::units, Mover::copy_engine, Mover::bulk}) {
        Schedule schedule = custom(2);
        Step reduce = move_step(of_both(Buffer::input), of_both(Buffer::output));
        reduce.kind = StepKind::reduce_multicast;
        Step push = move_step({{0, Buffer::input, 0, 1}}, of_both(Buffer::output));
        push.kind = StepKind::push_reduce;
        schedule.ranks[0].threads = {{{reduce, push}}};
        const Layout layout(schedule, 128, 4);
        std::vector<RankAddresses> addresses(2);
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            addresses[rank].memory[0] = global_address(rank, 0x1000);
            addresses[rank].memory[1] = global_address(rank, 0x2000);
            addresses[rank].flags = global_address(rank, 0x8000);
        }
        const Lowered out = lower(schedule, layout, ElementType::fp32, 0, addresses, mover, nullptr, nullptr, &groups);
        ASSERT_EQ(out.workgroups.size(), 1u);
        if (!out.lists.empty()) {
            EXPECT_TRUE(out.lists[0].operations.empty());
        }
        const Program& program = out.workgroups[0];
        // The push writes what the reduction wrote: it waits for that.
        std::vector<Operation> moves;
        bool fence_between = false;
        for (const Operation& operation : program.operations) {
            if (operation.kind == Operation::Kind::move) moves.push_back(operation);
            if (operation.kind == Operation::Kind::fence) fence_between = moves.size() == 1;
        }
        ASSERT_EQ(moves.size(), 2u) << static_cast<int>(mover);
        EXPECT_TRUE(fence_between);
        const auto operand = [&](const Operation& move, unsigned number) {
            return program.operands[move.first_operand + number];
        };
        EXPECT_EQ(moves[0].sources + moves[0].destinations, 2);
        EXPECT_EQ(operand(moves[0], 0), global_address(0xfc05, 0x1000));  // combined in the order listed
        EXPECT_EQ(operand(moves[0], 1), global_address(0xfc07, 0x2000));
        EXPECT_FALSE(moves[0].pushes);
        EXPECT_EQ(operand(moves[1], 0), global_address(0, 0x1000));
        EXPECT_EQ(operand(moves[1], 1), global_address(0xfc05, 0x2000));
        EXPECT_TRUE(moves[1].pushes);

        addresses[1].memory[0] = global_address(1, 0x1040);
        EXPECT_THROW(lower(schedule, layout, ElementType::fp32, 0, addresses, mover, nullptr, nullptr, &groups),
            InputError);
    }
}

TEST(Lowering, CopyEnginesTakeTheCopiesOfAThreadAndHandOver)
{
    const Schedule schedule = make_schedule("ring", CollectiveOp::all_reduce, 2, {});
    const Lowered both = lowered_for(Mover::copy_engine, schedule, 256, 0);
    ASSERT_EQ(both.workgroups.size(), 1u);
    ASSERT_EQ(both.lists.size(), 1u);
    // The copy comes first, the reduction behind it, with its wait.
    EXPECT_EQ(text_of(both.lists[0]),
        "0: 0 -> 120000 128 B\n"
        "1: signal 130000\n"
        "2: signal 30080\n");
    EXPECT_EQ(text_of(both.workgroups[0]),
        "2: wait 30080 >= 1\n"
        "2: wait 30000 >= 1\n"
        "3: barrier\n"
        "3: 20000+80 -> 10080+110080 128 B\n"
        "4: barrier\n"
        "4: signal 130000\n"
        "5: wait 30000 >= 2\n");
    const RankPlan& plan = schedule.ranks[0];
    EXPECT_EQ(flags_of(plan, Mover::copy_engine), flags_of(plan) + 2);
    EXPECT_EQ(flag_text(plan, flags_of(plan), Mover::copy_engine), "the workgroup of thread 0");
    EXPECT_EQ(flag_text(plan, flags_of(plan) + 1, Mover::copy_engine), "the copy engine of thread 0");
}

TEST(Lowering, BulkCopiesAreWaitedForBeforeASignal)
{
    const Schedule schedule = make_schedule("ring", CollectiveOp::all_reduce, 2, {});
    const Lowered out = lowered_for(Mover::bulk, schedule, 256, 0);
    EXPECT_TRUE(out.lists[0].operations.empty());
    EXPECT_EQ(text_of(out.workgroups[0]),
        "0: bulk 0 -> 120000 128 B\n"
        "1: bulk wait\n"
        "1: signal 130000\n"
        "2: wait 30000 >= 1\n"
        "3: barrier\n"
        "3: 20000+80 -> 10080+110080 128 B\n"
        "4: barrier\n"
        "4: signal 130000\n"
        "5: wait 30000 >= 2\n");
}

TEST(Lowering, BulkCopiesOfWhatBulkCopiesWriteWaitForThem)
{
    // Chunk 0 to 1, 1 to 2, and 3 to 4, which touches neither; then 2 to 3 writes what that read.
    Schedule schedule = custom(5);
    Thread thread;
    const auto move = [](std::uint32_t from, std::uint32_t to) {
        Step step;
        step.kind = StepKind::move;
        step.sources = {{0, Buffer::output, from}};
        step.destinations = {{0, Buffer::output, to}};
        return step;
    };
    thread.steps = {move(0, 1), move(1, 2), move(3, 4), move(2, 3)};
    schedule.ranks[0].threads = {thread};
    EXPECT_EQ(text_of(lowered_for(Mover::bulk, schedule, 320, 0).workgroups[0]),
        "0: bulk 10000 -> 10040 64 B\n"
        "1: bulk wait\n"
        "1: fence system\n"
        "1: bulk 10040 -> 10080 64 B\n"
        "2: bulk 100c0 -> 10100 64 B\n"
        "3: bulk wait\n"
        "3: fence system\n"
        "3: bulk 10080 -> 100c0 64 B\n");
    EXPECT_EQ(text_of(lowered_for(Mover::copy_engine, schedule, 320, 0).lists[0]),
        "0: 10000 -> 10040 64 B\n"
        "1: fence system\n"
        "1: 10040 -> 10080 64 B\n"
        "2: 100c0 -> 10100 64 B\n"
        "3: fence system\n"
        "3: 10080 -> 100c0 64 B\n");
}

TEST(Lowering, FlagsOfSignalsCanLieAtTheOneWhoSignals)
{
    const Schedule schedule = make_schedule("direct", CollectiveOp::barrier, 3);
    const SignalFlags flags(schedule, Mover::units);
    EXPECT_EQ(flags.count(0), 2u);
    const Layout layout(schedule, 0, 1);
    // Two semaphores each, and behind them the flags of the signals to the others.
    const auto text = [&](std::uint32_t rank, const SignalFlags* at) {
        return text_of(lower(schedule, layout, ElementType::u8, rank, addresses(3), Mover::units, at).workgroups[0]);
    };
    const auto flag = [](std::uint32_t rank, std::uint64_t number) {
        return fmt::format("{:x}", addresses(3)[rank].flags + number * flag_stride);
    };
    EXPECT_EQ(text(1, nullptr),
        "0: signal " + flag(2, 1) + "\n1: signal " + flag(0, 0) + "\n2: wait " + flag(1, 0) + " >= 1\n3: wait " +
            flag(1, 1) + " >= 1\n");
    EXPECT_EQ(text(1, &flags),
        "0: signal " + flag(1, 3) + "\n1: signal " + flag(1, 2) + "\n2: wait " + flag(0, 2) + " >= 1\n3: wait " +
            flag(2, 3) + " >= 1\n");
    EXPECT_THROW(flags.number(1, 1, 0), InputError);
}

}  // namespace lowering_test
