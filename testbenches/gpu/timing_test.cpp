#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/gpu/two_gpus.h"

namespace timing_test {

using namespace weft;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_line = std::uint64_t{1} << endpoint_shift;

Program load(std::uint64_t address, std::uint64_t bytes = 64)
{
    Program program;
    program.add_move({address}, {}, bytes, ElementType::u8, ReduceOp::sum);
    return program;
}

Program store(std::uint64_t address, std::uint64_t bytes = 64)
{
    Program program;
    program.add_move({}, {address}, bytes, ElementType::u8, ReduceOp::sum);
    return program;
}

const GpuSpec g;
const L2Spec l2;
const HbmSpec hbm;
const LinkSpec link_spec;

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}

}  // namespace

TEST(GpuTiming, LocalLoadOfAColdLineIsTheSumOfItsParts)
{
    TwoGpus system;
    const Program program = load(0);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], g.unit_to_l2 + l2.latency + idle_read(hbm) + g.l2_to_unit);
}

TEST(GpuTiming, LocalLoadAfterAStoreHitsTheCache)
{
    TwoGpus system;
    Program program = store(0);
    program.add_fence(Scope::device);
    program.add_move({0}, {}, 64, ElementType::u8, ReduceOp::sum);
    system.launch(0, program);
    sc_core::sc_start();
    // Two dependent round trips without memory in them; the second issues at the next cycle at the latest.
    EXPECT_EQ(system.done[0], 2 * (g.unit_to_l2 + l2.latency + g.l2_to_unit));
    EXPECT_EQ(system.gpus[0]->l2_statistics()[1].value, 0);  // no miss
}

TEST(GpuTiming, PeerLoadIsTheSumOfItsParts)
{
    TwoGpus system;
    const Program program = load(far_line);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0],
        g.unit_to_port + wire(LineOp::read, 64, LineClass::request) + link_spec.latency + g.port_to_l2 + l2.latency +
            idle_read(hbm) + g.l2_to_port + wire(LineOp::read, 64, LineClass::response) + link_spec.latency +
            g.port_to_unit);
}

TEST(GpuTiming, PeerStoreIsTheSumOfItsParts)
{
    TwoGpus system;
    const Program program = store(far_line);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0],
        g.unit_to_port + wire(LineOp::write, 64, LineClass::request) + link_spec.latency + g.port_to_l2 + l2.latency +
            g.l2_to_port + wire(LineOp::write, 64, LineClass::response) + link_spec.latency + g.port_to_unit);
    EXPECT_EQ(system.pool.live(), 0u);
}

TEST(GpuTiming, LargePutRunsAtTheRateOfTheLink)
{
    TwoGpus system;
    Program program;
    constexpr std::uint64_t bytes = 1 << 20;
    program.add_move({0}, {far_line}, bytes, ElementType::u8, ReduceOp::sum);
    system.launch(0, program, 16, 4);
    sc_core::sc_start();
    const Link::Direction out = system.link.direction(0);
    EXPECT_EQ(out.payload_bytes, bytes);
    EXPECT_EQ(out.wire_bytes, bytes / 64 * 80);
    EXPECT_EQ(out.busy, bytes / 64 * 3200);  // 80 B at 25 GB/s, exactly
    EXPECT_LT(system.done[0], out.busy + 2'000'000);
    EXPECT_EQ(system.link.direction(1).wire_bytes, bytes / 64 * 16);
    EXPECT_EQ(system.pool.live(), 0u);
}

TEST(GpuTiming, DataArriveAtAnyAlignment)
{
    TwoGpus system(true);
    std::vector<std::uint8_t> sent(1000);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7 + 3);
    system.gpus[0]->image().write(13, sent.data(), sent.size());
    Program program;
    program.add_move({13}, {far_line + 4096 + 40}, sent.size(), ElementType::u8, ReduceOp::sum);
    system.launch(0, program, 2, 2);
    sc_core::sc_start();
    std::vector<std::uint8_t> got(sent.size());
    system.gpus[1]->image().read(4096 + 40, got.data(), got.size());
    EXPECT_EQ(got, sent);
}

TEST(GpuTiming, SignalReleasesASpinningWait)
{
    GpuSpec spec;
    spec.wait_policy = WaitPolicy::spin;
    TwoGpus system(true, spec);
    const std::uint64_t flag = global_address(1, MemoryImage::flag_base);
    Program sender = store(far_line, 4096);
    sender.add_signal(flag);
    Program waiter;
    waiter.add_wait(flag, 1);
    system.launch(0, sender);
    system.launch(1, waiter);
    sc_core::sc_start();
    ASSERT_EQ(system.done.size(), 2u);
    EXPECT_GT(system.done[1], 0u);
    EXPECT_GT(system.gpus[1]->units().statistics()[1].value, 1);  // flag reads: it had to look again
    EXPECT_EQ(system.pool.live(), 0u);
}

TEST(GpuTiming, MonitorAnswersOneReadOfTheFlag)
{
    GpuSpec spec;
    spec.wait_policy = WaitPolicy::waiting_atomic;
    TwoGpus system(true, spec);
    const std::uint64_t flag = global_address(1, MemoryImage::flag_base);
    Program sender = store(far_line, 4096);
    sender.add_signal(flag);
    Program waiter;
    waiter.add_wait(flag, 1);
    system.launch(0, sender);
    system.launch(1, waiter);
    sc_core::sc_start();
    ASSERT_EQ(system.done.size(), 2u);
    EXPECT_EQ(system.gpus[1]->units().statistics()[1].value, 1);  // flag reads
    EXPECT_EQ(system.pool.live(), 0u);
}

TEST(GpuTiming, SpinningOnAFlagThatNobodySetsIsFoundOut)
{
    TwoGpus system;
    Program waiter;
    waiter.add_wait(global_address(1, MemoryImage::flag_base), 1, 42);
    system.launch(1, waiter);
    sc_core::sc_start();
    EXPECT_TRUE(system.gpus[1]->units().cannot_progress());
    ASSERT_EQ(system.gpus[1]->units().blocked().size(), 1u);
    EXPECT_EQ(system.gpus[1]->units().blocked()[0].label, 42u);
}

// One shot among 1,024 ranks combines as many.
TEST(Program, AMoveCombinesWhatAThousandRanksHave)
{
    Program program;
    program.add_move(std::vector<std::uint64_t>(Program::max_sources, 0), {64}, 64, ElementType::u8, ReduceOp::sum);
    EXPECT_EQ(program.most_sources, 1024u);
    EXPECT_EQ(program.operations.front().sources, 1024u);
    EXPECT_THROW(program.add_move(std::vector<std::uint64_t>(1025, 0), {64}, 64, ElementType::u8, ReduceOp::sum),
        InputError);
    EXPECT_THROW(program.add_bulk(0, std::vector<std::uint64_t>(1025, 0), 64), InputError);
}

}  // namespace timing_test
