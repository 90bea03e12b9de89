// Litmus tests of the memory model (docs/models/memory_model.md): each shape runs 10,000 times in one simulation with
// delays drawn from a seed. What is forbidden never shows; what is allowed shows at least once.
#include <random>

#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"

namespace litmus_test {

using namespace weft;
using weft::testing::TwoGpus;

namespace {

constexpr unsigned instances = 10'000;

struct Access {
    bool store = false;
    unsigned variable = 0;
};
Access write_to(unsigned variable) { return {true, variable}; }
Access read_of(unsigned variable) { return {false, variable}; }

struct Thread {
    unsigned gpu;
    std::vector<Access> accesses;
};

struct Shape {
    std::vector<Thread> threads;
    std::vector<unsigned> home;           // GPU of each variable
    std::vector<std::uint64_t> weak;      // results of all reads, in order of threads
};

// Whether loads go through the L1, and have old copies there to begin with.
enum class Loads { past_the_l1, through_a_warm_l1 };

// Runs the shape with a fence of `scope` between the accesses of a thread, and counts its weak outcome. `bulk`: beside
// stores of many lines from GPU 0 to that GPU.
unsigned weak_outcomes(const Shape& shape, bool fenced, Scope scope, unsigned seed, int bulk = -1,
    Loads loads = Loads::past_the_l1)
{
    const bool warm = loads == Loads::through_a_warm_l1;
    L1Spec l1;
    if (warm) {
        l1.size = 256 << 10;
        l1.cache_peers = 1;
    }
    TwoGpus system(true, {}, {}, {}, {}, {}, false, l1);
    Program stores;
    if (bulk >= 0) {
        stores.add_move({}, {global_address(static_cast<unsigned>(bulk), 1 << 28)}, 1 << 18, ElementType::u8, ReduceOp::sum);
        for (unsigned i = 0; i < 8; ++i) system.launch(0, stores, 16);
    }
    std::mt19937 random(seed);
    const std::size_t threads = shape.threads.size();
    std::vector<Program> programs(instances * threads);
    std::vector<std::uint64_t> results(instances * shape.weak.size());
    for (unsigned i = 0; i < instances; ++i) {
        const auto address = [&](unsigned variable) {
            return global_address(shape.home[variable], (i * shape.home.size() + variable) * line_bytes);
        };
        std::uint32_t result = 0;
        for (std::size_t t = 0; t < threads; ++t) {
            Program& program = programs[i * threads + t];
            const std::vector<Access>& accesses = shape.threads[t].accesses;
            for (const Access& access : accesses)
                if (warm && !access.store)
                    program.add_chase(address(access.variable), 1, Scope::unit);
            program.add_compute(random() % 1'500'000);
            for (std::size_t a = 0; a < accesses.size(); ++a) {
                if (a > 0 && fenced) program.add_fence(scope);
                if (accesses[a].store) {
                    program.add_store(address(accesses[a].variable), 1);
                } else {
                    program.add_load(address(accesses[a].variable), result++, warm ? Scope::unit : Scope::system);
                }
            }
            system.launch(shape.threads[t].gpu, program, 1, 1, &results[i * shape.weak.size()]);
        }
    }
    sc_core::sc_start();
    EXPECT_EQ(system.pool.live(), 0u);
    unsigned weak = 0;
    for (unsigned i = 0; i < instances; ++i)
        weak += std::equal(shape.weak.begin(), shape.weak.end(), results.begin() + i * shape.weak.size()) ? 1 : 0;
    return weak;
}

constexpr unsigned x = 0;
constexpr unsigned y = 1;

Shape message_passing(bool across)
{
    const unsigned other = across ? 1 : 0;
    return {{{0, {write_to(x), write_to(y)}}, {other, {read_of(y), read_of(x)}}}, {other, 0}, {1, 0}};
}
Shape store_buffering(bool across)
{
    const unsigned other = across ? 1 : 0;
    return {{{0, {write_to(x), read_of(y)}}, {other, {write_to(y), read_of(x)}}}, {other, 0}, {0, 0}};
}
Shape load_buffering(bool across)
{
    const unsigned other = across ? 1 : 0;
    return {{{0, {read_of(x), write_to(y)}}, {other, {read_of(y), write_to(x)}}}, {other, 0}, {1, 1}};
}
Shape independent_reads(bool across)
{
    const unsigned other = across ? 1 : 0;
    return {{{0, {write_to(x)}}, {other, {write_to(y)}}, {0, {read_of(x), read_of(y)}}, {other, {read_of(y), read_of(x)}}},
        {other, 0}, {1, 0, 1, 0}};
}

}  // namespace

TEST(Litmus, MessagePassingAcrossGpusWithoutFences) { EXPECT_GT(weak_outcomes(message_passing(true), false, Scope::unit, 1), 0u); }
TEST(Litmus, MessagePassingAcrossGpusFencedForTheSystem) { EXPECT_EQ(weak_outcomes(message_passing(true), true, Scope::system, 1), 0u); }
TEST(Litmus, MessagePassingAcrossGpusFencedForTheDeviceIsNotEnough)
{
    EXPECT_GT(weak_outcomes(message_passing(true), true, Scope::device, 1, 1), 0u);
}
TEST(Litmus, MessagePassingAcrossABusyLinkFencedForTheSystem)
{
    EXPECT_EQ(weak_outcomes(message_passing(true), true, Scope::system, 1, 1), 0u);
}
TEST(Litmus, MessagePassingInAGpuFencedForTheDevice) { EXPECT_EQ(weak_outcomes(message_passing(false), true, Scope::device, 1), 0u); }

TEST(Litmus, StoreBufferingAcrossGpusWithoutFences) { EXPECT_GT(weak_outcomes(store_buffering(true), false, Scope::unit, 2), 0u); }
TEST(Litmus, StoreBufferingAcrossGpusFencedForTheSystem) { EXPECT_EQ(weak_outcomes(store_buffering(true), true, Scope::system, 2), 0u); }
TEST(Litmus, StoreBufferingInAGpuFencedForTheDevice) { EXPECT_EQ(weak_outcomes(store_buffering(false), true, Scope::device, 2, 0), 0u); }

TEST(Litmus, LoadBufferingAcrossGpusWithoutFences) { EXPECT_GT(weak_outcomes(load_buffering(true), false, Scope::unit, 3), 0u); }
TEST(Litmus, LoadBufferingAcrossGpusFenced) { EXPECT_EQ(weak_outcomes(load_buffering(true), true, Scope::system, 3), 0u); }
TEST(Litmus, LoadBufferingInAGpuFenced) { EXPECT_EQ(weak_outcomes(load_buffering(false), true, Scope::device, 3), 0u); }

TEST(Litmus, IndependentReadsAcrossGpusWithoutFences) { EXPECT_GT(weak_outcomes(independent_reads(true), false, Scope::unit, 4), 0u); }
TEST(Litmus, IndependentReadsAcrossGpusFenced) { EXPECT_EQ(weak_outcomes(independent_reads(true), true, Scope::system, 4), 0u); }
TEST(Litmus, IndependentReadsInAGpuFenced) { EXPECT_EQ(weak_outcomes(independent_reads(false), true, Scope::device, 4), 0u); }

TEST(Litmus, MessagePassingInAGpuThroughAWarmL1WithoutFences)
{
    EXPECT_GT(weak_outcomes(message_passing(false), false, Scope::unit, 5, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, MessagePassingInAGpuThroughAWarmL1FencedForTheDevice)
{
    EXPECT_EQ(weak_outcomes(message_passing(false), true, Scope::device, 5, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, MessagePassingAcrossGpusThroughAWarmL1WithoutFences)
{
    EXPECT_GT(weak_outcomes(message_passing(true), false, Scope::unit, 5, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, MessagePassingAcrossGpusThroughAWarmL1FencedForTheSystem)
{
    EXPECT_EQ(weak_outcomes(message_passing(true), true, Scope::system, 5, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, StoreBufferingInAGpuThroughAWarmL1WithoutFences)
{
    EXPECT_GT(weak_outcomes(store_buffering(false), false, Scope::unit, 6, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, StoreBufferingInAGpuThroughAWarmL1FencedForTheDevice)
{
    EXPECT_EQ(weak_outcomes(store_buffering(false), true, Scope::device, 6, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, IndependentReadsInAGpuThroughAWarmL1WithoutFences)
{
    EXPECT_GT(weak_outcomes(independent_reads(false), false, Scope::unit, 7, -1, Loads::through_a_warm_l1), 0u);
}
TEST(Litmus, IndependentReadsInAGpuThroughAWarmL1FencedForTheDevice)
{
    EXPECT_EQ(weak_outcomes(independent_reads(false), true, Scope::device, 7, -1, Loads::through_a_warm_l1), 0u);
}

}  // namespace litmus_test
