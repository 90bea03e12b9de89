// What a link with retry drops and tells, and what checkers see of lines and credits that go wrong.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/replay_link.h"

namespace replay_control_test {

using namespace weft;
using namespace weft::testing;

namespace {

LinkSpec replaying()
{
    LinkSpec link;
    link.retry = RetryKind::go_back_n;
    link.request_credits = link.response_credits = 65535;
    return link;
}

}  // namespace

TEST(ReplayControl, WhatIsInsideIsTold)
{
    FabricSystem::Options options;
    options.link = replaying();
    options.link.replay_buffer = 2;
    FabricSystem system(two_ends(), options);
    for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    system.event_queue.set_end(50'000);  // none has arrived; the port still has three
    sc_core::sc_start();
    const std::vector<std::string> inside = system.links[0]->blocked();
    ASSERT_EQ(inside.size(), 1U);
    EXPECT_EQ(inside[0],
        "link0: 7 transactions from end 0 have not come out; 5 of them wait for the wire; 2 sent and not "
        "acknowledged");
}

TEST(ReplayControl, ADuplicateIsDroppedByTheReceiver)
{
    FabricSystem::Options options;
    options.link = replaying();
    FabricSystem system(two_ends(), options);
    auto& link = dynamic_cast<ReplayLink&>(*system.links[0]);
    link.duplicate_next(0);
    for (unsigned i = 0; i < 100; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    EXPECT_EQ(system.endpoints[1]->served.size(), 100u);
    EXPECT_EQ(link.direction(0).duplicates, 1u);
}

TEST(ReplayControl, ALineThatComesTwiceIsNamedByTheChecker)
{
    FabricSystem::Options options;
    FabricSystem system(two_ends(), options);
    const Reports reports;
    Line& line = system.endpoints[0]->issue(0, LineOp::write, 1, 0);
    system.event_queue.set_end(50'000);  // it is on its way
    sc_core::sc_start();
    system.endpoints[0]->out(0).send_request(line, 0);
    EXPECT_TRUE(reports.contain("request: write of 64 B")) << reports.all();
    EXPECT_TRUE(reports.contain("sent again before its response")) << reports.all();
}

TEST(ReplayControl, ACreditThatIsDroppedLeavesItsChannelWaitingByName)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    options.service = 1'000;
    FabricSystem system(two_ends(), options);
    system.endpoints[1]->drop_credit(3);  // the fourth request's credit never starts back
    for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    const Reports reports;
    sc_core::sc_start();
    EXPECT_EQ(system.endpoints[1]->served.size(), 4u);
    EXPECT_EQ(system.endpoints[0]->output(0).describe(), "6 write packets wait for a credit");
    EXPECT_TRUE(reports.contain("gets a response before its request credit came back")) << reports.all();
}

TEST(ReplayControl, ABufferThatIsAdvertisedTooLargeIsCaught)
{
    FabricSystem::Options options;
    options.link.request_credits = 4;
    options.service = 500'000;
    FabricSystem system(two_ends(), options);
    BufferSpace space = buffer_space(options.link);
    space.lines[vc_of(VcClass::write, 0)] = 5;
    system.endpoints[0]->output(0).set_credits(space);
    for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    const Reports reports;
    sc_core::sc_start();
    EXPECT_TRUE(reports.contain("write number 5 into a buffer for 4 transactions")) << reports.all();
}

// Two senders with a backlog in front of the link: each wire carries a request and a response for every line and an acknowledge for eight
// of these, 424 B for four lines at 25 GB/s.
TEST(ReplayControl, AcknowledgesThatAreNotDueWaitForTheSendersTurn)
{
    FabricSystem::Options options;
    options.link = replaying();
    options.link.ack_bytes = 40;
    options.link.ack_every = 8;
    FabricSystem system(two_ends(), options);
    for (unsigned i = 0; i < 1'000; ++i)
        for (unsigned e = 0; e < 2; ++e) system.endpoints[e]->issue(0, LineOp::write, 1 - e, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    for (const auto& endpoint : system.endpoints)
        EXPECT_EQ(endpoint->served.at(700).at - endpoint->served.at(300).at, 100U * 16'960);
    EXPECT_EQ(system.links[0]->direction(0).wire_bytes, system.links[0]->direction(1).wire_bytes);
}

// Nothing else is sent on the wire back for a microsecond: a packet is acknowledged when it arrives, and not a picosecond later.
TEST(ReplayControl, AnIdleWireAcknowledgesAtOnce)
{
    const auto last = [](std::uint64_t every) {
        return std::stoull(in_child([every] {
            FabricSystem::Options options;
            options.link = replaying();
            options.link.ack_bytes = 40;
            options.link.ack_every = every;
            options.service = 1'000'000;
            FabricSystem system(two_ends(), options);
            system.endpoints[0]->issue(0, LineOp::write, 1, 0);
            sc_core::sc_start();
            return std::to_string(system.event_queue.last());
        }));
    };
    EXPECT_EQ(last(8), last(1));
}

}  // namespace replay_control_test
