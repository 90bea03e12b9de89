// Parameters of the scheduled crossbar under load: each moves what it should, the way it should.
#include <gtest/gtest.h>

#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/traffic/router_configurations.h"

namespace crossbar_knobs_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time cycle = 1'000;

NetworkResult saturated(unsigned n, QueueKind queues, AllocatorKind allocator, unsigned iterations, double load = 1)
{
    return run_apart(saturated_switch(n, queues, allocator, iterations).at(load));
}

// Routers in a row with an endpoint each; all send to endpoint 0.
Configuration parking_lot(unsigned length, AllocatorKind allocator)
{
    Configuration out = saturated_switch(length, QueueKind::voq, allocator, 1);
    out.graph = {};
    out.graph.routers = length;
    for (unsigned r = 0; r < length; ++r) {
        out.graph.home.push_back(r);
        if (r > 0) out.graph.edges.push_back({r - 1, r});
    }
    // Ports: the endpoint, then the neighbour before, then the one behind.
    out.graph.route = [](unsigned r, unsigned d) {
        return std::vector<std::uint16_t>{static_cast<std::uint16_t>(r == d ? 0 : d < r || r == 0 ? 1 : 2)};
    };
    out.options.depth = 16;
    return out.pattern(PatternKind::incast).at(0.9);
}

// A ring in which all lines go the same way round, half of it, and nothing breaks the circle of waiting.
Configuration ring_that_deadlocks()
{
    constexpr unsigned length = 6;
    Configuration out = saturated_switch(length, QueueKind::channel, AllocatorKind::islip, 1);
    out.graph = {};
    out.graph.routers = length;
    for (unsigned r = 0; r < length; ++r) {
        out.graph.home.push_back(r);
        out.graph.edges.push_back({r, (r + 1) % length});
    }
    // Edge r joins r and r + 1. Router 0 has the edges 0, 5 in this order, router r has r - 1, r.
    out.graph.route = [](unsigned r, unsigned d) {
        return std::vector<std::uint16_t>{static_cast<std::uint16_t>(r == d ? 0 : r == 0 ? 1 : 2)};
    };
    out.options.depth = 2;
    out.options.checkers = false;  // it would complain of what is never consumed
    out.options.traffic.duration = 2'000 * cycle;
    return out.pattern(PatternKind::tornado);
}

}  // namespace

TEST(CrossbarKnobs, QueuesFromWorstToBest)
{
    const auto throughput = [](QueueKind queues) {
        Configuration configuration = saturated_switch(16, queues, AllocatorKind::islip, 4);
        configuration.options.vcs = 4;
        configuration.options.traffic.duration = test::by_default(8'000, 20'000) * cycle;
        return run_apart(configuration).load;
    };
    const double fifo = throughput(QueueKind::fifo);
    const double channel = throughput(QueueKind::channel);
    const double voq = throughput(QueueKind::voq);
    EXPECT_LT(fifo, 0.62);
    EXPECT_GT(channel, fifo + 0.1);
    EXPECT_GT(voq, channel + 0.05);
}

TEST(CrossbarKnobs, IterationsShortenTheWait)
{
    const double one = saturated(16, QueueKind::voq, AllocatorKind::islip, 1, 0.9).cycles;
    const double two = saturated(16, QueueKind::voq, AllocatorKind::islip, 2, 0.9).cycles;
    const double four = saturated(16, QueueKind::voq, AllocatorKind::islip, 4, 0.9).cycles;
    EXPECT_LT(two, 0.5 * one);
    EXPECT_LT(four, 0.7 * two);
}

// Output pointers that move with every grant fall into step; those that wait for the match do not.
TEST(CrossbarKnobs, PointersThatMoveWithEveryGrantStayInStep)
{
    EXPECT_LT(saturated(16, QueueKind::voq, AllocatorKind::round_robin, 1).load, 0.65);
    EXPECT_GT(saturated(16, QueueKind::voq, AllocatorKind::islip, 1).load, 0.97);
    if (!test::thorough()) return;
    EXPECT_GT(saturated(16, QueueKind::voq, AllocatorKind::input_first, 1).load, 0.97);
}

// An endless backlog at every source: fair at each router halves the share with every hop, age shares evenly.
TEST(CrossbarKnobs, AgeIsFairAlongAChain)
{
    const NetworkResult local = run_apart(parking_lot(5, AllocatorKind::islip));
    const NetworkResult aged = run_apart(parking_lot(5, AllocatorKind::age));
    const double full = 64e9;
    const double halves[] = {0, 0.5, 0.25, 0.125, 0.125};
    ASSERT_EQ(local.latency.by_source.size(), 5u);
    ASSERT_EQ(aged.latency.by_source.size(), 5u);
    for (unsigned source = 1; source < 5; ++source) {
        EXPECT_NEAR(local.latency.by_source[source] / full, halves[source], 0.002) << source;
        EXPECT_NEAR(aged.latency.by_source[source] / full, 0.25, 0.01) << source;
    }
}

// A crossbar at twice the wire's rate lets a second line of an input pass while the first is on the wire.
TEST(CrossbarKnobs, SpeedUpRelievesTheHeadOfLine)
{
    Configuration fast = saturated_switch(16, QueueKind::fifo, AllocatorKind::islip, 1);
    const double one = run_apart(fast).load;
    fast.options.router.clock = fast.options.router.transfer = 500;
    fast.options.router.output_buffer = 1;
    const double shallow = run_apart(fast).load;
    fast.options.router.output_buffer = 64;
    const double two = run_apart(fast).load;
    EXPECT_NEAR(one, 0.602, 0.005);
    EXPECT_GT(shallow, one);
    EXPECT_GT(two, shallow);
    EXPECT_GT(two, 0.95);
}

TEST(CrossbarKnobs, SecondCrossbarInputRaisesTheMeshesThroughput)
{
    Configuration configuration = mesh_of_64().at(0.48);
    configuration.options.traffic.duration = test::by_default(2'000, 5'000) * cycle;
    const double two = run_apart(configuration).load;
    configuration.options.router.input_speedup = 1;
    const double one = run_apart(configuration).load;
    EXPECT_GT(two, 1.03 * one);
}

// Four channels of 8 lines cover the round trip of a credit several times, of 2 lines once (8 clocks).
TEST(CrossbarKnobs, DepthAndCreditDelayBoundTheMesh)
{
    Configuration configuration = mesh_of_64().at(0.4);
    configuration.options.traffic.duration = test::by_default(2'000, 5'000) * cycle;
    const NetworkResult deep = run_apart(configuration);
    configuration.options.depth = 2;
    const NetworkResult shallow = run_apart(configuration);
    configuration.options.router.credit_delay = 11 * cycle;
    const NetworkResult late = run_apart(configuration);
    EXPECT_GT(shallow.cycles, 1.1 * deep.cycles);
    EXPECT_LT(shallow.load, 0.95 * deep.load);
    EXPECT_LT(late.load, 0.8 * shallow.load);
}

TEST(CrossbarKnobs, SameSeedSameRunAndAnotherSeedAnother)
{
    Configuration configuration = mesh_of_64().at(0.3);
    configuration.options.traffic.duration = test::by_default(1'000, 3'000) * cycle;
    const NetworkResult first = run_apart(configuration);
    const NetworkResult again = run_apart(configuration);
    configuration.options.checkers = false;
    const NetworkResult unwatched = run_apart(configuration);
    EXPECT_EQ(first.latency.mean, again.latency.mean);
    EXPECT_EQ(first.latency.max, again.latency.max);
    EXPECT_EQ(first.hops, again.hops);
    EXPECT_EQ(first.refused, again.refused);
    EXPECT_EQ(first.latency.mean, unwatched.latency.mean);
    EXPECT_EQ(first.hops, unwatched.hops);
    configuration.options.traffic.seed = 8;
    EXPECT_NE(run_apart(configuration).hops, first.hops);
}

TEST(CrossbarKnobs, RefusedRequestsAreCounted)
{
    // One source: nobody is in its way. Two: one of them waits in every clock in which both ask.
    const auto run = [](unsigned sources) {
        Configuration configuration = saturated_switch(4, QueueKind::voq, AllocatorKind::islip, 1);
        configuration.options.traffic.pattern.sources = sources;
        return run_apart(configuration.pattern(PatternKind::incast));
    };
    const NetworkResult alone = run(1);
    EXPECT_EQ(alone.refused, 0);
    EXPECT_EQ(alone.matchings, static_cast<double>(alone.hops));
    const NetworkResult both = run(2);
    EXPECT_EQ(both.matchings, static_cast<double>(both.hops));
    EXPECT_NEAR(both.refused, both.matchings, 0.01 * both.matchings);
}

TEST(CrossbarKnobs, ADeadlockedRingSaysWhoWaitsForWhat)
{
    const Configuration configuration = ring_that_deadlocks();
    const NetworkResult result = run_network(configuration.graph, configuration.options);
    EXPECT_GT(result.left, 0u);
    ASSERT_GE(result.blocked.size(), 6u);
    unsigned round = 0;
    for (const std::string& text : result.blocked) {
        SCOPED_TRACE(text);
        EXPECT_EQ(text.front(), 'r');
        EXPECT_NE(text.find(" input "), std::string::npos);
        EXPECT_NE(text.find("request"), std::string::npos);
        EXPECT_NE(text.find(" of output "), std::string::npos);
        round += text.find("of output 0") == std::string::npos;
    }
    EXPECT_GE(round, 6u);
}

TEST(CrossbarKnobs, TooManyInputsAreRefused)
{
    const auto refusal = [](unsigned ports, unsigned speedup) {
        return in_child([&]() -> std::string {
            EventQueue event_queue("event_queue");
            SwitchSpec spec;
            spec.input_speedup = speedup;
            try {
                const CrossbarSwitch made("r", event_queue, "r", spec, ports,
                    RouteTable(std::vector<std::vector<std::uint16_t>>{}));
            } catch (const InputError& error) {
                return error.what();
            }
            return "accepted";
        });
    };
    EXPECT_EQ(refusal(64, 1), "accepted");
    EXPECT_EQ(refusal(32, 2), "accepted");
    EXPECT_NE(refusal(65, 1).find("a crossbar with 65 inputs; expected at most 64"), std::string::npos)
        << refusal(65, 1);
    EXPECT_NE(refusal(33, 2).find("a crossbar with 66 inputs"), std::string::npos);
}

}  // namespace crossbar_knobs_test
