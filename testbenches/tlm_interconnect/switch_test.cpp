#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"

namespace switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

Time wire_time(const LinkSpec& spec, std::uint64_t bytes) { return bytes * 1'000'000'000'000 / spec.bandwidth; }

// e0 - s0 - s1 - e1, and e2 - s1
Fabric two_switches()
{
    Fabric fabric;
    fabric.endpoints = 3;
    fabric.nodes = {{"s0", -1, true}, {"s1", -1, true}, {"e0", 0, false}, {"e1", 1, false}, {"e2", 2, false}};
    fabric.edges = {{2, 0, 25'000'000'000}, {0, 1, 25'000'000'000}, {1, 3, 25'000'000'000}, {1, 4, 25'000'000'000}};
    return fabric;
}

}  // namespace

TEST(Switch, ZeroLoadReadIsTheSumOfItsParts)
{
    FabricSystem::Options options;
    options.service = 7;
    FabricSystem system(star(2), options);
    system.endpoints[0]->issue(0, LineOp::read, 1, 0);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& link = options.link;
    const Time one_way = 2 * link.latency + options.switches.latency;
    EXPECT_EQ(system.endpoints[1]->served[0].at, 2 * wire_time(link, 16) + one_way);
    EXPECT_EQ(system.endpoints[0]->answered[0].at,
        2 * wire_time(link, 16) + one_way + 7 + 2 * wire_time(link, 80) + one_way);
}

TEST(Switch, ItsLatencyMovesEveryPassage)
{
    const auto run = [](Time latency) {
        return std::stoull(in_child([latency] {
            FabricSystem::Options options;
            options.switches.latency = latency;
            FabricSystem system(two_switches(), options);
            system.endpoints[0]->issue(0, LineOp::read, 1, 0);
            sc_core::sc_start();
            system.expect_clean();
            return std::to_string(system.endpoints[0]->answered[0].at);
        }));
    };
    EXPECT_EQ(run(100'001), run(100'000) + 4);  // two switches, both ways
}

TEST(Switch, ContendingInputsTakeTurns)
{
    FabricSystem::Options options;
    FabricSystem system(star(5), options);
    constexpr unsigned lines = 100;
    for (unsigned e = 1; e < 5; ++e)
        for (unsigned i = 0; i < lines; ++i) system.endpoints[e]->issue(0, LineOp::write, 0, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const auto& served = system.endpoints[0]->served;
    ASSERT_EQ(served.size(), 4 * lines);
    for (unsigned i = 0; i < served.size(); ++i) {
        ASSERT_EQ(served[i].source, 1 + i % 4) << i;  // the tie rule: lowest input first, then round robin
        ASSERT_EQ(served[i].tag, i / 4) << i;
        ASSERT_EQ(served[i].at - served[0].at, i * wire_time(options.link, 80)) << i;
    }
}

TEST(Switch, ClassesAlternateAtAnOutput)
{
    // e1 asks e2 to read (answers towards e1 are long), e0 writes to e1 (requests towards e1).
    FabricSystem::Options options;
    FabricSystem system(star(3), options);
    constexpr unsigned lines = 300;
    for (unsigned i = 0; i < lines; ++i) {
        system.endpoints[1]->issue(0, LineOp::read, 2, 64 * i);
        system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    }
    sc_core::sc_start();
    system.expect_clean();
    const auto& answers = system.endpoints[1]->answered;
    const auto& requests = system.endpoints[1]->served;
    // While both classes wait, each gets every other turn: 80 B of a request, 80 B of an answer.
    for (unsigned i = 100; i < 200; ++i) {
        ASSERT_EQ(answers[i].at - answers[i - 1].at, wire_time(options.link, 160)) << i;
        ASSERT_EQ(requests[i].at - requests[i - 1].at, wire_time(options.link, 160)) << i;
    }
}

TEST(Switch, BackPressureReachesTheSenderThroughTwoSwitches)
{
    FabricSystem::Options options;
    options.link.request_credits = 2;
    options.service = 500'000;  // e1 takes two lines per half microsecond
    FabricSystem system(two_switches(), options);
    constexpr unsigned lines = 60;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const auto& served = system.endpoints[1]->served;
    const Time slot = wire_time(options.link, 80) + options.service + 2 * options.link.latency;
    for (unsigned i = 2; i < lines; ++i) ASSERT_EQ(served[i].at - served[i - 2].at, slot) << i;
    // Two lines in each buffer: the sender itself was held back to the same rate.
    EXPECT_GT(system.endpoints[0]->output(0).credit_stall(), (lines - 8) / 2 * slot * 3 / 4);
    EXPECT_EQ(system.switches[0]->output(1).peak_queue(), 2u);
    EXPECT_EQ(system.switches[1]->output(1).peak_queue(), 2u);
}

TEST(Switch, ABlockedOutputDoesNotHoldUpAnother)
{
    FabricSystem::Options options;
    options.link.request_credits = 4;
    FabricSystem system(two_switches(), options);
    system.endpoints[2]->issue(0, LineOp::read, 1, 0);
    for (unsigned i = 0; i < 20; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    system.endpoints[1]->issue(0, LineOp::write, 2, 0);
    sc_core::sc_start();
    system.expect_clean();
    const Time alone = 2 * wire_time(options.link, 80) + 2 * options.link.latency + options.switches.latency;
    EXPECT_EQ(system.endpoints[2]->served[0].at, alone);
}

TEST(Switch, TheOrderOfConstructionDecidesNothing)
{
    const auto run = [](bool reversed) {
        FabricSystem::Options options;
        options.reversed = reversed;
        options.link.request_credits = 5;
        options.link.response_credits = 3;
        FabricSystem system(star(6), options);
        // Bursts in the same instants, so that every arbiter has ties.
        for (unsigned i = 0; i < 300; ++i) {
            const unsigned from = reversed ? 5 - i % 6 : i % 6;
            for (unsigned k = 0; k < 3; ++k)
                system.endpoints[from]->issue(i / 6 * 2000, k == 0 ? LineOp::read : LineOp::write,
                    (from + 1 + (k + i / 60) % 5) % 6, 64 * (i / 6) + 4096 * k);
        }
        sc_core::sc_start();
        system.expect_clean();
        return system.trace();
    };
    const std::string forward = in_child([&run] { return run(false); });
    EXPECT_EQ(forward, in_child([&run] { return run(true); }));
    EXPECT_GT(forward.size(), 10'000u);
}

TEST(Switch, ALineThatNobodyCanTakeIsReported)
{
    // An endpoint that believes in a way that its switch does not have.
    for (const unsigned which : {2U, 7U, 1'002U, 1'007U}) {
        const unsigned destination = which % 1'000;
        const std::string text = in_child([which, destination] {
            EventQueue event_queue("event_queue");
            LinePool pool;
            Endpoint endpoint("e0", event_queue, "e0", pool, 0, 1,
                RouteTable(std::vector<std::vector<std::uint16_t>>(8, {0})));
            const RouteTable routes({{0}, {0}, {}});
            std::unique_ptr<SwitchModel> model;
            if (which < 1'000) {
                model = std::make_unique<Switch>("s", event_queue, "s", SwitchSpec{}, 1, routes);
            } else {
                model = std::make_unique<CrossbarSwitch>("s", event_queue, "s", SwitchSpec{}, 1, routes);
            }
            SwitchModel& sw = *model;
            Link link("link", event_queue, LinkSpec{});
            endpoint.out(0).bind(link.target(0));
            link.initiator(0).bind(endpoint.in(0));
            sw.initiator(0).bind(link.target(1));
            link.initiator(1).bind(sw.target(0));
            endpoint.issue(0, LineOp::read, destination, 0);
            Reports reports;
            sc_core::sc_start();
            return reports.all();
        });
        EXPECT_EQ(text, "/weft/switch: s: no route to endpoint " + std::to_string(destination) + "\n");
    }
}

TEST(Switch, StatisticsCountWhatPassed)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    FabricSystem system(star(3), options);
    for (unsigned i = 0; i < 10; ++i) {
        system.endpoints[0]->issue(0, LineOp::write, 2, 64 * i);
        system.endpoints[1]->issue(0, LineOp::write, 2, 64 * i);
    }
    sc_core::sc_start();
    system.expect_clean();
    const auto statistics = system.switches[0]->statistics();
    EXPECT_EQ(statistics[0].name, "lines");
    EXPECT_EQ(statistics[0].value, 40);  // 20 requests, 20 answers
    EXPECT_GE(statistics[1].value, 1);
    EXPECT_GT(statistics[2].value, 0);
}

}  // namespace switch_test
