// engine.mover: the same schedules by wavefronts, copy engines and bulk copies.
#include <gtest/gtest.h>

#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace mover_choice_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Mover all_movers[] = {Mover::units, Mover::copy_engine, Mover::bulk};

BoxOptions box_with(unsigned gpus, Mover mover)
{
    BoxOptions options = box(gpus);
    options.engine.mover = mover;
    return options;
}

struct Counts {
    std::uint64_t end = 0;
    std::uint64_t unit_lines = 0;
    std::uint64_t mover_lines = 0;
};

Counts counts_of(const BoxOptions& options, CollectiveOp op, const std::string& algorithm, std::uint64_t bytes)
{
    const std::string text = in_child([&] {
        GpuBox box(options);
        const auto channels = static_cast<std::uint32_t>(options.engine.channels);
        const Executor::JobId job =
            box.open(schedule_of(op, algorithm, options.gpus, channels), bytes, ElementType::fp32);
        box.enter_all(job);
        box.run();
        EXPECT_TRUE(box.record(job).finished);
        EXPECT_EQ(box.record(job).mismatch, "");
        EXPECT_EQ(box.pool.live(), 0u);
        std::uint64_t units = 0;
        std::uint64_t by_engines = 0;
        for (const auto& gpu : box.gpus) {
            units += gpu->units().lines();
            by_engines += gpu->dma_engines().lines();
        }
        return std::to_string(box.record(job).end) + " " + std::to_string(units) + " " + std::to_string(by_engines);
    });
    Counts out;
    EXPECT_EQ(std::sscanf(text.c_str(), "%lu %lu %lu", &out.end, &out.unit_lines, &out.mover_lines), 3) << text;
    return out;
}

}  // namespace

TEST(MoverChoice, CollectivesThatOnlyCopyTakeNoUnit)
{
    for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::all_to_all, CollectiveOp::broadcast})
        for (const std::string& algorithm : algorithms_without_switch(op)) {
            const Counts counts = counts_of(box_with(4, Mover::copy_engine), op, algorithm, 40'000);
            EXPECT_EQ(counts.unit_lines, 0u) << name_of(op) << " " << algorithm;
            EXPECT_GT(counts.mover_lines, 0u);
        }
}

TEST(MoverChoice, ReductionsStayOnUnits)
{
    const Counts units = counts_of(box_with(4, Mover::units), CollectiveOp::all_reduce, "ring", 40'000);
    EXPECT_EQ(units.mover_lines, 0u);
    for (const Mover mover : {Mover::copy_engine, Mover::bulk}) {
        const Counts mixed = counts_of(box_with(4, mover), CollectiveOp::all_reduce, "ring", 40'000);
        EXPECT_GT(mixed.mover_lines, 0u);
        EXPECT_GT(mixed.unit_lines, 0u);
        EXPECT_LT(mixed.unit_lines, units.unit_lines);
    }
}

TEST(MoverChoice, EveryStepOfARingTakesTheStartOfACopy)
{
    // One channel; three steps, one after the other, of one copy each.
    const auto time_with = [](Mover mover, std::uint64_t start) {
        BoxOptions options = box_with(4, mover);
        options.engine.channels = 1;
        options.copy.start = options.bulk.start = start;
        // With a monitor the flags of wavefronts are noticed at once; lists look so often that it does not show.
        options.gpu.wait_policy = WaitPolicy::waiting_atomic;
        options.copy.poll_interval = 1;
        return time_of(options, CollectiveOp::all_gather, "ring", 4096);
    };
    EXPECT_EQ(time_with(Mover::bulk, 500'000) - time_with(Mover::bulk, 100'000), 3 * 400'000u);
    const std::uint64_t more = time_with(Mover::copy_engine, 1'000'000) - time_with(Mover::copy_engine, 500'000);
    const GpuSpec g;
    const std::uint64_t poll = g.unit_to_l2 + L2Spec().latency + g.l2_to_unit;
    EXPECT_NEAR(static_cast<double>(more), 3 * 500'000.0, 3.0 * static_cast<double>(poll));
}

TEST(MoverChoice, ALargeAllGatherIsBoundByTheFabricWhoeverMovesIt)
{
    std::uint64_t times[3];
    for (const Mover mover : all_movers)
        times[static_cast<unsigned>(mover)] = time_of(box_with(2, mover), CollectiveOp::all_gather, "direct", 1 << 20);
    // 512 KiB each way in packets of 80 B, and acknowledges of 16 B for what comes.
    const double wire = 8192.0 * 96 / 25e9 * 1e12;
    for (const std::uint64_t time : times) {
        EXPECT_GT(static_cast<double>(time), wire);
        EXPECT_LT(static_cast<double>(time), 1.25 * wire);
    }
}

TEST(MoverChoice, FewLinesInFlightSlowACopyEngineDown)
{
    BoxOptions options = box_with(2, Mover::copy_engine);
    options.engine.channels = 1;
    options.copy.in_flight = 16;
    const std::uint64_t narrow = time_of(options, CollectiveOp::all_gather, "direct", 1 << 18);
    options.copy.in_flight = 64;
    EXPECT_LT(time_of(options, CollectiveOp::all_gather, "direct", 1 << 18), narrow / 2);
}

TEST(MoverChoice, AListThatWaitsForNobodyIsNamed)
{
    BoxOptions options = box_with(2, Mover::copy_engine);
    options.engine.channels = 1;
    GpuBox box(options);
    const Executor::JobId job = box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
    box.executor->enter(job, 0, nullptr);
    box.run();
    EXPECT_FALSE(box.record(job).finished);
    const std::vector<std::string> blocked = box.executor->blocked();
    ASSERT_EQ(blocked.size(), 1u);
    EXPECT_NE(blocked[0].find("gpu0 (rank 0 of all_gather ring): step "), std::string::npos) << blocked[0];
    EXPECT_NE(blocked[0].find("waits for signal 1 of semaphore 0 from rank 1, and has 0"), std::string::npos)
        << blocked[0];
}

}  // namespace mover_choice_test
