// Loads through a unit's L1: what they take, what they may see, when they may not.
#include <gtest/gtest.h>

#include "sc_models/memory/hbm_timing.h"
#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l1_test {

using namespace weft;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_word = std::uint64_t{1} << endpoint_shift;
const GpuSpec gpu;
const L2Spec l2;
const HbmSpec hbm;

L1Spec with_l1()
{
    L1Spec spec;
    spec.size = 128 << 10;
    return spec;
}
Time cold_load() { return gpu.unit_to_l2 + l2.latency + idle_read(hbm) + gpu.l2_to_unit; }

// Loads of the word at `address`, one after another.
Program loads(std::uint64_t address, unsigned count, Scope scope)
{
    Program program;
    for (unsigned i = 0; i < count; ++i) {
        program.add_load(address, i, scope);
        program.add_fence(Scope::unit);
    }
    return program;
}

Time time_of(const Program& program, const L1Spec& l1)
{
    TwoGpus system(true, {}, {}, {}, {}, {}, false, l1);
    std::vector<std::uint64_t> results(16);
    system.launch(0, program, 1, 1, results.data());
    sc_core::sc_start();
    EXPECT_EQ(system.pool.live(), 0u);
    return system.done[0];
}

}  // namespace

TEST(L1, AHitTakesItsLatency)
{
    const L1Spec l1 = with_l1();
    EXPECT_EQ(time_of(loads(0, 5, Scope::unit), l1), cold_load() + 4 * l1.latency);
}
TEST(L1, LoadsOfAWiderScopeGoPast)
{
    EXPECT_EQ(time_of(loads(0, 5, Scope::device), with_l1()), cold_load() + 4 * (cold_load() - idle_read(hbm)));
}
TEST(L1, WithoutOneAllGoToTheL2)
{
    EXPECT_EQ(time_of(loads(0, 5, Scope::unit), L1Spec{}), cold_load() + 4 * (cold_load() - idle_read(hbm)));
}

TEST(L1, KeepsLinesOfPeersOnlyWhenItMay)
{
    L1Spec l1 = with_l1();
    const auto reads = [&] {
        TwoGpus system(true, {}, {}, {}, {}, {}, false, l1);
        const Program program = loads(far_word, 3, Scope::unit);
        std::vector<std::uint64_t> results(3);
        system.launch(0, program, 1, 1, results.data());
        sc_core::sc_start();
        return system.link.direction(0).lines;
    };
    const std::string kept = weft::testing::in_child([&] {
        l1.cache_peers = true;
        return std::to_string(reads());
    });
    EXPECT_EQ(kept, "1");
    EXPECT_EQ(reads(), 3u);
}

TEST(L1, BandwidthBoundsHits)
{
    L1Spec l1 = with_l1();
    l1.bandwidth = 64'000'000'000;  // a line each ns
    TwoGpus system(true, {}, {}, {}, {}, {}, false, l1);
    const auto reads = [](std::uint64_t address, unsigned times) {
        Program program;
        for (unsigned i = 0; i < times; ++i) {
            program.add_move({address}, {}, 16 << 10, ElementType::u8, ReduceOp::sum);
            program.operations.back().scope = Scope::unit;
            program.add_barrier();
        }
        return program;
    };
    const Program once = reads(0, 1);
    const Program twice = reads(far_word, 2);
    system.launch(0, once, 16, 2);
    system.launch(1, twice, 16, 2);
    sc_core::sc_start();
    const Time hits = system.done[1] - system.done[0];
    EXPECT_EQ(hits, 255'000u + l1.latency);
}

// Unit 0 has the word in its L1; unit 1 changes it and sets a flag that unit 0 waits for.
namespace {
std::uint64_t seen(bool waits, Scope scope, const L1Factory& make_l1 = nullptr)
{
    TwoGpus system(true, {}, {}, {}, {}, {}, false, with_l1());
    system.gpus[0]->units().set_l1(make_l1);
    const std::uint64_t flag = global_address(0, MemoryImage::flag_base);
    Program reader;
    reader.add_load(0, 0, Scope::unit);
    reader.add_fence(Scope::unit);
    if (waits) {
        reader.add_wait(flag, 1);
    } else {
        reader.add_compute(50'000'000);
    }
    reader.add_load(0, 1, scope);
    Program writer;
    writer.add_compute(1'000'000);
    writer.add_store(0, 7);
    writer.add_signal(flag, 0, Scope::device);
    std::uint64_t results[2] = {9, 9};
    system.launch(0, reader, 1, 1, results);
    system.launch(0, writer);
    sc_core::sc_start();
    EXPECT_EQ(results[0], 0u);
    return results[1];
}
}  // namespace

TEST(L1, WithoutAnAcquireALoadMaySeeWhatWasThere) { EXPECT_EQ(seen(false, Scope::unit), 0u); }
TEST(L1, AWaitMakesTheNewValueVisible) { EXPECT_EQ(seen(true, Scope::unit), 7u); }
TEST(L1, ALoadPastTheL1SeesTheNewValue) { EXPECT_EQ(seen(false, Scope::device), 7u); }

namespace {
struct KeepsAll : L1Cache {
    using L1Cache::L1Cache;
    void invalidate() override {}
};
// A fill brings zeros.
struct KeepsOldBytes : L1Cache {
    using L1Cache::L1Cache;
    Filled fill(std::uint32_t fetch, const std::uint8_t*) override
    {
        const std::uint8_t none[line_bytes] = {};
        return L1Cache::fill(fetch, none);
    }
};
template <class Cache>
L1Factory make()
{
    return [](const L1Spec& spec, bool data_on) { return std::make_unique<Cache>(spec, data_on); };
}
}  // namespace

TEST(L1, OneThatIsNotInvalidatedShowsWhatWasThere) { EXPECT_EQ(seen(true, Scope::unit, make<KeepsAll>()), 0u); }
TEST(L1, OneThatLosesAFillShowsIt) { EXPECT_EQ(seen(true, Scope::unit, make<KeepsOldBytes>()), 0u); }

TEST(L1, AUnitSeesItsOwnStores)
{
    TwoGpus system(true, {}, {}, {}, {}, {}, false, with_l1());
    Program program;
    std::uint64_t results[4] = {9, 9, 9, 9};
    program.add_load(0, 0, Scope::unit);
    program.add_store(0, 7);  // while the sector is on its way
    program.add_load(0, 1, Scope::unit);
    program.add_fence(Scope::unit);
    program.add_store(0, 8);  // when it is there
    program.add_load(0, 2, Scope::unit);
    program.add_atomic(AtomicOp::add, 0, 1);
    program.add_load(0, 3, Scope::unit);
    system.launch(0, program, 1, 1, results);
    sc_core::sc_start();
    EXPECT_EQ(std::vector<std::uint64_t>(results, results + 4), (std::vector<std::uint64_t>{0, 7, 8, 9}));
}

TEST(L1, AChaseLoadsOneAddressAfterTheOther)
{
    const L1Spec l1 = with_l1();
    TwoGpus system(true, {}, {}, {}, {}, {}, false, l1);
    // A ring of eight sectors, twice around.
    constexpr std::uint64_t around = 8;
    for (std::uint64_t i = 0; i < around; ++i) {
        const std::uint64_t next = (i * 3 + 3) % around * line_bytes * 5;
        system.gpus[0]->image().write(i * 3 % around * line_bytes * 5, reinterpret_cast<const std::uint8_t*>(&next), 8);
    }
    Program program;
    program.add_chase(0, 2 * around, Scope::unit);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], around * (cold_load() + l1.latency));
}

}  // namespace l1_test
