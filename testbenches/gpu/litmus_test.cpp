// Litmus tests of the memory model (docs/models/memory_model.md): each shape runs 10,000 times in one simulation with
// delays drawn from a seed. What is forbidden never shows; what is allowed shows at least once. Every case is run twice in
// the same place, with its fences and without them: a fence that does nothing fails the first, a place that cannot show the
// outcome fails the second.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace litmus_test {

using namespace weft;
using weft::testing::in_child;
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
    std::vector<unsigned> home;       // GPU of each variable
    std::vector<std::uint64_t> weak;  // results of all reads, in order of threads
};

// Whether loads go through the L1, and have old copies there to begin with.
enum class Loads { past_the_l1, through_a_warm_l1 };
// The ways from units to slices: all equally long, or as long as a mesh makes them.
enum class Ways { crossbar, mesh };

// A mesh with hops so long that the way decides when an access is performed.
NetworkSpec network_of(Ways ways)
{
    NetworkSpec network;
    if (ways == Ways::crossbar) return network;
    network.kind = NetworkKind::mesh;
    network.hop_latency = 200'000;
    return network;
}

// Runs the shape with a fence of `scope` between the accesses of a thread, and counts its weak outcome. `bulk`: beside
// stores of many lines from GPU 0 to that GPU.
unsigned weak_outcomes(const Shape& shape, bool fenced, Scope scope, unsigned seed, int bulk = -1,
    Loads loads = Loads::past_the_l1, Ways ways = Ways::crossbar)
{
    const bool warm = loads == Loads::through_a_warm_l1;
    L1Spec l1;
    if (warm) {
        l1.size = 256 << 10;
        l1.cache_peers = true;
    }
    TwoGpus system(true, {}, {}, {}, {}, {}, false, l1, network_of(ways));
    Program stores;
    if (bulk >= 0) {
        stores.add_move({}, {global_address(static_cast<unsigned>(bulk), 1 << 28)}, 1 << 18, ElementType::u8,
            ReduceOp::sum);
        for (unsigned i = 0; i < 8; ++i) system.launch(0, stores, 16);
    }
    std::mt19937 random(seed);
    const std::size_t threads = shape.threads.size();
    std::vector<Program> programs(instances * threads);
    std::vector<std::uint64_t> results(instances * shape.weak.size());
    for (unsigned i = 0; i < instances; ++i) {
        const auto address = [&](unsigned variable) {
            // In a mesh x and y are at slices far from each other.
            const std::uint64_t line =
                ways == Ways::mesh ? std::uint64_t{variable} * instances + i : i * shape.home.size() + variable;
            return global_address(shape.home[variable], line * line_bytes);
        };
        std::uint32_t result = 0;
        for (std::size_t t = 0; t < threads; ++t) {
            Program& program = programs[i * threads + t];
            const std::vector<Access>& accesses = shape.threads[t].accesses;
            for (const Access& access : accesses)
                if (warm && !access.store) program.add_chase(address(access.variable), 1, Scope::unit);
            program.add_compute(random() % 1'500'000);
            for (std::size_t a = 0; a < accesses.size(); ++a) {
                if (a > 0 && fenced) program.add_fence(scope);
                if (accesses[a].store) {
                    program.add_store(address(accesses[a].variable), 1);
                } else {
                    program.add_load(address(accesses[a].variable), result++, warm ? Scope::unit : Scope::system);
                }
            }
        }
    }
    // Units take workgroups in turn. In a mesh the threads of an instance go to units far from each other.
    const unsigned block = ways == Ways::mesh ? 32 : 1;
    for (unsigned first = 0; first < instances; first += block)
        for (std::size_t t = 0; t < threads; ++t)
            for (unsigned i = first; i < std::min(first + block, instances); ++i)
                system.launch(shape.threads[t].gpu, programs[i * threads + t], 1, 1, &results[i * shape.weak.size()]);
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
    return {
        {{0, {write_to(x)}}, {other, {write_to(y)}}, {0, {read_of(x), read_of(y)}}, {other, {read_of(y), read_of(x)}}},
        {other, 0}, {1, 0, 1, 0}};
}

struct Case {
    const char* name;
    Shape shape;
    Scope fence;  // the weakest that forbids the outcome
    unsigned seed;
    int bulk = -1;
    Loads loads = Loads::past_the_l1;
    Ways ways = Ways::crossbar;
};

constexpr Loads warm = Loads::through_a_warm_l1;
const Case cases[] = {{"MessagePassingAcrossGpus", message_passing(true), Scope::system, 1},
    {"MessagePassingAcrossABusyLink", message_passing(true), Scope::system, 1, 1},
    {"StoreBufferingAcrossGpus", store_buffering(true), Scope::system, 2},
    {"LoadBufferingAcrossGpus", load_buffering(true), Scope::system, 3},
    {"IndependentReadsAcrossGpus", independent_reads(true), Scope::system, 4},
    {"MessagePassingInAGpuWithAMesh", message_passing(false), Scope::device, 1, -1, Loads::past_the_l1, Ways::mesh},
    {"StoreBufferingInAGpuWithAMesh", store_buffering(false), Scope::device, 2, -1, Loads::past_the_l1, Ways::mesh},
    {"LoadBufferingInAGpuWithAMesh", load_buffering(false), Scope::device, 3, -1, Loads::past_the_l1, Ways::mesh},
    {"IndependentReadsInAGpuWithAMesh", independent_reads(false), Scope::device, 4, -1, Loads::past_the_l1, Ways::mesh},
    {"MessagePassingInAGpuThroughAWarmL1", message_passing(false), Scope::device, 5, -1, warm},
    {"MessagePassingAcrossGpusThroughAWarmL1", message_passing(true), Scope::system, 5, -1, warm},
    {"StoreBufferingInAGpuThroughAWarmL1", store_buffering(false), Scope::device, 6, -1, warm},
    {"IndependentReadsInAGpuThroughAWarmL1", independent_reads(false), Scope::device, 7, -1, warm}};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

unsigned outcomes_of(const Case& one, bool fenced)
{
    return weak_outcomes(one.shape, fenced, fenced ? one.fence : Scope::unit, one.seed, one.bulk, one.loads, one.ways);
}

class Litmus : public ::testing::TestWithParam<Case> {};

}  // namespace

TEST_P(Litmus, NeverWithItsFences) { EXPECT_EQ(outcomes_of(GetParam(), true), 0u); }
TEST_P(Litmus, SeenWithoutThem) { EXPECT_GT(outcomes_of(GetParam(), false), 0u); }

INSTANTIATE_TEST_SUITE_P(, Litmus, ::testing::ValuesIn(cases), name_of_case);

TEST(LitmusScopes, AFenceForTheDeviceIsNotEnoughAcrossABusyLink)
{
    EXPECT_GT(weak_outcomes(message_passing(true), true, Scope::device, 1, 1), 0u);
}

// Past the L1, a crossbar is stronger than the instruction set promises: its ways are equally long and keep order. That is
// what the model does, and no proof of a fence.
class LitmusOfEqualWays : public ::testing::TestWithParam<Case> {};
TEST_P(LitmusOfEqualWays, CannotShowItWithOrWithoutFences)
{
    for (const bool fenced : {false, true})
        EXPECT_EQ(in_child([&] { return std::to_string(outcomes_of(GetParam(), fenced)); }), "0") << fenced;
}
INSTANTIATE_TEST_SUITE_P(, LitmusOfEqualWays,
    ::testing::Values(Case{"MessagePassing", message_passing(false), Scope::device, 1},
        Case{"StoreBuffering", store_buffering(false), Scope::device, 2, 0},
        Case{"LoadBuffering", load_buffering(false), Scope::device, 3},
        Case{"IndependentReads", independent_reads(false), Scope::device, 4}),
    name_of_case);

}  // namespace litmus_test
