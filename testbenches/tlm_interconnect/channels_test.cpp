// Virtual channels, the shared pool of credits, and the arbiters of an output.
#include <gtest/gtest.h>

#include <array>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"

namespace channels_test {

using namespace weft;
using namespace weft::testing;

namespace {

Time wire_time(const LinkSpec& spec, std::uint64_t bytes) { return bytes * 1'000'000'000'000 / spec.bandwidth; }

std::string number(Time value) { return std::to_string(value); }

// e0..e3 along a chain of four switches, and the sink e4 behind the last one: everybody writes to it at full rate.
std::array<unsigned, 4> served_on_a_chain(ArbiterKind kind)
{
    const std::string text = in_child([kind] {
        Fabric fabric;
        fabric.endpoints = 5;
        for (unsigned s = 0; s < 4; ++s) fabric.nodes.push_back({"s" + std::to_string(s), -1, true});
        for (unsigned e = 0; e < 5; ++e) fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        constexpr std::uint64_t rate = 25'000'000'000;
        for (unsigned s = 0; s < 3; ++s) fabric.edges.push_back({s, s + 1, rate});
        for (unsigned e = 0; e < 5; ++e) fabric.edges.push_back({4 + e, std::min(e, 3U), rate});
        FabricSystem::Options options;
        options.link.latency = 1'000;
        options.link.request_credits = 8;
        options.switches.latency = 1'000;
        options.switches.arbiter = kind;
        FabricSystem system(fabric, options);
        for (unsigned i = 0; i < 1000; ++i)
            for (unsigned e = 0; e < 4; ++e)
                system.endpoints[e]->issue(i * wire_time(options.link, 80) + e, LineOp::write, 4, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        std::array<unsigned, 4> counts{};
        for (unsigned i = 200; i < 1000; ++i) ++counts[system.endpoints[4]->served[i].source];
        std::string out;
        for (const unsigned count : counts) out += std::to_string(count) + " ";
        return out;
    });
    std::array<unsigned, 4> counts{};
    std::istringstream in(text);
    for (unsigned& count : counts) in >> count;
    return counts;
}

}  // namespace

TEST(Arbiter, InTurnIsUnfairAlongAChainAndByAgeIsFair)
{
    const std::array<unsigned, 4> turn = served_on_a_chain(ArbiterKind::round_robin);
    // Each switch shares its output between those behind it and its own endpoint.
    EXPECT_NEAR(turn[3], 400, 2);
    EXPECT_NEAR(turn[2], 200, 2);
    EXPECT_NEAR(turn[1], 100, 2);
    EXPECT_NEAR(turn[0], 100, 2);
    for (const unsigned count : served_on_a_chain(ArbiterKind::age)) EXPECT_NEAR(count, 200, 2);
}

TEST(Arbiter, WeightsAreTheRatioOfControlToDataWhileBothWait)
{
    for (const auto& [control, data] : {std::pair{1U, 1U}, std::pair{3U, 1U}, std::pair{2U, 5U}}) {
        const std::string text = in_child([control = control, data = data] {
            FabricSystem::Options options;
            options.switches.arbiter = ArbiterKind::weighted;
            options.switches.control_weight = control;
            options.switches.data_weight = data;
            FabricSystem system(star(5), options);
            for (unsigned i = 0; i < 1400; ++i) {
                for (const unsigned e : {1U, 2U}) system.endpoints[e]->issue(0, LineOp::write, 0, 64 * i);
                for (const unsigned e : {3U, 4U}) system.endpoints[e]->issue(0, LineOp::atomic, 0, 64 * i, 8);
            }
            sc_core::sc_start();
            system.expect_clean();
            unsigned controls = 0;
            // Lines pile up at the hub before the window begins, and both kinds last beyond its end.
            for (unsigned i = 140; i < 980; ++i) controls += system.endpoints[0]->served[i].source >= 3 ? 1 : 0;
            return std::to_string(controls);
        });
        EXPECT_EQ(std::stoul(text), 840 * control / (control + data)) << control << ":" << data;
    }
}

// Two endpoints write to a third at full rate; an atomic joins the queue.
TEST(Arbiter, ByArrivalAnAtomicWaitsBehindAllThatCameBefore)
{
    constexpr Time issued = 300'000;
    const auto writes_before = [](ArbiterKind kind) {
        return std::stoul(in_child([kind] {
            FabricSystem::Options options;
            options.switches.arbiter = kind;
            FabricSystem system(star(5), options);
            for (unsigned i = 0; i < 400; ++i)
                for (const unsigned e : {1U, 2U}) system.endpoints[e]->issue(0, LineOp::write, 0, 64 * i);
            system.endpoints[3]->issue(issued, LineOp::atomic, 0, 0, 8);
            sc_core::sc_start();
            system.expect_clean();
            std::size_t place = 0;
            while (system.endpoints[0]->served[place].source != 3) ++place;
            return std::to_string(place);
        }));
    };
    const LinkSpec link;
    const Time arrived = issued + wire_time(link, 32);
    EXPECT_EQ(writes_before(ArbiterKind::arrival), 2 * (arrived / wire_time(link, 80)));
    EXPECT_LE(writes_before(ArbiterKind::round_robin), arrived / wire_time(link, 80) + 1);
}

TEST(Channels, AWriteThatWaitsDoesNotHoldUpARead)
{
    const auto read_served = [](RequestVcs set) {
        return std::stoull(in_child([set] {
            FabricSystem::Options options;
            options.link.vcs = set;
            options.link.request_credits = 1;
            options.service = 500'000;
            FabricSystem system(two_ends(), options);
            for (unsigned i = 0; i < 4; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
            system.endpoints[0]->issue(1, LineOp::read, 1, 64);
            sc_core::sc_start();
            system.expect_clean();
            for (const Endpoint::Record& record : system.endpoints[1]->served)
                if (record.tag == 4) return number(record.at);
            return std::string("0");
        }));
    };
    const LinkSpec link;
    const Time slot = wire_time(link, 80) + 2 * link.latency + 500'000;
    EXPECT_EQ(read_served(RequestVcs::split), wire_time(link, 80) + wire_time(link, 16) + link.latency);
    EXPECT_EQ(read_served(RequestVcs::shared), 4 * slot + wire_time(link, 16) + link.latency);
}

TEST(Channels, PooledCreditsCountLikeOwnOnes)
{
    FabricSystem::Options options;
    options.link.request_credits = 2;
    options.link.response_credits = 2;
    options.link.pool_credits = 6;
    options.service = 30'000;
    FabricSystem system(two_ends(), options);
    constexpr unsigned lines = 800;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& spec = options.link;
    const Time slot = wire_time(spec, 80) + spec.latency + options.service + spec.latency;
    const auto& served = system.endpoints[1]->served;
    for (unsigned i = 0; i < lines; ++i)
        ASSERT_EQ(served[i].at, i / 8 * slot + (i % 8 + 1) * wire_time(spec, 80) + spec.latency) << i;
}

TEST(Channels, AnEmptyPoolLeavesEveryChannelItsOwnCredits)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    options.link.pool_credits = 3;
    options.service = 2'000'000;
    FabricSystem system(two_ends(), options);
    for (unsigned i = 0; i < 20; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    system.endpoints[0]->issue(100'000, LineOp::read, 1, 0);
    sc_core::sc_start();
    system.expect_clean();
    const auto& served = system.endpoints[1]->served;
    // Four writes took the pool; the read goes at once by the credit of its own channel.
    EXPECT_EQ(served[4].tag, 20u);
    EXPECT_EQ(served[4].at, 100'000 + wire_time(options.link, 16) + options.link.latency);
}

TEST(Channels, MoreVcSetsThanTheLinkHasAreRefusedLoudly)
{
    FabricSystem::Options options;
    FabricSystem system(two_ends(), options);
    const Reports reports;
    Line& line = system.pool.take();
    line.begin(LineOp::read, global_address(1, 0), 64);
    system.endpoints[0]->output(0).enqueue(line, LineClass::request, 0, 1);
    EXPECT_EQ(reports.all(), "/weft/vc_set: e0: a route uses VC set 1, but the number of VC sets of its link is 1\n");
    system.pool.give(line);
}

}  // namespace channels_test
