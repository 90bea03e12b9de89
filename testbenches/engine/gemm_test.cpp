// Matrix products as kernels: alone against what their operations and lines take, and beside collectives.
#include <functional>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace gemm_test {

using namespace weft;
using namespace weft::testing;

namespace {

Gemm gemm_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t tile)
{
    Gemm gemm;
    gemm.m = m;
    gemm.n = n;
    gemm.k = k;
    gemm.tile = tile;
    return gemm;
}

// One product alone on GPU 0, ps; the `times`-th of the same buffers, one after another.
std::uint64_t time_alone(const BoxOptions& options, const Gemm& gemm, int times = 1)
{
    return std::stoull("0" + in_child([&] {
        GpuBox box(options);
        Time end = 0;
        Time before = 0;
        int left = times;
        const std::function<void()> next = [&] {
            before = end;
            end = box.executor->now();
            if (left-- > 0) box.executor->run_gemm(0, gemm, next);
        };
        next();
        box.run();
        EXPECT_EQ(box.pool.live(), 0u);
        return std::to_string(end - before);
    }));
}

// A GPU of four units that can do `flops` in all.
BoxOptions small_gpu(std::uint64_t flops)
{
    BoxOptions options = box(2);
    options.gpu.compute_units = 4;
    options.gpu.peak_flops = flops;
    return options;
}

// All-gather over two GPUs whose link is faster than one unit issues; with a product on each, again and again.
std::uint64_t gather_time(Mover mover, bool beside)
{
    BoxOptions options = small_gpu(1'000'000'000'000'000);
    options.engine.mover = mover;
    options.engine.wavefronts = 4;
    options.link.bandwidth = 400'000'000'000;
    options.link.request_credits = options.link.response_credits = 1024;
    return std::stoull("0" + in_child([&] {
        GpuBox box(options);
        const Executor::JobId job =
            box.open(schedule_of(CollectiveOp::all_gather, "direct", 2, 4), 1 << 20, ElementType::u8);
        box.enter_all(job);
        const Gemm gemm = gemm_of(512, 512, 64, 64);
        const std::function<void(std::uint32_t)> compute = [&](std::uint32_t gpu) {
            if (!box.record(job).finished) box.executor->run_gemm(gpu, gemm, [&, gpu] { compute(gpu); });
        };
        for (std::uint32_t gpu = 0; beside && gpu < 2; ++gpu) compute(gpu);
        box.run();
        EXPECT_TRUE(box.record(job).finished);
        EXPECT_EQ(box.record(job).mismatch, "");
        return std::to_string(box.record(job).end);
    }));
}

}  // namespace

TEST(Gemm, IsWrittenAsThreeOrFourNumbers)
{
    const auto gemm = Gemm::parse("gemm:64,32,128,16");
    ASSERT_TRUE(gemm);
    EXPECT_EQ(gemm->m, 64u);
    EXPECT_EQ(gemm->n, 32u);
    EXPECT_EQ(gemm->k, 128u);
    EXPECT_EQ(gemm->tile, 16u);
    EXPECT_EQ(Gemm::parse("gemm:64,32,128")->tile, 128u);
    for (const char* text : {"", "gemm", "gemm:", "gemm:1,2", "gemm:1,2,3,4,5", "gemm:0,1,1", "gemm:1,2,3,",
             "gemm:1,2,x", "gemm:1,2,65537", "gemm: 1,2,3", "gemm:-1,2,3", "conv:1,2,3"})
        EXPECT_FALSE(Gemm::parse(text)) << text;
}

TEST(Gemm, ItsWorkgroupsLoadComputeAndStoreWhatTheProductTakes)
{
    // Sides that the tile does not divide.
    const Gemm gemm = gemm_of(100, 70, 130, 32);
    const std::vector<Program> programs = gemm_programs(gemm, 4096);
    EXPECT_EQ(programs.size(), 4u * 3u);
    std::uint64_t loaded = 0;
    std::uint64_t stored = 0;
    std::uint64_t operations = 0;
    for (const Program& program : programs)
        for (const Operation& operation : program.operations) {
            if (operation.kind == Operation::Kind::flops) operations += operation.value;
            if (operation.kind != Operation::Kind::move) continue;
            (operation.sources > 0 ? loaded : stored) += operation.bytes;
            const std::uint64_t address = program.operands[operation.first_operand];
            EXPECT_GE(address, 4096u);
            EXPECT_LE(address + operation.bytes, 4096 + gemm.memory_bytes());
        }
    EXPECT_EQ(operations, 2u * 100 * 70 * 130);
    EXPECT_EQ(operations, gemm.operations());
    EXPECT_EQ(loaded, gemm.loaded_bytes());
    EXPECT_EQ(loaded, (3u * 100 * 130 + 4u * 130 * 70) * 2);
    EXPECT_EQ(stored, 100u * 70 * 2);
    double bytes = 0;
    for (const Program& program : programs)
        bytes += static_cast<double>(sizeof(Program) + program.operations.capacity() * sizeof(Operation) +
            program.operands.capacity() * sizeof(std::uint64_t));
    EXPECT_EQ(gemm_program_bytes(gemm), bytes);
}

TEST(Gemm, OneTileTakesItsLoadsItsOperationsAndItsStores)
{
    // One line of A, one of B a cycle later, 512 operations, two lines of C.
    const BoxOptions options = small_gpu(4'000'000'000'000);
    const GpuSpec& g = options.gpu;
    const Time cycle = 505;  // of 1980 MHz
    const Time hit = g.unit_to_l2 + options.l2.latency + g.l2_to_unit;
    EXPECT_EQ(time_alone(options, gemm_of(8, 8, 4, 8)), cycle + hit + idle_read(options.hbm) + 512 + cycle + hit);
}

TEST(Gemm, WithEnoughOperationsTheUnitsAreBusyAllTheTime)
{
    // Four workgroups on each unit. Before the first operation they all load 256 lines, behind the last 128 are stored.
    const Gemm gemm = gemm_of(256, 256, 1024, 64);
    for (const std::uint64_t flops : {2'000'000'000'000ULL, 4'000'000'000'000ULL}) {
        const BoxOptions options = small_gpu(flops);
        const GpuSpec& g = options.gpu;
        const double busy = static_cast<double>(gemm.operations()) / static_cast<double>(flops) * 1e12;
        const double around = (4 * 256 + 128) * 506.0 +
            static_cast<double>(idle_read(options.hbm) + options.hbm.t_rfc) +
            2.0 * static_cast<double>(g.unit_to_l2 + options.l2.latency + g.l2_to_unit);
        const double time = static_cast<double>(time_alone(options, gemm));
        EXPECT_GE(time, busy);
        EXPECT_LT(time, busy + around);
    }
}

TEST(Gemm, WithoutOperationsToSpeakOfItsLinesTakeTheTime)
{
    // From a warm L2, each unit issues a line a cycle, and at each of 16 steps the four workgroups of a unit, which go
    // in step, wait for the last of them.
    const Gemm gemm = gemm_of(256, 256, 1024, 64);
    for (const std::uint64_t clock : {1'000'000'000ULL, 2'000'000'000ULL}) {
        BoxOptions options = small_gpu(1'000'000'000'000'000);
        options.gpu.clock = clock;
        const GpuSpec& g = options.gpu;
        const double stored = 256 * 256 * 2;
        const double issue =
            (static_cast<double>(gemm.loaded_bytes()) + stored) / 64 / 4 * 1e12 / static_cast<double>(clock);
        const double trips = 17.0 * static_cast<double>(g.unit_to_l2 + options.l2.latency + g.l2_to_unit);
        const double time = static_cast<double>(time_alone(options, gemm, 2));
        EXPECT_GE(time, issue);
        EXPECT_LT(time, issue + 1.05 * trips) << clock;
        options.gpu.peak_flops *= 2;
        EXPECT_NEAR(static_cast<double>(time_alone(options, gemm, 2)), time, 0.01 * time);
    }
}

// A block of k: seven wavefronts load the next one while the first waits for the operations (docs/engine.md).
TEST(Gemm, OneTileAUnitWaitsForTheLoadsOfEachBlock)
{
    const Gemm gemm = gemm_of(256, 256, 1024, 128);
    for (const std::uint64_t flops : {4'000'000'000'000ULL, 32'000'000'000'000ULL, 1'000'000'000'000'000ULL}) {
        const BoxOptions options = small_gpu(flops);
        const GpuSpec& g = options.gpu;
        const auto load = static_cast<double>(g.unit_to_l2 + options.l2.latency + g.l2_to_unit);
        const double operations = 2.0 * 128 * 128 * 64 * 4e12 / static_cast<double>(flops);
        const double lines = 512 * 1e12 / static_cast<double>(g.clock);
        const double blocks = 16 * std::max(operations + lines / 8 + 2 * load, lines + load);
        EXPECT_NEAR(static_cast<double>(time_alone(options, gemm, 2)) / (blocks + lines + load), 1, 0.04) << flops;
    }
}

TEST(Gemm, SlowsACollectiveThatUnitsMoveAndLessOneOfCopyEngines)
{
    const auto slower = [](Mover mover) {
        return static_cast<double>(gather_time(mover, true)) / static_cast<double>(gather_time(mover, false));
    };
    const double units = slower(Mover::units);
    const double engines = slower(Mover::copy_engine);
    EXPECT_GT(units, 1.15);
    EXPECT_LT(engines - 1, (units - 1) / 2);
    RecordProperty("units", std::to_string(units));
    RecordProperty("engines", std::to_string(engines));
}

TEST(Gemm, LargerThanTheMemoryIsRefused)
{
    BoxOptions options = box(2);
    options.hbm.capacity = 1 << 20;
    GpuBox box(options);
    EXPECT_THROW(box.executor->run_gemm(0, gemm_of(1024, 1024, 1024, 128), nullptr), InputError);
}

TEST(Gemm, ACollectiveThatIsStuckIsSeenBesideIt)
{
    GpuBox box(small_gpu(1'000'000'000'000));
    const Executor::JobId job = box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
    box.executor->enter(job, 0, nullptr);  // rank 1 never does
    int kernels = 0;
    const std::function<void()> compute = [&] {
        if (++kernels < 50 && !(kernels > 1 && box.executor->only_waits()))
            box.executor->run_gemm(0, gemm_of(64, 64, 64, 64), compute);
    };
    compute();
    box.run();
    EXPECT_LT(kernels, 10);
    EXPECT_TRUE(box.cannot_progress());
    EXPECT_FALSE(box.record(job).finished);
}

}  // namespace gemm_test
