// Queues, credits and waits of a port, to the picosecond; who waits for whom when nothing moves.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "tlm_interconnect/switch/blocked_chain.h"

namespace port_watch_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time wire = 3'200;  // 80 B at 25 GB/s
constexpr Time flight = 70'000;

unsigned slot_of(const PortWatch& watch, VcClass cls)
{
    for (unsigned slot = 0; slot < watch.vcs().size(); ++slot)
        if (watch.vcs()[slot] == vc_of(cls, 0)) return slot;
    return 99;
}

}  // namespace

TEST(PortWatch, LinesOfOneSenderQueueAndDoNotWaitForOthers)
{
    FabricSystem system(two_ends(), {});
    PortWatch watch;
    system.endpoints[0]->output(0).attach(watch);
    for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const PortWatch::Channel writes = watch.at(slot_of(watch, VcClass::write), system.event_queue.last());
    EXPECT_EQ(writes.lines, 10u);
    // Line i waits while i others are sent.
    EXPECT_EQ(writes.queue_area, wire * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9));
    EXPECT_EQ(writes.queue_peak, 10u);
    EXPECT_EQ(writes.arbitration_wait, 0u);
    EXPECT_EQ(writes.credit_stall, 0u);
    // A credit is away from the line's start until it is back: wire, there, served at once, back.
    EXPECT_EQ(writes.credit_area, 10 * (wire + 2 * flight));
    EXPECT_EQ(writes.credit_peak, 10u);
}

// Every line that waits for the wire takes one wake-up of its port, and a credit that comes back none: nobody waits for it.
TEST(PortWatch, CreditsThatNobodyWaitsForWakeNoPort)
{
    constexpr std::uint64_t lines = 10;
    FabricSystem system(two_ends(), {});
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::read, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    constexpr std::uint64_t of_lines = 4 * lines;               // issued, arrived, served, answered
    constexpr std::uint64_t waited_for_wire = 2 * (lines - 1);  // an answer takes five times as long as its request
    EXPECT_EQ(system.event_queue.items_run(), of_lines + waited_for_wire);
}

TEST(PortWatch, OneCreditPerRoundTripIsAStallOfTheRest)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    FabricSystem system(two_ends(), options);
    PortWatch watch;
    system.endpoints[0]->output(0).attach(watch);
    for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const PortWatch::Channel writes = watch.at(slot_of(watch, VcClass::write), system.event_queue.last());
    EXPECT_EQ(writes.credit_stall, 9 * (wire + 2 * flight));
    EXPECT_EQ(writes.arbitration_wait, 0u);
    EXPECT_EQ(writes.credit_peak, 1u);
    // The port's own figure counts from the moment the wire is free.
    EXPECT_EQ(system.endpoints[0]->output(0).credit_stall(), 9 * 2 * flight);
    EXPECT_EQ(system.endpoints[0]->output(0).waits().size(), 0u);
}

TEST(PortWatch, TwoInputsOfOneOutputWaitForEachOther)
{
    // e0 and e1 each send 5 lines to e2, all at once: at the switch's output they alternate.
    FabricSystem system(star(3), {});
    PortWatch to_e2;
    ASSERT_TRUE(system.switches[0]->attach(2, to_e2));
    for (unsigned e = 0; e < 2; ++e)
        for (unsigned i = 0; i < 5; ++i) system.endpoints[e]->issue(0, LineOp::write, 2, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const PortWatch::Channel writes = to_e2.at(slot_of(to_e2, VcClass::write), system.event_queue.last());
    EXPECT_EQ(writes.lines, 10u);
    // Pair i arrives at 3200 i; input 0's line i leaves at 6400 i, input 1's at 6400 i + 3200. Line i of input 0
    // heads its queue from 3200 i or the end of line i - 1, 6400 i - 3200; that of input 1 from 6400 i (i > 0).
    EXPECT_EQ(writes.arbitration_wait, (0 + 4 * wire) + (wire + 4 * wire));
    EXPECT_EQ(writes.arbitration_longest, wire);
    EXPECT_EQ(writes.queue_peak, 6u);
    // Twice as long as they came.
    EXPECT_EQ(writes.queue_area, wire * (0 + 1 + 2 + 3 + 4) + wire * (1 + 2 + 3 + 4 + 5));
}

TEST(PortWatch, WatchingChangesNoTime)
{
    const auto trace = [](bool watched) {
        FabricSystem system(star(4), {});
        std::vector<PortWatch> watches(8);
        for (unsigned e = 0; watched && e < 4; ++e) {
            system.endpoints[e]->output(0).attach(watches[e]);
            system.switches[0]->attach(e, watches[4 + e]);
        }
        for (unsigned e = 0; e < 4; ++e)
            for (unsigned i = 0; i < 200; ++i)
                system.endpoints[e]->issue(i * 900, i % 3 == 0 ? LineOp::read : LineOp::write, (e + 1 + i % 3) % 4,
                    64 * i);
        sc_core::sc_start();
        return system.trace();
    };
    EXPECT_EQ(in_child([&] { return trace(true); }), in_child([&] { return trace(false); }));
}

TEST(BlockedChain, ACircleIsNamedMemberByMember)
{
    const std::vector<BufferWait> waits = {{"", "e0", "a -> b", 4}, {"a -> b", "b", "b -> c", 2},
        {"b -> c", "c", "c -> a", 1}, {"c -> a", "a", "a -> b", 2}, {"d -> a", "a", "a -> b", 7}};
    const std::vector<std::string> expected = {"circular wait:", "  2 packets in a -> b wait for room in b -> c",
        "  1 packet in b -> c waits for room in c -> a",
        "  2 packets in c -> a wait for room in a -> b, which closes the circle"};
    EXPECT_EQ(blocked_chain(waits), expected);
}

TEST(BlockedChain, WithoutACircleItEndsWhereCreditsAreOwed)
{
    const std::vector<BufferWait> waits = {{"", "e0", "a -> b", 4}, {"a -> b", "b", "b -> c", 2}};
    const std::vector<std::string> expected = {"chain of waiting:", "  4 packets at e0 wait for room in a -> b",
        "  2 packets in a -> b wait for room in b -> c, where no packet waits: its credits were not returned"};
    EXPECT_EQ(blocked_chain(waits), expected);
    EXPECT_TRUE(blocked_chain({}).empty());
    // Of a module that holds packets and does not say for what nothing is claimed.
    std::vector<BufferWait> silent = waits;
    silent.push_back({"", "c", "", 0});
    std::vector<std::string> of_it = expected;
    of_it.back() = "  2 packets in a -> b wait for room in b -> c, where the chain ends: c holds packets, and its "
                   "model does not say "
                   "what they wait for";
    EXPECT_EQ(blocked_chain(silent), of_it);
    EXPECT_TRUE(blocked_chain({{"", "c", "", 0}}).empty());
}

TEST(PortWatch, OfACrossbarCountsItsLinesQueuesAndCredits)
{
    const auto outcome = [](bool watched) {
        return in_child([&] {
            FabricSystem::Options options;
            options.crossbar = true;
            options.adjust = [](std::uint32_t edge, LinkSpec& spec) { spec.request_credits = edge == 2 ? 2 : 512; };
            FabricSystem system(star(3), options);
            PortWatch watch;
            if (watched) system.crossbars[0]->attach(2, watch);
            for (unsigned e = 0; e < 2; ++e)
                for (unsigned i = 0; i < 5; ++i) system.endpoints[e]->issue(0, LineOp::write, 2, 64 * i);
            sc_core::sc_start();
            system.expect_clean();
            if (watched) {
                const PortWatch::Channel writes = watch.at(slot_of(watch, VcClass::write), system.event_queue.last());
                EXPECT_EQ(writes.lines, 10u);
                EXPECT_EQ(writes.credit_peak, 2u);
                // Five pairs with a round trip between them; clocks of 1 ns around it.
                EXPECT_GT(writes.credit_stall, 4 * 2 * flight);
                EXPECT_LT(writes.credit_stall, 4 * (wire + 2 * flight) + 10'000);
                EXPECT_GE(writes.queue_peak, 2u);
                EXPECT_EQ(system.crossbars[0]->credit_stall(2), SwitchModel::not_known);
            }
            return system.trace();
        });
    };
    EXPECT_EQ(outcome(true), outcome(false));
}

class Rings : public ::testing::TestWithParam<bool> {};

TEST_P(Rings, ThatIgnoreTheDeadlockCheckNameTheirCircle)
{
    // Five routers, everything clockwise, two buffers each, everybody to the third next: a circle of full buffers.
    constexpr unsigned nodes = 5;
    Fabric fabric = grid_of({nodes}, true);
    FabricSystem::Options options;
    options.checkers = false;
    options.crossbar = GetParam();
    options.link.request_credits = 2;
    std::vector<std::vector<std::vector<std::uint16_t>>> tables(nodes);
    const auto ports = fabric.ports();
    for (unsigned n = 0; n < nodes; ++n)
        for (unsigned d = 0; d < nodes; ++d)
            for (unsigned p = 0; p < ports[n].size(); ++p) {
                const bool own = ports[n][p].peer >= nodes;
                if (d == n ? own : !own && ports[n][p].peer == (n + 1) % nodes)
                    tables[n].push_back({static_cast<std::uint16_t>(p)});
            }
    options.tables = &tables;
    FabricSystem system(fabric, options);
    for (unsigned e = 0; e < nodes; ++e)
        for (unsigned i = 0; i < 40; ++i) system.endpoints[e]->issue(0, LineOp::write, (e + 3) % nodes, 64 * i);
    sc_core::sc_start();
    ASSERT_GT(system.pool.live(), 0u) << "nothing got stuck";
    std::vector<BufferWait> waits;
    const auto buffer = [&](unsigned node, unsigned port) {
        return "s" + std::to_string(node) + " -> s" + std::to_string(ports[node][port].peer);
    };
    const auto from = [&](unsigned node, unsigned port) {
        return "s" + std::to_string(ports[node][port].peer) + " -> s" + std::to_string(node);
    };
    for (unsigned n = 0; n < nodes; ++n)
        for (const SwitchModel::Wait& wait : GetParam() ? system.crossbars[n]->waits() : system.switches[n]->waits())
            waits.push_back({from(n, wait.input), "s" + std::to_string(n), buffer(n, wait.output), wait.lines});
    const std::vector<std::string> text = blocked_chain(waits);
    ASSERT_EQ(text.size(), 1 + nodes);
    EXPECT_EQ(text[0], "circular wait:");
    EXPECT_NE(text.back().find("closes the circle"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(BlockedChain, Rings, ::testing::Bool(),
    [](const auto& info) { return info.param ? "crossbar" : "plain"; });

}  // namespace port_watch_test
