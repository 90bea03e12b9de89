// Figures that ASTRA-sim 2.0 prints for its analytical network, under its assumptions: whole messages, a reduction is three
// passes over the local memory, times in whole nanoseconds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>

#include "collectives/flow/programs/rank_writers.h"
#include "testbenches/flow/astra_assumptions.h"
#include "testbenches/flow/flow_bench.h"

namespace astra_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr double bytes_per_ns = 50.0 * (1 << 30) / 1e9;  // of a link: its GB is 2^30
constexpr std::uint32_t splits = 4;

// Directed ring, or the same through a switch.
struct Network {
    explicit Network(std::uint32_t n, bool through_switch)
    {
        for (std::uint32_t rank = 0; rank < n; ++rank) {
            links.push_back({"up", 1000 / bytes_per_ns, 0, -1});
            if (through_switch) links.push_back({"down", 1000 / bytes_per_ns, 0, -1});
        }
        ranks = astra_ranks(n);
        source = [through_switch](std::uint32_t from, std::uint32_t to) -> CostPath {
            if (through_switch)
                return {{{0, {{2 * from, 1}}}, {astra_link_ps, {{2 * to + 1, 1}}}}, 2 * astra_link_ps, 0, true};
            return {{{0, {{from, 1}}}}, astra_link_ps, 0, true};
        };
    }

    std::vector<CostLink> links;
    FlowRanks ranks;
    PathBook::Source source;
};

std::uint64_t ring_ns(std::uint32_t n, bool through_switch, bool store_and_forward, std::uint64_t bytes = 1 << 20)
{
    Network network(n, through_switch);
    PathBook book(network.links, network.source);
    FlowProfile profile = astra_assumptions();
    profile.links.store_and_forward = store_and_forward;
    // Small ones by the schedule, large ones a rank at a time.
    const auto program =
        std::make_shared<FlowProgram>(n < 200 ? program_of(make_schedule("ring", CollectiveOp::all_reduce, n, {}))
                                              : program_for_all("ring", CollectiveOp::all_reduce, n, {}));
    const FlowTime time = play(program, network.ranks, book, {bytes / splits, 1}, profile, splits);
    EXPECT_EQ(time.messages, std::uint64_t{2} * splits * n * (n - 1));
    EXPECT_EQ(time.left, splits * n);
    return time.end_ps / 1000;
}

// The closed form that reproduces what ASTRA-sim prints.
std::uint64_t formula_ns(std::uint32_t n, std::uint64_t hop)
{
    const double message = (1 << 20) / (static_cast<double>(n) * splits);
    const auto memory = static_cast<std::uint64_t>(message / astra_memory_bytes_per_ns);
    return splits * ((n - 1) * (2 * (hop + astra_endpoint_ps / 1000) + 3 * memory) + astra_endpoint_ps / 1000);
}

std::uint64_t wire_ns(std::uint32_t n)
{
    return static_cast<std::uint64_t>(500 + (1 << 20) / (static_cast<double>(n) * splits) / bytes_per_ns);
}

}  // namespace

TEST(AstraSim, RingOf64IsItsFigureToTheNanosecond)
{
    EXPECT_EQ(ring_ns(64, false, false), 296'896U);
    EXPECT_EQ(formula_ns(64, wire_ns(64)), 296'896U);
}

TEST(AstraSim, RingsThroughASwitchAreItsFiguresToTheNanosecond)
{
    EXPECT_EQ(ring_ns(64, true, true), 587'200U);
    EXPECT_EQ(formula_ns(64, 2 * wire_ns(64)), 587'200U);
}

TEST(AstraSim, RingsOfOtherSizesAreTheFormulaToTheNanosecond)
{
    for (const std::uint32_t n : {2U, 3U, 4U, 8U, 16U, 33U, 100U}) {
        EXPECT_EQ(ring_ns(n, false, false), formula_ns(n, wire_ns(n))) << n;
        EXPECT_EQ(ring_ns(n, true, true), formula_ns(n, 2 * wire_ns(n))) << n;
    }
    EXPECT_EQ(ring_ns(8, false, false), 64'440U);
    EXPECT_EQ(ring_ns(16, false, false), 99'640U);
}

TEST(AstraSim, RingsOf256AreItsFiguresToTheNanosecond)
{
    EXPECT_EQ(ring_ns(256, false, false), 1'079'200U);
    EXPECT_EQ(ring_ns(256, true, true), 2'137'960U);
}

TEST(AstraSim, RingsOf64MegabytesAreItsFiguresToTheNanosecond)
{
    EXPECT_EQ(ring_ns(64, false, false, 64 << 20), 2'840'836U);
    EXPECT_EQ(ring_ns(256, false, false, 64 << 20), 3'651'640U);
}

// 8.4 million messages, which take ASTRA-sim 2.0 11 s and 365 MB.
TEST(AstraSim, RingOf1024IsItsFigureToTheNanosecond)
{
    const std::clock_t begun = std::clock();
    EXPECT_EQ(ring_ns(1024, false, false), 4'206'616U);
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    std::printf("8.4 million messages in %.2f s of processor time\n", seconds);
}

}  // namespace astra_test
