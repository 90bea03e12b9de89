// The scheduled crossbar without contention: every line by itself, to the picosecond.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/endpoint.h"
#include "testbenches/traffic/router_configurations.h"

namespace crossbar_zero_load_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time cycle = 1'000;

unsigned routers_between(const RouterGraph& graph, unsigned from, unsigned to)
{
    const auto of = graph.edges_of();
    std::vector<unsigned> ends(graph.routers, 0);
    for (const unsigned home : graph.home) ++ends[home];
    unsigned router = graph.home[from];
    unsigned count = 1;
    for (; router != graph.home[to]; ++count) {
        const auto& edge = graph.edges[of[router][graph.route(router, to).at(0) - ends[router]]];
        router = edge.a + edge.b - router;
    }
    return count;
}

// A network with endpoints that send what they are told to.
class Bench {
public:
    Bench(const Configuration& configuration, const LinkSpec& link)
        : graph_(configuration.graph), checkers_(event_queue_),
          network_(event_queue_, checkers_, graph_, configuration.options.router, link)
    {
        const auto count = static_cast<unsigned>(graph_.home.size());
        for (unsigned e = 0; e < count; ++e) {
            const std::string name = "e" + std::to_string(e);
            ends_.push_back(std::make_unique<Endpoint>(name.c_str(), event_queue_, name, pool_, e, 1,
                RouteTable(std::vector<std::vector<std::uint16_t>>(count, {0}))));
            network_.connect(e, ends_[e]->out(0), ends_[e]->in(0));
            ends_[e]->output(0).set_credits(network_.space());
        }
    }
    explicit Bench(const Configuration& configuration)
        : Bench(configuration, cycle_link(configuration.options.vcs, configuration.options.depth))
    {
    }

    Endpoint& end(unsigned e) { return *ends_[e]; }
    void run()
    {
        sc_core::sc_start();
        checkers_.finish();
        EXPECT_EQ(checkers_.problems(), 0u);
        EXPECT_EQ(pool_.live(), 0u);
    }

private:
    const RouterGraph& graph_;
    EventQueue event_queue_{"event_queue"};
    LinePool pool_;
    Checkers checkers_;
    RouterNetwork network_;
    std::vector<std::unique_ptr<Endpoint>> ends_;
};

// Every pair of endpoints, one after the other. With 64 bytes a way takes wire and flight to the first router, and for
// each router two clocks (allocation, traversal), wire and flight: 6 + 4 (routers - 1). Without payload there
// is nothing on these wires, since headers take no room: 4 + 3 (routers - 1). Reads go without and come back
// with, writes the other way round.
void expect_law(const Configuration& configuration, Time after_edge)
{
    const auto count = static_cast<unsigned>(configuration.graph.home.size());
    Bench bench(configuration);
    struct Issued {
        LineOp op;
        unsigned to;
        Time at;
    };
    std::vector<Issued> issued;  // by source and tag
    Time at = 10 * cycle + after_edge;
    const Time apart = 200 * cycle;
    for (unsigned from = 0; from < count; ++from)
        for (unsigned to = 0; to < count; ++to, at += apart) {
            const LineOp op = (from + to) % 2 == 0 ? LineOp::read : LineOp::write;
            bench.end(from).issue(at, op, to, 64 * (from + to));
            issued.push_back({op, to, at});
        }
    bench.run();
    const Time wait = (cycle - after_edge) % cycle;
    const auto routers = [&](unsigned from, unsigned to) { return routers_between(configuration.graph, from, to); };
    const auto with_line = [](unsigned passed) { return (6 + 4 * (passed - 1)) * cycle; };
    const auto without = [](unsigned passed) { return (4 + 3 * (passed - 1)) * cycle; };
    unsigned seen = 0;
    for (unsigned e = 0; e < count; ++e) {
        for (const Endpoint::Record& record : bench.end(e).answered) {
            const Issued& line = issued[std::size_t{e} * count + record.tag];
            const unsigned passed = routers(e, line.to);
            EXPECT_EQ(record.at - line.at, wait + with_line(passed) + without(passed)) << e << " to " << line.to;
        }
        for (const Endpoint::Record& record : bench.end(e).served) {
            const Issued& line = issued[std::size_t{record.source} * count + record.tag];
            ASSERT_EQ(line.to, e);
            const unsigned passed = routers(record.source, e);
            EXPECT_EQ(record.at - line.at, wait + (line.op == LineOp::write ? with_line(passed) : without(passed)))
                << record.source << " to " << e;
            ++seen;
        }
    }
    EXPECT_EQ(seen, count * count);
}

// One line through one switch, with this router.
Time single_passage(const SwitchSpec& router)
{
    Configuration configuration = saturated_switch(2, QueueKind::voq, AllocatorKind::islip, 1);
    configuration.options.router = router;
    return std::stoull(in_child([&] {
        Bench bench(configuration);
        bench.end(0).issue(0, LineOp::write, 1, 0);
        bench.run();
        return std::to_string(bench.end(1).served.at(0).at);
    }));
}

SwitchSpec plain_router()
{
    SwitchSpec router;
    router.latency = router.clock = router.traversal = cycle;
    return router;
}

// Time between deliveries of a long backlog from endpoint 0 to endpoint 1 of a chain of two routers.
Time mean_spacing(const SwitchSpec& router, unsigned depth, unsigned window)
{
    Configuration configuration;
    configuration.graph.routers = 2;
    configuration.graph.edges = {{0, 1}};
    configuration.graph.home = {0, 1};
    configuration.graph.route = [](unsigned r, unsigned d) {
        return std::vector<std::uint16_t>{static_cast<std::uint16_t>(r == d ? 0 : 1)};
    };
    configuration.options.router = router;
    configuration.options.vcs = 1;
    configuration.options.depth = depth;
    return std::stoull(in_child([&] {
        Bench bench(configuration);
        for (unsigned i = 0; i < 200; ++i) bench.end(0).issue(0, LineOp::write, 1, 64 * i);
        bench.run();
        const auto& served = bench.end(1).served;
        for (unsigned i = 50; i + window < 150; ++i)
            EXPECT_EQ(served.at(i + window).at - served.at(i).at, served.at(50 + window).at - served.at(50).at);
        return std::to_string(served.at(50 + window).at - served.at(50).at);
    }));
}

}  // namespace

TEST(CrossbarZeroLoad, MeshIsFourClocksAHop) { expect_law(mesh_of_64(), 0); }
TEST(CrossbarZeroLoad, MeshWithOneChannelIsFourClocksAHop) { expect_law(mesh_of_64_single_channel(), 0); }
TEST(CrossbarZeroLoad, FatTreeIsFourClocksAHop) { expect_law(tree_of_64(), 0); }
TEST(CrossbarZeroLoad, LinesBetweenEdgesWaitForTheNext) { expect_law(mesh_of_64(), 300); }

TEST(CrossbarZeroLoad, EveryDelayCountsOnce)
{
    SwitchSpec router = plain_router();
    EXPECT_EQ(single_passage(router), 6 * cycle);
    router.latency = 3 * cycle;
    EXPECT_EQ(single_passage(router), 8 * cycle);
    router.traversal = 5 * cycle;
    EXPECT_EQ(single_passage(router), 12 * cycle);
    router.traversal = 300;
    EXPECT_EQ(single_passage(router), 7 * cycle + 300);
    router = plain_router();
    router.vc_stage = VcStage::separate;
    EXPECT_EQ(single_passage(router), 6 * cycle);
    // There after 2 ns, may take part after 3 ns, next edge of a clock of 5 ns; and 1 + 2 ns to the end.
    router = plain_router();
    router.clock = 5 * cycle;
    EXPECT_EQ(single_passage(router), 8 * cycle);
}

// A line may take part from the first edge that is not before its arrival and the latency, however many clocks that is
// away and whatever the clock: there at 2 ns, and the wire and its flight behind the match.
TEST(CrossbarZeroLoad, TheFirstEdgeIsExactForAnyClockAndDistance)
{
    for (const Time clock : {Time{333}, Time{1'000}, Time{2'001}, Time{1'000'000'000}})
        for (const Time clocks : {1U, 2U, 6U, 7U, 8U, 9U, 20U})
            for (const int beside : {-1, 0, 1}) {
                const Time ready = clocks * clock + static_cast<Time>(static_cast<std::int64_t>(beside));
                if (ready <= 2 * cycle) continue;
                SwitchSpec router = plain_router();
                router.clock = clock;
                router.latency = ready - 2 * cycle;
                const Time edge = (ready + clock - 1) / clock * clock;
                EXPECT_EQ(single_passage(router), edge + router.traversal + 2 * cycle) << clock << ' ' << ready;
            }
}

// Lines of every input come at one edge, more than have room in the list of an edge at first, and leave one a clock by one output.
TEST(CrossbarZeroLoad, ManyLinesOfOneEdgeLeaveOneAClock)
{
    constexpr unsigned count = 24;
    Bench bench(saturated_switch(count, QueueKind::voq, AllocatorKind::islip, 1));
    for (unsigned e = 1; e < count; ++e) bench.end(e).issue(0, LineOp::write, 0, 64 * e);
    bench.run();
    const auto& served = bench.end(0).served;
    ASSERT_EQ(served.size(), count - 1);
    for (unsigned i = 1; i < served.size(); ++i) EXPECT_EQ(served[i].at, served[0].at + i * cycle);
}

// A slot of the next buffer is taken at the match; traversal, wire and flight, a clock to the match there, the
// credit's flight and its delay later it can be taken again.
TEST(CrossbarZeroLoad, ThroughputIsCreditsOverTheirRoundTrip)
{
    SwitchSpec router = plain_router();
    for (const Time delay : {1, 3, 7}) {
        router.credit_delay = delay * cycle;
        for (const unsigned depth : {1U, 2U, 4U}) {
            const Time round_trip = (5 + delay) * cycle;
            EXPECT_EQ(mean_spacing(router, depth, depth), std::max(round_trip, depth * cycle)) << delay << ' ' << depth;
        }
    }
    EXPECT_EQ(mean_spacing(router, 16, 1), cycle);
    router.traversal = 3 * cycle;
    EXPECT_EQ(mean_spacing(router, 4, 4), 14 * cycle);
}

// A channel is held from the clock in which it is won to the end of the next.
TEST(CrossbarZeroLoad, SeparateAllocationOfOneChannelHalvesTheRate)
{
    SwitchSpec router = plain_router();
    EXPECT_EQ(mean_spacing(router, 32, 1), cycle);
    router.vc_stage = VcStage::separate;
    EXPECT_EQ(mean_spacing(router, 32, 1), 2 * cycle);
}

// Reads (control) of one source and writes (data) of another go to one endpoint.
TEST(CrossbarZeroLoad, WeightsShareAnOutput)
{
    const auto reads_of_first_400 = [](AllocatorKind allocator, unsigned control, unsigned data) {
        Configuration configuration = saturated_switch(3, QueueKind::voq, allocator, 1);
        configuration.options.router.control_weight = control;
        configuration.options.router.data_weight = data;
        return std::stoul(in_child([&] {
            LinkSpec link = cycle_link(1, 16);
            link.vcs = RequestVcs::split;
            Bench bench(configuration, link);
            for (unsigned i = 0; i < 400; ++i) {
                bench.end(1).issue(0, LineOp::read, 0, 64 * i);
                bench.end(2).issue(0, LineOp::write, 0, 64 * i);
            }
            bench.run();
            unsigned reads = 0;
            for (unsigned i = 0; i < 400; ++i) reads += bench.end(0).served.at(i).source == 1;
            return std::to_string(reads);
        }));
    };
    EXPECT_EQ(reads_of_first_400(AllocatorKind::islip, 3, 1), 200u);
    EXPECT_NEAR(reads_of_first_400(AllocatorKind::weighted, 3, 1), 300, 1);
    EXPECT_NEAR(reads_of_first_400(AllocatorKind::weighted, 1, 4), 80, 1);
}

}  // namespace crossbar_zero_load_test
