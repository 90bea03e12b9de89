// What a fence waits for, what a barrier holds, what a signal publishes.
#include <gtest/gtest.h>

#include "sc_models/memory/hbm_timing.h"
#include "testbenches/gpu/two_gpus.h"

namespace ordering_test {

using namespace weft;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_word = std::uint64_t{1} << endpoint_shift;
constexpr Time busy = 10'000;  // ps, shorter than any round trip

const GpuSpec gpu;
const L2Spec l2;
const HbmSpec hbm;
const LinkSpec link_spec;

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}
Time cycle() { return 1'000'000'000'000 / gpu.clock; }

// A word that is stored at the other GPU, to its acknowledge; a part of a line is fetched first.
Time far_store()
{
    return gpu.unit_to_port + wire(LineOp::write, 8, LineClass::request) + link_spec.latency + gpu.port_to_l2 +
        l2.latency + idle_read(hbm) + gpu.l2_to_port + wire(LineOp::write, 8, LineClass::response) + link_spec.latency +
        gpu.port_to_unit;
}
Time near_store() { return gpu.unit_to_l2 + l2.latency + idle_read(hbm) + gpu.l2_to_unit; }

// When a program of one wavefront ends that stores a word, fences, and computes for a while.
Time ended(std::uint64_t address, Scope scope, Time compute)
{
    TwoGpus system;
    Program program;
    program.add_store(address, 7);
    program.add_fence(scope);
    program.add_compute(compute);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.pool.live(), 0u);
    return system.done[0];
}

constexpr Time longest = 5'000'000;

}  // namespace

TEST(Fence, OfTheSystemWaitsForStoresToOthers)
{
    EXPECT_EQ(ended(far_word, Scope::system, longest), far_store() + longest);
}
TEST(Fence, OfTheDeviceDoesNot) { EXPECT_EQ(ended(far_word, Scope::device, longest), longest); }
TEST(Fence, OfTheDeviceWaitsForStoresToTheOwnMemory)
{
    EXPECT_EQ(ended(0, Scope::device, longest), near_store() + longest);
}
TEST(Fence, OfTheUnitWaitsForNone) { EXPECT_EQ(ended(0, Scope::unit, longest), longest); }
TEST(Fence, TheEndOfAWorkgroupWaitsForAll) { EXPECT_EQ(ended(far_word, Scope::unit, busy), far_store()); }

TEST(Fence, WaitsForWordsThatWereLoaded)
{
    TwoGpus system;
    Program program;
    std::uint64_t result = 0;
    program.add_load(0, 0);
    program.add_fence(Scope::unit);
    program.add_compute(longest);
    const std::uint64_t seven = 7;
    system.gpus[0]->image().write(0, reinterpret_cast<const std::uint8_t*>(&seven), 8);
    system.launch(0, program, 1, 1, &result);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], near_store() + longest);
    EXPECT_EQ(result, 7u);
}

TEST(Fence, CoversTheStoresOfAllWavefrontsBehindABarrier)
{
    TwoGpus system;
    Program program;
    program.add_move({}, {far_word}, 8 * 512, ElementType::u8, ReduceOp::sum);  // one instruction for each of eight
    program.add_barrier();
    program.add_fence(Scope::system);
    program.add_barrier();
    program.add_move({}, {far_word + 8 * 512}, 8 * 512, ElementType::u8, ReduceOp::sum);
    system.launch(0, program, 8);
    sc_core::sc_start();
    // 64 lines leave in as many cycles and queue for the wire; the second half starts when the last is acknowledged.
    const Time wires = wire(LineOp::write, 64, LineClass::request);
    const Time half = gpu.unit_to_port + 64 * wires + link_spec.latency + gpu.port_to_l2 + l2.latency + gpu.l2_to_port +
        wire(LineOp::write, 64, LineClass::response) + link_spec.latency + gpu.port_to_unit;
    EXPECT_EQ(system.done[0], 2 * half);
}

TEST(Barrier, HoldsAllUntilTheLastHasCome)
{
    TwoGpus system;
    Program program;
    program.add_compute(longest);  // wavefront zero
    program.add_barrier();
    program.add_move({}, {0}, 8 * 512, ElementType::u8, ReduceOp::sum);
    system.launch(0, program, 8);
    sc_core::sc_start();
    EXPECT_GE(system.done[0], longest + 63 * cycle() + near_store() - idle_read(hbm));
    EXPECT_LT(system.done[0], longest + 64 * (cycle() + 1) + near_store() - idle_read(hbm));
}

TEST(Barrier, WithoutOneTheOthersGoAhead)
{
    TwoGpus system;
    Program program;
    program.add_compute(longest);
    program.add_move({}, {0}, 8 * 512, ElementType::u8, ReduceOp::sum);
    system.launch(0, program, 8);
    sc_core::sc_start();
    // What is left after the computation is wavefront zero's instruction of eight lines.
    EXPECT_LT(system.done[0], longest + 8 * (cycle() + 1) + near_store() - idle_read(hbm));
}

TEST(Flops, WorkgroupsOfAUnitShareIt)
{
    GpuSpec spec;
    spec.compute_units = 1;
    spec.peak_flops = 1'000'000'000'000;  // one a picosecond
    TwoGpus system(true, spec);
    Program program;
    program.add_flops(1'000'000);
    system.launch(0, program);
    system.launch(0, program);
    system.launch(1, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], 1'000'000u);
    EXPECT_EQ(system.done[1], 2'000'000u);
    EXPECT_EQ(system.done[2], 1'000'000u);
}

TEST(Flops, EachUnitHasItsShare)
{
    GpuSpec spec;
    spec.compute_units = 4;
    spec.peak_flops = 1'000'000'000'000;
    TwoGpus system(true, spec);
    Program program;
    program.add_flops(1'000'000);
    system.launch(0, program);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], 4'000'000u);
    EXPECT_EQ(system.done[1], 4'000'000u);
}

}  // namespace ordering_test
