// The ends of the on-die network: nothing without load, exactly their rate under load, and nobody passed over.
#include "sc_models/memory/hbm_timing.h"
#include "testbenches/gpu/network_bench.h"

namespace network_test {

using namespace weft;
using weft::testing::add_each;
using weft::testing::far_gpu;
using weft::testing::gpu_of;
using weft::testing::lines_of;
using weft::testing::NetworkBench;
using weft::testing::one_slice_only;
using weft::testing::TwoGpus;
using weft::testing::value_of;

namespace {

constexpr std::uint64_t line_in_2_ns = 32'000'000'000;
const GpuSpec g;
const L2Spec l2;
const HbmSpec hbm;
const LinkSpec link_spec;
const Time hit = g.unit_to_l2 + l2.latency + g.l2_to_unit;

Time wire(LineOp op, LineClass cls)
{
    return wire_bytes(link_spec, op, 64, cls) * 1'000'000'000'000 / link_spec.bandwidth + link_spec.latency;
}
Time peer_hit(LineOp op)
{
    return g.unit_to_port + wire(op, LineClass::request) + g.port_to_l2 + l2.latency + g.l2_to_port +
        wire(op, LineClass::response) + g.port_to_unit;
}
// When the unit issues its request number `i`.
Time issue(std::uint64_t i) { return i * 1'000'000'000'000 / g.clock; }

NetworkSpec limited(std::uint64_t NetworkSpec::*rate, std::uint64_t value)
{
    NetworkSpec spec;
    spec.*rate = value;
    return spec;
}

Program access(std::uint64_t address, std::uint64_t bytes, bool write)
{
    Program program;
    add_each(program, {address}, write, bytes);
    return program;
}

// 128 lines over all slices, by one unit.
Time one_unit(const NetworkSpec& network, bool write)
{
    NetworkBench bench{g, network, l2, {}};
    return bench.time({access(0, 128 * 64, write)});
}
// 32 lines of the one slice by each of four units.
Time one_slice(const NetworkSpec& network, bool write)
{
    NetworkBench bench{gpu_of(4), network, one_slice_only(), {}};
    std::vector<Program> programs;
    for (std::uint64_t unit = 0; unit < 4; ++unit) programs.push_back(access(32 * 64 * unit, 32 * 64, write));
    return bench.time(programs);
}
// 64 lines of the other GPU.
Time peer(const NetworkSpec& network, bool write)
{
    NetworkBench bench{g, network, l2, {}};
    return bench.time({access(far_gpu, 64 * 64, write)});
}

}  // namespace

TEST(Network, LinesAloneTakeNoTimeAtIts)
{
    NetworkSpec slow;
    slow.unit_rate = slow.slice_rate = slow.port_rate = line_in_2_ns;
    slow.header = 16;
    const NetworkBench bench{g, slow, l2, {}};
    EXPECT_EQ(bench.time({access(0, 64, false)}), hit);
    EXPECT_EQ(bench.time({access(0, 64, true)}), hit);
    EXPECT_EQ(bench.time({access(far_gpu, 64, false)}), peer_hit(LineOp::read));
    EXPECT_EQ(bench.time({access(far_gpu, 64, true)}), peer_hit(LineOp::write));
}

TEST(Network, AUnitTakesDataAtItsRate)
{
    EXPECT_EQ(one_unit({}, false), hit + issue(127));
    EXPECT_EQ(one_unit(limited(&NetworkSpec::unit_rate, 64 * g.clock), false), hit + issue(127));
    EXPECT_EQ(one_unit(limited(&NetworkSpec::unit_rate, line_in_2_ns), false), hit + 127 * 2000);
}
TEST(Network, AUnitGivesDataAtItsRate)
{
    EXPECT_EQ(one_unit({}, true), hit + issue(127));
    EXPECT_EQ(one_unit(limited(&NetworkSpec::unit_rate, 64 * g.clock), true), hit + issue(127));
    EXPECT_EQ(one_unit(limited(&NetworkSpec::unit_rate, line_in_2_ns), true), hit + 127 * 2000);
}
// Loads keep to the rate in, stores to the one out, whichever is smaller; an atomic carries data out.
TEST(Network, StoresHaveARateOfTheirOwn)
{
    NetworkSpec spec = limited(&NetworkSpec::unit_store_rate, line_in_2_ns);
    EXPECT_EQ(one_unit(spec, true), hit + 127 * 2000);
    EXPECT_EQ(one_unit(spec, false), hit + issue(127));
    spec.unit_rate = 2 * line_in_2_ns;
    EXPECT_EQ(one_unit(spec, true), hit + 127 * 2000);
    EXPECT_EQ(one_unit(spec, false), hit + 127 * 1000);
    spec.unit_store_rate = 4 * line_in_2_ns;
    EXPECT_EQ(one_unit(spec, true), one_unit(limited(&NetworkSpec::unit_rate, 4 * line_in_2_ns), true));
    EXPECT_EQ(one_unit(spec, false), hit + 127 * 1000);
}
TEST(Network, UnitsHaveWaysOfTheirOwn)
{
    NetworkBench bench{gpu_of(2), limited(&NetworkSpec::unit_rate, line_in_2_ns), l2, {}};
    EXPECT_EQ(bench.time({access(0, 128 * 64, false), access(128 * 64, 128 * 64, false)}), hit + 127 * 2000);
}

TEST(Network, ASliceGivesDataAtItsRate)
{
    const Time slice = 127 * 64 * 1'000'000'000'000 / (l2.bandwidth / l2.slices);
    EXPECT_EQ(one_slice({}, false), hit + slice);
    EXPECT_EQ(one_slice(limited(&NetworkSpec::slice_rate, line_in_2_ns), false), hit + 127 * 2000);
}
TEST(Network, ASliceTakesDataAtItsRate)
{
    const Time slice = 127 * 64 * 1'000'000'000'000 / (l2.bandwidth / l2.slices);
    EXPECT_EQ(one_slice({}, true), hit + slice);
    EXPECT_EQ(one_slice(limited(&NetworkSpec::slice_rate, line_in_2_ns), true), hit + 127 * 2000);
}

TEST(Network, APortPassesDataAtItsRate)
{
    const NetworkSpec slow = limited(&NetworkSpec::port_rate, line_in_2_ns / 2);
    const Time on_the_link = 80 * 1'000'000'000'000 / link_spec.bandwidth;
    ASSERT_LT(on_the_link, 4000u);
    EXPECT_EQ(peer({}, false), peer_hit(LineOp::read) + 63 * on_the_link);
    EXPECT_EQ(peer(slow, false), peer_hit(LineOp::read) + 63 * 4000);
    EXPECT_EQ(peer({}, true), peer_hit(LineOp::write) + 63 * on_the_link);
    EXPECT_EQ(peer(slow, true), peer_hit(LineOp::write) + 63 * 4000);
}
TEST(Network, AnswersToPeersLeaveTheirSliceAtItsRate)
{
    NetworkBench bench{g, limited(&NetworkSpec::slice_rate, line_in_2_ns / 2), one_slice_only(), {}};
    EXPECT_EQ(bench.time({access(far_gpu, 64 * 64, false)}), peer_hit(LineOp::read) + 63 * 4000);
}

TEST(Network, AHeaderMakesEveryLineLonger)
{
    NetworkSpec spec = limited(&NetworkSpec::unit_rate, line_in_2_ns);
    spec.header = 64;
    EXPECT_EQ(one_unit(spec, false), hit + 127 * 4000);  // in: header and data
    EXPECT_EQ(one_unit(spec, true), hit + 127 * 4000);   // out
    spec.unit_rate = 0;
    spec.slice_rate = line_in_2_ns;
    EXPECT_EQ(one_slice(spec, true), hit + 127 * 4000);
}

// A hit whose data will be there later takes its place on the way out of its slice after a fill that comes sooner.
TEST(Network, WhatComesLaterHoldsNobody)
{
    TwoGpus system(true, gpu_of(2), l2, hbm, link_spec, {}, false, {},
        limited(&NetworkSpec::slice_rate, 1'600'000'000));
    const std::vector<std::uint64_t> lines = lines_of(3, 2);
    const Time start = l2.latency + idle_read(hbm) - 10'000;
    Program cold;
    add_each(cold, {lines[0]}, false);
    Program warm;
    warm.add_compute(start);
    add_each(warm, {lines[1]}, false);
    Program stores;
    add_each(stores, {lines[1]}, true);
    system.launch(0, cold);
    system.launch(0, warm);
    system.launch(0, stores);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], g.unit_to_l2 + l2.latency + idle_read(hbm) + g.l2_to_unit);
    EXPECT_EQ(system.done[1], start + hit);
}

TEST(Network, StatisticsCountBytesAndTheBusiest)
{
    NetworkSpec spec;
    spec.unit_rate = spec.slice_rate = spec.port_rate = 2 * line_in_2_ns;
    NetworkBench bench{gpu_of(2), spec, l2, {}};
    Program both = access(0, 96 * 64, false);
    add_each(both, {far_gpu}, false, 32 * 64);
    std::vector<Statistic> all;
    bench.times({both, access(1 << 16, 32 * 64, false)}, &all);
    const double stored = static_cast<double>(bench.warm);
    EXPECT_EQ(value_of(all, "unit_in_bytes"), 160 * 64);
    EXPECT_EQ(value_of(all, "unit_in_busy"), 128 * 1000);
    EXPECT_EQ(value_of(all, "unit_out_bytes"), stored);
    EXPECT_EQ(value_of(all, "slice_in_bytes"), stored);
    EXPECT_EQ(value_of(all, "slice_out_bytes"), 128 * 64);
    EXPECT_EQ(value_of(all, "slice_in_busy"), stored / 64 / 32 * 1000);
    EXPECT_EQ(value_of(all, "port_in_bytes"), 32 * 64);
    EXPECT_EQ(value_of(all, "port_out_bytes"), 0);
}

// Atomics, flags, partial lines, peers and partitions of either kind, each way busy, under protocol checkers.
TEST(Network, EverythingArrivesWhateverIsBusy)
{
    for (const unsigned partitions : {1U, 2U, 3U}) {
        for (const NetworkKind kind : {NetworkKind::crossbar, NetworkKind::mesh}) {
            NetworkSpec spec;
            spec.kind = kind;
            spec.unit_rate = spec.slice_rate = spec.port_rate = spec.link_rate = line_in_2_ns / 2;
            spec.header = 8;
            NetworkBench bench{gpu_of(4), spec, l2, {}};
            bench.check = true;
            bench.l2.partitions = std::min(partitions, 2U);
            if (partitions == 3) {
                bench.l2.partition_policy = PartitionPolicy::private_;
                bench.memory_side.size = 64ULL << 20;
            }
            std::vector<Program> programs(4);
            for (unsigned unit = 0; unit < 4; ++unit) {
                Program& program = programs[unit];
                program.add_move({13 + 4096U * unit}, {far_gpu + 70'000 * (unit + 1)}, 5000, ElementType::u8,
                    ReduceOp::sum);
                program.add_move({far_gpu + 100 * unit}, {300'000 + 70'000 * unit}, 5000, ElementType::u8,
                    ReduceOp::sum);
                program.add_atomic(AtomicOp::add, far_gpu + 512, 1);
                program.add_atomic(AtomicOp::add, 512 + 64 * unit, 1);
                program.add_signal(global_address(0, MemoryImage::flag_base + 64 * unit));
                program.add_wait(global_address(0, MemoryImage::flag_base + 64 * ((unit + 1) % 4)), 1);
            }
            const Time first = bench.time(programs);
            EXPECT_GT(first, hit);
            EXPECT_EQ(bench.time(programs), first);
        }
    }
}

}  // namespace network_test
