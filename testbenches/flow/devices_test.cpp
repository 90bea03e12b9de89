// Units, caches and memories at flow fidelity: what kernels take alone, and what collectives wait for among them.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>

#include "collectives/engine/flow/flow_kernels.h"
#include "collectives/flow/devices/flow_devices.h"

namespace devices_test {

using namespace weft;

namespace {

using Ps = FlowDevices::Ps;

// Four units at 2 GHz, an L2 of 512 GB/s, a memory of 128 GB/s.
DeviceCost small_device()
{
    DeviceCost out;
    out.units = 4;
    out.issue_line_ps = 500;
    out.flop_ps = 1;
    out.to_cache_ps = out.from_cache_ps = 40'000;
    out.cache_ps = 60'000;
    out.cache_line_ps = 125;
    out.cache_bytes = 4 << 20;
    out.memory_ps = 200'000;
    out.memory_line_ps = 500;
    out.thread_wavefronts = 16;
    out.instruction_lines = 8;
    return out;
}

// One accelerator, and its events.
struct Bench {
    explicit Bench(const DeviceCost& cost)
        : devices(
              {cost}, {0}, [this](Ps time, std::uint32_t number) { events.emplace(time, number); },
              [this](std::uint32_t thread) { started.push_back(thread); })
    {
    }
    void run(Ps until = ~Ps{0})
    {
        while (!events.empty() && events.begin()->first <= until) {
            const auto [time, number] = *events.begin();
            events.erase(events.begin());
            now = time;
            devices.event(number, now);
        }
    }
    Ps time_of(const Gemm& gemm)
    {
        const Ps begin = now;
        devices.run(0, std::make_shared<GemmKernel>(gemm, 0, 512), now, [] {});
        run();
        return now - begin;
    }

    std::multimap<Ps, std::uint32_t> events;
    std::vector<std::uint32_t> started;
    Ps now = 0;
    FlowDevices devices;
};

Gemm gemm_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t tile)
{
    Gemm out;
    out.m = m;
    out.n = n;
    out.k = k;
    out.tile = tile;
    return out;
}

}  // namespace

TEST(FlowDevices, MemoryServesAtItsRateOneAfterTheOther)
{
    const DeviceCost cost = small_device();
    MemoryClock clock(cost);
    EXPECT_EQ(clock.cache(1000, 0, 8, 0).last, 2000U);
    EXPECT_EQ(clock.cache(1000, 0, 1, 0).first, 2000U);
    EXPECT_EQ(clock.cache_wait(2000, 0), 125U);
    EXPECT_EQ(clock.mean_wait(2000), 125U);
    EXPECT_EQ(clock.cache(5000, 0, 1, 0).first, 5000U);
    EXPECT_EQ(clock.memory(1000, 2), 1000U);
    EXPECT_EQ(clock.memory(1000, 1), 2000U);
}

// Two lines under a tag go to one slice, the next two to the next one; each slice has its part of the rate.
TEST(FlowDevices, SlicesOfTheCacheServeEachForItself)
{
    DeviceCost cost = small_device();
    cost.slices = 4;
    cost.slice_lines = 2;
    MemoryClock clock(cost);
    EXPECT_EQ(clock.cache(0, 0, 4, 0).last, 1000U);
    EXPECT_EQ(clock.mean_wait(0), 500U);
    const MemoryClock::Turn next = clock.cache(0, 0, 4, 4);
    EXPECT_EQ(next.first, 0U);
    EXPECT_EQ(next.last, 1000U);
    EXPECT_EQ(clock.cache(0, 0, 8, 0).last, 2000U);
}

TEST(FlowDevices, ACacheGivesUpWhatWasUsedLongestAgo)
{
    BlockCache cache(100);
    EXPECT_EQ(cache.find(1, 0), 0U);
    EXPECT_EQ(cache.fill(1, 0, 40, 7), 0U);
    EXPECT_EQ(cache.write(2, 40, 8), 0U);
    EXPECT_EQ(cache.find(1, 0), 7U);
    EXPECT_EQ(cache.find(1, 1), 0U);
    EXPECT_EQ(cache.find(2, 5), 8U);
    EXPECT_EQ(cache.find(1, 0), 7U);
    EXPECT_EQ(cache.fill(3, 0, 40, 9), 40U);  // block 2 was written
    EXPECT_EQ(cache.find(2, 0), 0U);
    EXPECT_EQ(cache.find(1, 0), 7U);
}

TEST(FlowDevices, WorkgroupsGoToUnitsInTurnAndWaitInOrder)
{
    DeviceCost cost = small_device();
    cost.units = 2;
    cost.groups = 2;
    cost.wavefronts = 16;
    DeviceUnits units(cost);
    EXPECT_EQ(units.place(8, 0), 0U);
    EXPECT_EQ(units.place(16, 1), 1U);
    EXPECT_EQ(units.place(8, 2), 0U);
    EXPECT_EQ(units.place(8, 3), DeviceUnits::none);
    EXPECT_EQ(units.place(8, 4), DeviceUnits::none);
    std::vector<std::uint64_t> placed;
    units.leave(1, 16, [&](std::uint64_t who, std::uint32_t unit) {
        EXPECT_EQ(unit, 1U);
        placed.push_back(who);
    });
    EXPECT_EQ(placed, (std::vector<std::uint64_t>{3, 4}));
}

TEST(FlowDevices, AKernelTakesItsOperationsOrItsLines)
{
    // Four workgroups on each unit. 32 steps of 64 lines x 64 operations each.
    const Gemm gemm = gemm_of(256, 256, 1024, 64);
    const auto operations = static_cast<double>(gemm.operations());
    DeviceCost cost = small_device();
    cost.flop_ps = 4;
    Bench busy(cost);
    busy.time_of(gemm);
    EXPECT_NEAR(static_cast<double>(busy.time_of(gemm)), operations * cost.flop_ps / cost.units,
        0.1 * operations * cost.flop_ps / cost.units);
    cost.flop_ps = 0;
    for (const double line_ps : {125.0, 250.0}) {
        cost.cache_line_ps = line_ps;
        Bench loads(cost);
        loads.time_of(gemm);
        const double lines = static_cast<double>(gemm.loaded_bytes() + 256 * 256 * 2) / 64;
        const double least = std::max(line_ps * lines, cost.issue_line_ps * lines / cost.units);
        const auto time = static_cast<double>(loads.time_of(gemm));
        EXPECT_GE(time, least);
        EXPECT_LT(time, least + 18 * 180'000.0);
    }
}

// Matrices that the L2 does not hold come from memory every time.
TEST(FlowDevices, AKernelBeyondTheCacheTakesTheTimeOfItsMemory)
{
    const Gemm gemm = gemm_of(512, 512, 512, 64);
    DeviceCost cost = small_device();
    cost.flop_ps = 0;
    Bench fits(cost);
    fits.time_of(gemm);
    cost.cache_bytes = 64 << 10;
    Bench small(cost);
    small.time_of(gemm);
    EXPECT_GT(small.time_of(gemm), 2 * fits.time_of(gemm));
}

// A tile of 64 x 64 results is stored by one unit: each line takes as much longer as the unit's way out is slower.
TEST(FlowDevices, StoresOfAKernelTakeTheWayOutOfTheirUnit)
{
    const Gemm gemm = gemm_of(64, 64, 64, 64);
    const auto time = [&gemm](double store_line_ps) {
        DeviceCost cost = small_device();
        cost.store_line_ps = store_line_ps;
        return Bench(cost).time_of(gemm);
    };
    const Ps lines = 64 * 64 * Gemm::element_bytes / 64;
    EXPECT_EQ(time(30'000) - time(20'000), lines * 10'000);  // so slow that nothing else counts
    EXPECT_GT(time(10'000), time(0));
}

TEST(FlowDevices, ACollectiveWaitsForTheLinesOfAKernel)
{
    DeviceCost cost = small_device();
    cost.cache_line_ps = 400;
    Bench bench(cost);
    ASSERT_TRUE(bench.devices.enter(0, 0));
    EXPECT_EQ(bench.devices.access(0, 64, false, 0).first, 0U);
    bench.devices.run(0, std::make_shared<GemmKernel>(gemm_of(256, 256, 1024, 64), 0, 512), 0, [] {});
    bench.run(1'000'000);
    const FlowDevices::Delay load = bench.devices.access(0, 64, false, bench.now);
    EXPECT_GT(load.last, 100'000U);
    // 512 lines of each unit are in flight at most.
    EXPECT_LT(load.last, 4 * 512 * 400U);
    EXPECT_GT(bench.devices.poll(0, 0, bench.now), 0U);
}

// What is acknowledged counts for all units by the places that they have taken, four at most here.
TEST(FlowDevices, AcknowledgesCountForAllUnitsThatHaveStored)
{
    StoresInFlight stores(3, 4);
    stores.hold(0, 8, 2);
    stores.hold(2, 2, 1);
    stores.acknowledged(3, 10);
    stores.acknowledged(1, 20);
    EXPECT_EQ(stores.next(), 10U);
    std::vector<double> requests(3);
    const auto count = [&](std::uint32_t unit, double lines, double each) { requests[unit] += lines * each; };
    stores.collect(9, count);
    EXPECT_EQ(stores.of(0), 8);
    stores.collect(10, count);
    EXPECT_EQ(stores.of(0), 6);
    EXPECT_EQ(stores.of(2), 1);
    EXPECT_EQ(requests, (std::vector<double>{4, 0, 1}));
    stores.acknowledged(7, 30);
    stores.collect(30, count);
    EXPECT_NEAR(stores.of(0) + stores.of(1) + stores.of(2), 0, 1e-6);
    EXPECT_EQ(stores.next(), StoresInFlight::never);
}

// A thread has stored far more than its unit may have in flight, and has 64 lines acknowledged each microsecond. Its 16 wavefronts and
// the 8 of a kernel take turns: the kernel sends 32 lines a microsecond.
TEST(FlowDevices, AKernelTakesItsTurnsAmongWhatReturnsToAFullUnit)
{
    constexpr unsigned returns = 100;
    constexpr Ps interval = 1'000'000;
    DeviceCost cost = small_device();
    cost.units = 1;
    const Gemm gemm = gemm_of(128, 128, 64, 128);
    const auto lines = static_cast<double>(gemm.loaded_bytes() + 128 * 128 * 2) / 64;
    Bench bench(cost);
    ASSERT_TRUE(bench.devices.enter(0, 0));
    bench.devices.hold(0, 0, returns * 64 * 64, 1);
    Ps end = 0;
    bench.devices.run(0, std::make_shared<GemmKernel>(gemm, 0, 512), 0, [&] { end = bench.now; });
    for (unsigned i = 1; i <= returns; ++i) bench.devices.let_go(0, 0, 64 * 64, i * interval);
    bench.run();
    EXPECT_NEAR(static_cast<double>(end), lines / 32 * interval, 0.15 * lines / 32 * interval);
}

// A workgroup that finds no room is started when one ends.
TEST(FlowDevices, AThreadWaitsForRoomOnAUnit)
{
    DeviceCost cost = small_device();
    cost.groups = 1;
    Bench bench(cost);
    bench.devices.run(0, std::make_shared<GemmKernel>(gemm_of(128, 128, 64, 64), 0, 512), 0, [] {});
    bench.run(0);
    EXPECT_FALSE(bench.devices.enter(7, 0));
    bench.run();
    EXPECT_EQ(bench.started, std::vector<std::uint32_t>{7});
    EXPECT_EQ(bench.devices.pending(), 0U);
}

// Half of the operations and bytes of a compute node take half of the time; a duration takes itself.
TEST(FlowDevices, AComputeNodeTakesItsOperationsItsBytesOrItsDuration)
{
    const auto time = [](const KernelWork& work) {
        Bench bench(small_device());
        bench.devices.run(0, std::make_shared<ShareKernel>(work, 0, 16, 2, 512, false), 0, [] {});
        bench.run();
        return static_cast<double>(bench.now);
    };
    const DeviceCost cost = small_device();
    EXPECT_NEAR(time({1 << 24, 0, 0, 8}), (1 << 24) * cost.flop_ps / cost.units, 1e5);
    const double lines = (4 << 20) / 64.0;
    EXPECT_NEAR(time({0, 4 << 20, 0, 8}), lines * cost.memory_line_ps, 0.05 * lines * cost.memory_line_ps);
    EXPECT_EQ(time({0, 0, 5'000'000, 8}), 5e6);
}

// Little's law: a place for each line from its issue to its data. Cold lines, or those that the L2 has, or stores, in one workgroup.
TEST(FlowDevices, NoMoreLinesAreInFlightThanTheLimit)
{
    DeviceCost cost = small_device();
    const auto time = [&cost](std::shared_ptr<const FlowKernel> kernel) {
        Bench bench(cost);
        bench.devices.run(0, std::move(kernel), 0, [] {});
        bench.run();
        return bench.now;
    };
    const auto load = [&](bool cached) {
        return time(std::make_shared<ShareKernel>(KernelWork{0, 64 * 64, 0, 1}, 0, 16, 2, 512, cached));
    };
    const auto move = [&](bool write) {
        auto kernel = std::make_shared<MoveKernel>(0, 64 * 64, write, 1, 16, 2, 512);
        kernel->cold = true;
        return time(std::move(kernel));
    };
    const Ps cached = 500 + 40'000 + 60'000 + 40'000;  // an issue slot, and to the L2, of it, and from it
    const Ps cold = cached + 200'000;
    for (const unsigned places : {1U, 2U, 4U}) {
        cost.outstanding = places;
        const Ps slots = (places - 1) * 501;  // of the first lines: a unit looks again a picosecond behind each
        EXPECT_EQ(load(false), 64 / places * cold + slots) << places;
        EXPECT_EQ(load(true), 64 / places * cached + slots) << places;
        EXPECT_EQ(move(false), 64 / places * cold + slots) << places;
        EXPECT_EQ(move(true), 64 / places * cached + slots) << places;
    }
    // 9 places: seven rounds of all, and one line more.
    cost.outstanding = 9;
    EXPECT_GE(load(false), 8 * cold);
    EXPECT_LE(load(false), 8 * cold + 9 * 501);
    // Four parts of 64 lines fit: as without a limit.
    cost.outstanding = 256;
    const Ps many = move(true);
    cost.outstanding = 1 << 20;
    EXPECT_EQ(move(true), many);
}

// Lines that make room go to memory in order; a store waits until all of its own have a place on the way.
TEST(FlowDevices, StoresWaitForMemoryToTakeWhatTheyDisplace)
{
    DeviceCost cost = small_device();
    cost.issue_line_ps = 100;
    cost.outstanding = 2048;
    const auto time = [&cost](std::uint64_t from, double places) {
        cost.write_places = places;
        auto kernel = std::make_shared<MoveKernel>(0, 1024 * 64, true, 1, 16, 2, 512);
        kernel->displaces_from = from;
        kernel->displaces_to = 1024;
        Bench bench(cost);
        bench.devices.run(0, std::move(kernel), 0, [] {});
        bench.run();
        return bench.now;
    };
    const Ps first = 40'000 + 60'000;
    EXPECT_EQ(time(0, 0), first + 1024 * 500 + 40'000);
    EXPECT_EQ(time(0, 100), first + (1024 - 100) * 500 + 40'000);
    EXPECT_EQ(time(512, 0), first + 512 * 125 + 512 * 500 + 40'000);  // the L2 serves the others first
    EXPECT_EQ(time(1024, 0), time(1024, 1e9));
}

}  // namespace devices_test
