// Latency and throughput of the scheduled crossbar in networks whose figures are published.
#include <gtest/gtest.h>

#include "testbenches/support/thorough.h"
#include "testbenches/traffic/router_configurations.h"

namespace router_network_test {

using namespace weft;
using namespace weft::testing;

namespace {

void expect_clean(const NetworkResult& result)
{
    EXPECT_EQ(result.problems, 0u);
    EXPECT_EQ(result.left, 0u);
}

// A point of a published curve: mean latency in cycles.
struct Point {
    double load;
    double cycles;
};

void expect_latency(Configuration configuration, const Point& point)
{
    SCOPED_TRACE("load " + std::to_string(point.load));
    const NetworkResult result = run_apart(configuration.at(point.load));
    expect_clean(result);
    EXPECT_NEAR(result.cycles, point.cycles, 0.03 * point.cycles);
    EXPECT_NEAR(result.load, point.load, 0.01 * point.load + 0.0005);
}

// The highest of the rates that are accepted around the knee.
double saturation(Configuration configuration, std::initializer_list<double> loads)
{
    double best = 0;
    for (const double load : loads) {
        const NetworkResult result = run_apart(configuration.at(load));
        expect_clean(result);
        best = std::max(best, result.load);
    }
    return best;
}

}  // namespace

// Published: 26.62, 27.22, 27.74, 28.87, 32.64 cycles; about 0.41 is nine tenths of saturation.
TEST(RouterNetwork, MeshFollowsThePublishedCurve)
{
    for (const Point point : {Point{0.001, 26.62}, {0.1, 27.22}, {0.2, 27.74}, {0.3, 28.87}, {0.4, 32.64}}) {
        // By default the ends of the curve: no load, and near saturation.
        if (!weft::test::thorough() && point.load > 0.001 && point.load < 0.4) continue;
        expect_latency(mesh_of_64(), point);
    }
}

TEST(RouterNetwork, MeshJustBelowSaturation)
{
    for (const Point point : {Point{0.42, 34.83}}) expect_latency(mesh_of_64(), point);
}

// Published: 0.454 to 0.459 lines per node and cycle.
TEST(RouterNetwork, MeshSaturatesWhereItShould)
{
    EXPECT_NEAR(saturation(mesh_of_64(), {0.46, 0.48, 0.5}), 0.4565, 0.03 * 0.4565);
}

TEST(RouterNetwork, MeshCarriesPermutations)
{
    struct Case {
        PatternKind kind;
        double cycles;
        double routers;
    };
    for (const Case& c : {Case{PatternKind::transpose, 27.47, 6.25}, {PatternKind::bit_complement, 38.54, 9},
             {PatternKind::nearest_neighbour, 19.96, 4.5}, {PatternKind::tornado, 36.39, 8.5}}) {
        if (!weft::test::thorough() && c.routers > 7) continue;  // by default the two with the shorter ways
        SCOPED_TRACE(pattern_names()[static_cast<std::size_t>(c.kind)]);
        const NetworkResult result = run_apart(mesh_of_64().pattern(c.kind).at(0.1));
        expect_clean(result);
        EXPECT_NEAR(result.cycles, c.cycles, 0.01 * c.cycles);
        EXPECT_NEAR(result.routers_passed, c.routers, 0.01);
    }
}

// Published: 26.64, 28.73; saturation between 0.19 and 0.198.
TEST(RouterNetwork, MeshWithOneChannelFollowsThePublishedCurve)
{
    for (const Point point : {Point{0.001, 26.64}, {0.1, 28.73}}) expect_latency(mesh_of_64_single_channel(), point);
    EXPECT_NEAR(saturation(mesh_of_64_single_channel(), {0.19, 0.2, 0.3}), 0.194, 0.03 * 0.194);
}

// Published: 19.56, 19.70, 20.49, 23.04, 27.73 cycles; 0.66 is nine tenths of saturation.
TEST(RouterNetwork, FatTreeFollowsThePublishedCurve)
{
    for (const Point point : {Point{0.001, 19.56}, {0.1, 19.70}, {0.3, 20.49}, {0.5, 23.04}, {0.6, 27.73}})
        expect_latency(tree_of_64(), point);
}

// Published: 0.73 to 0.738.
TEST(RouterNetwork, FatTreeSaturatesWhereItShould)
{
    EXPECT_NEAR(saturation(tree_of_64(), {0.74, 0.8}), 0.734, 0.03 * 0.734);
}

// One line waits at the head of each input for an output drawn at random. Saturated throughput: 0.6553 for 4 inputs,
// 0.6184 for 8 (the Markov chain of heads), 2 - sqrt(2) = 0.5858 for ever more [Karol 1987]; the distance to that
// falls as about 0.26 / n.
TEST(RouterNetwork, OneQueuePerInputIsLimitedByItsHead)
{
    const auto throughput = [](unsigned n) {
        const NetworkResult result = run_apart(saturated_switch(n, QueueKind::fifo, AllocatorKind::islip, 1));
        expect_clean(result);
        return result.load;
    };
    // 20,000 clocks, the latter half counted, of n outputs that are busy with chance 0.6 or so: a standard error
    // of 0.5 / sqrt(10,000 n), times two or three because neighbours in time are alike.
    const double four = throughput(4);
    const double eight = throughput(8);
    const double sixteen = throughput(16);
    EXPECT_NEAR(four, 0.6553, 0.005);
    EXPECT_NEAR(eight, 0.6184, 0.004);
    EXPECT_NEAR(sixteen, 0.5858 + 0.26 / 16, 0.003);
    EXPECT_GT(four, eight);
    EXPECT_GT(eight, sixteen);
    if (!weft::test::thorough()) return;
    const double many = throughput(64);
    EXPECT_NEAR(many, 0.5858 + 0.26 / 64, 0.002);
    EXPECT_GT(sixteen, many);
}

TEST(RouterNetwork, QueuesByOutputReachFullThroughput)
{
    for (const unsigned n : {4U, 16U}) {
        const NetworkResult result = run_apart(saturated_switch(n, QueueKind::voq, AllocatorKind::islip, 1));
        expect_clean(result);
        EXPECT_GT(result.load, 0.975) << n;
    }
    EXPECT_GT(run_apart(saturated_switch(32, QueueKind::voq, AllocatorKind::islip, 4)).load, 0.985);
}

// A load that is admitted is carried: the limit is the sources' chance in a finite run, not the matching.
TEST(RouterNetwork, QueuesByOutputCarryEveryLoadBelowOne)
{
    for (const double load : {0.5, 0.9}) {
        const NetworkResult result = run_apart(saturated_switch(16, QueueKind::voq, AllocatorKind::islip, 4).at(load));
        EXPECT_NEAR(result.load, load, 0.005);
        expect_clean(result);
    }
}

}  // namespace router_network_test
