// Compute kernels: alone against what their operations and bytes take, and beside a collective.
#include <functional>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/engine/lines/kernel_programs.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace kernel_test {

using namespace weft;
using namespace weft::testing;

namespace {

KernelWork work_of(std::uint64_t operations, std::uint64_t bytes, std::uint64_t workgroups = 0)
{
    KernelWork work;
    work.operations = operations;
    work.bytes = bytes;
    work.workgroups = workgroups;
    return work;
}

// Sixteen units that do 16 TFLOP/s, memory of 512 GB/s without refreshes: a small GPU of the usual balance.
BoxOptions small_gpu()
{
    BoxOptions options = box(2);
    options.gpu.compute_units = 16;
    options.gpu.peak_flops = 16'000'000'000'000;
    options.hbm.bandwidth = 512'000'000'000;
    options.hbm.refresh = RefreshMode::none;
    return options;
}

// The kernel alone on GPU 0, ps.
double time_alone(const BoxOptions& options, const KernelWork& work)
{
    return std::stod("0" + in_child([&] {
        GpuBox box(options);
        Time end = 0;
        box.executor->run_kernel(0, work, [&] { end = box.executor->now(); });
        box.run();
        EXPECT_GT(end, 0u);
        EXPECT_EQ(box.pool.live(), 0u);
        return std::to_string(end);
    }));
}

struct Pair {
    double kernel = 0;  // ps; of GPU 0
    double collective = 0;
};

// A kernel on each of two GPUs beside an all-reduce of theirs; either can be left out.
Pair beside(const BoxOptions& options, bool kernel, const KernelWork& work, bool collective)
{
    const std::string text = in_child([&] {
        GpuBox box(options);
        Time kernel_end = 0;
        Time collective_end = 0;
        for (std::uint32_t gpu = 0; kernel && gpu < 2; ++gpu)
            box.executor->run_kernel(gpu, work, [&] { kernel_end = box.executor->now(); });
        if (collective) {
            const auto channels = static_cast<std::uint32_t>(options.engine.channels);
            const Executor::JobId job =
                box.open(schedule_of(CollectiveOp::all_reduce, "ring", 2, channels), 1 << 20, ElementType::fp32);
            box.enter_all(job);
            box.run();
            EXPECT_TRUE(box.record(job).finished);
            EXPECT_EQ(box.record(job).mismatch, "");
            collective_end = box.record(job).end;
        } else {
            box.run();
        }
        return std::to_string(kernel_end) + " " + std::to_string(collective_end);
    });
    Pair out;
    const std::size_t space = text.find(' ');
    if (space == std::string::npos) return out;
    out.kernel = std::stod(text.substr(0, space));
    out.collective = std::stod(text.substr(space + 1));
    return out;
}

}  // namespace

TEST(Kernel, ItsWorkgroupsShareOperationsAndBytesOut)
{
    for (const std::uint64_t workgroups : {1u, 3u, 7u, 100u}) {
        const std::vector<Program> programs = kernel_programs(work_of(1'000'003, 5'000'001, workgroups), 4096);
        ASSERT_EQ(programs.size(), workgroups);
        std::uint64_t operations = 0;
        std::uint64_t next = 4096;
        for (const Program& program : programs) {
            for (const Operation& operation : program.operations) {
                if (operation.kind == Operation::Kind::flops) {
                    operations += operation.value;
                    continue;
                }
                if (operation.kind == Operation::Kind::barrier) continue;
                ASSERT_EQ(operation.kind, Operation::Kind::move);
                EXPECT_EQ(program.operands[operation.first_operand], next);
                next += operation.bytes;
            }
        }
        EXPECT_EQ(operations, 1'000'003u);
        EXPECT_EQ(next, 4096u + 5'000'001u);
    }
    // Of a large tensor the programs stay small.
    std::size_t length = 0;
    for (const Program& program : kernel_programs(work_of(1, std::uint64_t{1} << 40, 4), 0))
        length += program.operations.size();
    EXPECT_LE(length, 4u * 128u);
}

// A part of a little more than a block is two halves, not one that registers of a block's size do not hold.
TEST(Kernel, BlocksHaveNoMoreThanSixteenKibibytes)
{
    const auto blocks = [](std::uint64_t bytes) {
        const std::vector<Program> programs = kernel_programs(work_of(0, bytes, 1), 0);
        std::vector<std::uint64_t> out;
        for (const Operation& operation : programs.front().operations) out.push_back(operation.bytes);
        return out;
    };
    using Sizes = std::vector<std::uint64_t>;
    EXPECT_EQ(blocks(16 << 10), Sizes({16 << 10}));
    EXPECT_EQ(blocks((16 << 10) + 64), Sizes({129 * 64, 128 * 64}));
    EXPECT_EQ(blocks((64 * 16) << 10), Sizes(64, 16 << 10));
    EXPECT_EQ(blocks((64 * 32) << 10), Sizes(64, 32 << 10));
}

// Operations begin when all wavefronts have loaded what theirs is of the block.
TEST(Kernel, OperationsComeBehindTheirBlock)
{
    BoxOptions options = small_gpu();
    for (const std::uint64_t wavefronts : {1u, 8u, 16u}) {
        options.engine.wavefronts = wavefronts;
        const double loads = time_alone(options, work_of(0, 16 * (16 << 10), 16));
        EXPECT_EQ(time_alone(options, work_of(16 * 300'000, 16 * (16 << 10), 16)), loads + 300'000) << wavefronts;
        EXPECT_EQ(time_alone(options, work_of(16 * 5'000'000, 16 * (16 << 10), 16)), loads + 5'000'000) << wavefronts;
    }
}

TEST(Kernel, WithManyOperationsItTakesWhatTheyTake)
{
    const BoxOptions options = small_gpu();
    for (const std::uint64_t scale : {1u, 2u}) {
        const KernelWork work = work_of(scale * 640'000'000, 1 << 20);  // 40 us; the bytes 2 us
        EXPECT_NEAR(time_alone(options, work) / (static_cast<double>(work.operations) / 16.0), 1, 0.04);
    }
}

TEST(Kernel, WithManyBytesItTakesWhatTheMemorySustains)
{
    BoxOptions options = small_gpu();
    for (const std::uint64_t bandwidth : {256'000'000'000ULL, 512'000'000'000ULL}) {
        options.hbm.bandwidth = bandwidth;
        const KernelWork work = work_of(1'000'000, 8 << 20);
        const double bytes_time = static_cast<double>(work.bytes) * 1e12 / static_cast<double>(bandwidth);
        EXPECT_NEAR(time_alone(options, work) / bytes_time, 1.03, 0.03) << bandwidth;
    }
}

TEST(Kernel, TheLongerOfBothCounts)
{
    // 16.4 us of bytes; operations from none to twice as long.
    const BoxOptions options = small_gpu();
    const double bytes_time = time_alone(options, work_of(1, 8 << 20));
    for (const double share : {0.25, 0.5, 1.0, 2.0}) {
        const auto operations = static_cast<std::uint64_t>(share * 16.4 * 16e6);
        const double time = time_alone(options, work_of(operations, 8 << 20));
        const double longer = std::max(bytes_time, share * 16.4e6);
        // The pins' time is the bound: with few operations workgroups drift apart less, and the DRAM has fewer conflicts of rows than
        // with loads alone.
        EXPECT_GE(time, std::max((8 << 20) / 512e9 * 1e12, share * 16.4e6)) << share;
        EXPECT_LT(time, (share == 1 ? 1.4 : share == 0.5 ? 1.15 : 1.07) * longer) << share;
    }
}

TEST(Kernel, FewerWorkgroupsThanUnitsAreSlower)
{
    const BoxOptions options = small_gpu();
    const double all = time_alone(options, work_of(640'000'000, 1 << 20, 16));
    const double half = time_alone(options, work_of(640'000'000, 1 << 20, 8));
    EXPECT_NEAR(half / all, 2, 0.06);
}

TEST(Kernel, OfADurationKeepsItAndHoldsItsPlaces)
{
    BoxOptions options = small_gpu();
    KernelWork work;
    work.duration = 7'000'000;
    EXPECT_EQ(time_alone(options, work), 7e6);
    // Twice as many workgroups as places: two rounds.
    work.workgroups = 2 * options.gpu.compute_units * options.gpu.workgroups_per_unit;
    options.engine.wavefronts = 1;
    EXPECT_EQ(time_alone(options, work), 14e6);
}

TEST(Kernel, AndACollectiveSlowEachOtherDown)
{
    BoxOptions options = small_gpu();
    options.link.bandwidth = 400'000'000'000;
    options.link.request_credits = options.link.response_credits = 1024;
    options.hbm.bandwidth = 256'000'000'000;
    const KernelWork work = work_of(1'000'000, 4 << 20);
    const Pair both = beside(options, true, work, true);
    EXPECT_GT(both.kernel, 1.03 * beside(options, true, work, false).kernel);
    EXPECT_GT(both.collective, 1.1 * beside(options, false, work, true).collective);
}

TEST(Kernel, ThatFillsAllPlacesHoldsACollectiveUpAndASmallOneDoesNot)
{
    BoxOptions options = small_gpu();
    KernelWork work;
    work.duration = 50'000'000;
    const double alone = beside(options, false, work, true).collective;
    work.workgroups = options.gpu.compute_units;
    EXPECT_EQ(beside(options, true, work, true).collective, alone);
    work.workgroups = 4 * options.gpu.compute_units;
    EXPECT_GT(beside(options, true, work, true).collective, 50e6);
}

TEST(Kernel, LargerThanTheMemoryIsRefused)
{
    BoxOptions options = box(2);
    options.hbm.capacity = 1 << 20;
    GpuBox box(options);
    EXPECT_THROW(box.executor->run_kernel(0, work_of(1, 2 << 20), nullptr), InputError);
    box.executor->run_kernel(0, work_of(1, 600 << 10), [] {});
    try {
        box.executor->run_kernel(0, work_of(1, 500 << 10), nullptr);
        FAIL() << "it fits";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "compute node: its 500 KiB do not fit into gpu0 (1 MiB, of which 600 KiB are taken by buffers in use and "
            "by "
            "freed ones, which only requests of their size reuse); expected smaller tensors and messages, or a larger "
            "hbm.capacity");
    }
}

}  // namespace kernel_test
