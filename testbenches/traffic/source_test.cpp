// Sources under open-loop traffic: what they offer, and what theory says of the queues that they fill.
#include <cmath>

#include <gtest/gtest.h>

#include "testbenches/traffic/router_configurations.h"

namespace source_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time cycle = 1'000;
constexpr double wire = 64e9;  // B/s

Configuration star(unsigned endpoints, PatternKind kind = PatternKind::nearest_neighbour)
{
    return saturated_switch(endpoints, QueueKind::voq, AllocatorKind::islip, 1).pattern(kind);
}

Configuration many_to_one(unsigned sources, double load_of_all)
{
    Configuration out = star(sources + 1, PatternKind::incast).at(load_of_all / sources);
    out.options.traffic.duration = 100'000 * cycle;
    return out;
}

}  // namespace

// Every source has its output for itself: what arrives is what was offered. 16 sources, 10,000 slots counted.
TEST(Source, OffersWhatIsAsked)
{
    for (const double load : {0.02, 0.3, 0.77, 1.0}) {
        const NetworkResult result = run_apart(star(16).at(load));
        EXPECT_NEAR(result.load, load, 4 * std::sqrt(load * (1 - load) / 160'000) + 1e-4) << load;
        EXPECT_EQ(result.latency.max, 5u * cycle);  // nobody in the way: wire and flight, a clock, wire and flight
        EXPECT_EQ(result.cycles, 5);
        EXPECT_EQ(result.left, 0u);
    }
}

// A message of m lines begins with chance load / m, and its lines wait for one another and for those before.
TEST(Source, OffersWhatIsAskedInMessagesToo)
{
    for (const std::uint32_t lines : {4U, 16U}) {
        Configuration configuration = star(16).at(0.4);
        configuration.options.traffic.message = lines;
        const NetworkResult result = run_apart(configuration);
        EXPECT_NEAR(result.load, 0.4, 4 * std::sqrt(0.4 * lines / 160'000)) << lines;
        EXPECT_GT(result.cycles, 5 + (lines - 1) / 2.0);
    }
}

// Bursts have the mean load of single slots, come without gaps (so that a source alone does not queue), and
// fill a shared output's queue more the longer they are.
TEST(Source, BurstsHaveTheSameMeanAndLongerQueues)
{
    double last = 0;
    for (const double burst : {0.0, 4.0, 16.0}) {
        SCOPED_TRACE(burst);
        Configuration alone = star(16).at(0.3);
        alone.options.traffic.burst = burst;
        const NetworkResult result = run_apart(alone);
        // Of bursts of mean b, geometric, the count varies 2 b as much.
        EXPECT_NEAR(result.load, 0.3, 4 * std::sqrt(0.3 * 2 * std::max(1.0, burst) / 160'000));
        EXPECT_EQ(result.latency.max, 5u * cycle);
        Configuration shared = many_to_one(4, 0.7);
        shared.options.traffic.burst = burst;
        const double cycles = run_apart(shared).cycles;
        EXPECT_GT(cycles, last + 1);
        last = cycles;
    }
}

// n sources, each with chance load / n in a slot, one output of a line a slot: a queue whose mean wait is
// (n - 1) / n load / (2 (1 - load)) slots [Karol 1987]; for ever more sources that of M/D/1.
TEST(Source, WaitsForASharedOutputAsTheorySays)
{
    for (const unsigned n : {2U, 15U, 60U})
        for (const double load : {0.3, 0.6, 0.8}) {
            SCOPED_TRACE(std::to_string(n) + " sources at " + std::to_string(load));
            const NetworkResult result = run_apart(many_to_one(n, load));
            const double expected = (n - 1.0) / n * load / (2 * (1 - load));
            const double interval = result.latency.half_width / cycle;
            EXPECT_NEAR(result.cycles - 5, expected, 2 * interval);
            EXPECT_LT(interval, 0.1 * expected);
            EXPECT_EQ(result.problems, 0u);
        }
}

// Two sources that both send all the time share one output: a half each, to the line.
TEST(Source, TwoAtABottleneckGetAHalfEach)
{
    const NetworkResult result = run_apart(many_to_one(2, 2));
    ASSERT_EQ(result.latency.by_source.size(), 3u);
    const double line = 64 / (50'000 * cycle * 1e-12);  // B/s, one line more or less
    EXPECT_NEAR(result.latency.by_source[1], 0.5 * wire, line);
    EXPECT_NEAR(result.latency.by_source[2], 0.5 * wire, line);
    EXPECT_NEAR(jain_index({result.latency.by_source[1], result.latency.by_source[2]}), 1, 1e-8);
}

// The sources of a symmetric pattern at saturation get the same.
TEST(Source, SymmetryIsFair)
{
    const NetworkResult result = run_apart(star(8, PatternKind::uniform).at(1));
    EXPECT_GT(jain_index(result.latency.by_source), 0.9999);
}

}  // namespace source_test
