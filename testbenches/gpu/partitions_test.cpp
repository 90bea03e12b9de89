// L2 partitions and the memory-side cache in a GPU: which slice a unit asks, and what it takes.
#include <gtest/gtest.h>

#include "sc_models/memory/hbm_timing.h"
#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace partitions_test {

using namespace weft;
using weft::testing::in_child;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_line = std::uint64_t{1} << endpoint_shift;
constexpr Time us = 1'000'000;

// Two units, each in a partition of its own; launches go to them in turn.
GpuSpec two_units()
{
    GpuSpec spec;
    spec.compute_units = 2;
    return spec;
}

L2Spec partitions(PartitionPolicy policy)
{
    L2Spec spec;
    spec.size = 32ULL << 20;
    spec.partitions = 2;
    spec.partition_policy = policy;
    spec.far_latency = 24'000;
    return spec;
}

MemorySideSpec memory_side()
{
    MemorySideSpec spec;
    spec.size = 64ULL << 20;
    return spec;
}

const GpuSpec g = two_units();
const L2Spec l2;
const HbmSpec hbm;
const MemorySideSpec side = memory_side();
const LinkSpec link_spec;
const Time hit = g.unit_to_l2 + l2.latency + g.l2_to_unit;

// Loads of one line each, one after the other, the first after `start`.
Program loads(Time start, const std::vector<std::uint64_t>& addresses)
{
    Program program;
    if (start > 0) program.add_compute(start);
    for (const std::uint64_t address : addresses) program.add_move({address}, {}, 64, ElementType::u8, ReduceOp::sum);
    return program;
}

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}

double statistic(const std::vector<Statistic>& all, const std::string& name)
{
    for (const Statistic& one : all)
        if (one.name == name) return one.value;
    ADD_FAILURE() << name;
    return -1;
}

// When the programs end, less their starts: the i-th is on unit i mod 2 of the first GPU.
std::string ends(const L2Spec& cache, const MemorySideSpec& below, const std::vector<Program>& programs,
    const std::vector<Time>& starts)
{
    return in_child([&] {
        TwoGpus system(true, g, cache, hbm, link_spec, below);
        for (const Program& program : programs) system.launch(0, program);
        sc_core::sc_start();
        EXPECT_EQ(system.pool.live(), 0u);
        EXPECT_TRUE(system.event_queue.idle());
        std::string out;
        for (std::size_t i = 0; i < programs.size(); ++i) out += std::to_string(system.done[i] - starts[i]) + " ";
        return out;
    });
}

std::string text(const std::vector<Time>& times)
{
    std::string out;
    for (const Time time : times) out += std::to_string(time) + " ";
    return out;
}

}  // namespace

TEST(GpuPartitions, MirroredNearFarAndMiss)
{
    const L2Spec cache = partitions(PartitionPolicy::mirrored);
    const std::vector<Program> programs{loads(0, {64, 64}), loads(us, {64}), loads(2 * us, {64}), loads(3 * us, {64})};
    const Time far = hit + 2 * cache.far_latency + l2.latency;
    // Unit 0 misses and hits; unit 1 finds it far, unit 0 still near, and unit 1 now too.
    EXPECT_EQ(ends(cache, {}, programs, {0, us, 2 * us, 3 * us}), text({2 * hit + idle_read(hbm), far, hit, hit}));
}

TEST(GpuPartitions, PrivateOnesMeetInTheMemorySideCache)
{
    const L2Spec cache = partitions(PartitionPolicy::private_);
    const std::vector<Program> programs{loads(0, {64, 64}), loads(us, {64}), loads(2 * us, {64}), loads(3 * us, {64})};
    const Time memory = 2 * side.hop + side.latency;
    EXPECT_EQ(ends(cache, side, programs, {0, us, 2 * us, 3 * us}),
        text({2 * hit + memory + idle_read(hbm), hit + memory, hit, hit}));
}

TEST(GpuPartitions, WithoutPartitionsTheMemorySideCacheIsOnTheWayToMemory)
{
    L2Spec cache;
    cache.size = 1ULL << 20;
    std::vector<std::uint64_t> addresses;
    for (unsigned i = 0; i < 40'000; ++i) addresses.push_back(i * 64);  // 2.5 MB: more than the L2
    addresses.push_back(0);
    Program first = loads(0, addresses);
    first.operations.resize(40'000);
    const std::string shorter = ends(cache, side, {first}, {0});
    const std::string longer = ends(cache, side, {loads(0, addresses)}, {0});
    EXPECT_EQ(std::stoull(longer) - std::stoull(shorter), hit + 2 * side.hop + side.latency);
}

TEST(GpuPartitions, APeerReachesTheHomeAndAUnitItsFlag)
{
    for (const PartitionPolicy policy : {PartitionPolicy::mirrored, PartitionPolicy::private_}) {
        in_child([policy] {
            const bool separate = policy == PartitionPolicy::private_;
            TwoGpus system(true, g, partitions(policy), hbm, link_spec, separate ? side : MemorySideSpec{});
            const Program store = [] {
                Program program;
                program.add_move({}, {far_line + 640}, 64, ElementType::u8, ReduceOp::sum);
                return program;
            }();
            const Program load = loads(5 * us, {far_line + 640});
            system.launch(0, store);
            system.launch(0, load);
            sc_core::sc_start();
            const Time home = separate ? side.latency : l2.latency;
            const Time die =
                g.unit_to_port + 2 * link_spec.latency + g.port_to_l2 + home + g.l2_to_port + g.port_to_unit;
            EXPECT_EQ(system.done[0],
                die + wire(LineOp::write, 64, LineClass::request) + wire(LineOp::write, 64, LineClass::response));
            EXPECT_EQ(system.done[1],
                5 * us + die + wire(LineOp::read, 64, LineClass::request) +
                    wire(LineOp::read, 64, LineClass::response));
            EXPECT_EQ(system.pool.live(), 0u);
            if (separate) {
                EXPECT_EQ(statistic(system.gpus[1]->l2_statistics(), "hits"), 0);
                EXPECT_EQ(statistic(system.gpus[1]->memory_side()->statistics(), "hits"), 2);
            }
            return std::string();
        });
    }
}

TEST(GpuPartitions, AFlagOfTheOtherPartitionIsFartherByTheWayThereAndBack)
{
    // The two units wait, with a monitor, for a flag that is there already.
    const auto waits = [](std::uint64_t flag, const L2Spec& cache, const MemorySideSpec& below) {
        return in_child([&] {
            GpuSpec spec = g;
            spec.wait_policy = WaitPolicy::waiting_atomic;
            TwoGpus system(true, spec, cache, hbm, link_spec, below);
            system.gpus[0]->image().flag(MemoryImage::flag_base + flag) = 1;
            Program program;
            program.add_wait(MemoryImage::flag_base + flag, 1);
            for (unsigned unit = 0; unit < 2; ++unit) system.launch(0, program);
            sc_core::sc_start();
            return text({system.done[0], system.done[1]});
        });
    };
    const L2Spec mirrored = partitions(PartitionPolicy::mirrored);
    const Time far = hit + 2 * mirrored.far_latency;
    unsigned in_first = 0;
    for (unsigned line = 0; line < 64; ++line) {
        const bool first = slice_place((MemoryImage::flag_base + line * 64) / 64, Divider(32)).slice < 16;
        in_first += first ? 1 : 0;
        if (line % 8 != 0) continue;
        EXPECT_EQ(waits(line * 64, mirrored, {}), first ? text({hit, far}) : text({far, hit}));
    }
    EXPECT_EQ(in_first, 32u);
    const Time home = g.unit_to_l2 + 2 * side.hop + side.latency + g.l2_to_unit;
    // In one slice of the memory-side cache: the second is served when the first has passed.
    const Time served = 64 * 1'000'000'000'000 / (side.bandwidth / hbm.channels);
    EXPECT_EQ(waits(0, partitions(PartitionPolicy::private_), side), text({home, home + served}));
}

TEST(GpuPartitions, DataArriveWithEveryPolicyAndCheckersSeeNothingWrong)
{
    for (const bool separate : {false, true}) {
        in_child([separate] {
            L2Spec cache = partitions(separate ? PartitionPolicy::private_ : PartitionPolicy::mirrored);
            cache.size = 256 << 10;  // lines move, leave and come back
            cache.line = 128;
            MemorySideSpec below = side;
            below.size = 512 << 10;
            TwoGpus system(true, g, cache, hbm, link_spec, separate ? below : MemorySideSpec{}, true);
            constexpr std::uint64_t bytes = 1 << 20;
            std::vector<std::uint8_t> sent(bytes);
            for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
            system.gpus[0]->image().write(0, sent.data(), bytes);
            Program near;
            near.add_move({13}, {bytes * 2}, bytes - 13, ElementType::u8, ReduceOp::sum);
            near.add_move({bytes * 2}, {bytes * 4 + 5}, bytes - 13, ElementType::u8, ReduceOp::sum);
            Program put;
            put.add_move({0}, {far_line + 40}, bytes, ElementType::u8, ReduceOp::sum);
            put.add_move({far_line + 40}, {bytes * 6}, bytes, ElementType::u8, ReduceOp::sum);
            system.launch(0, near, 64);
            system.launch(0, put, 64);
            sc_core::sc_start();
            EXPECT_TRUE(system.event_queue.idle());
            std::vector<std::uint8_t> got(bytes);
            system.gpus[0]->image().read(bytes * 4 + 5, got.data(), bytes - 13);
            EXPECT_TRUE(std::equal(got.begin(), got.end() - 13, sent.begin() + 13));
            system.gpus[0]->image().read(bytes * 6, got.data(), bytes);
            EXPECT_TRUE(got == sent);
            system.checkers.finish();
            EXPECT_EQ(system.checkers.problems(), 0u);
            EXPECT_EQ(system.pool.live(), 0u);
            return std::string();
        });
    }
}

}  // namespace partitions_test
