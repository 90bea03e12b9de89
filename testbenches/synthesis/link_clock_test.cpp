// Signals and messages of network cards on the links of an estimate, reckoned by hand.
#include <gtest/gtest.h>

#include "collectives/synthesis/link_clock.h"

namespace link_clock_test {

using namespace weft;

namespace {

constexpr std::uint64_t latency_ps = 1000;
constexpr double byte_ps = 10;

// Two ranks and a wire.
CostGraph wire()
{
    CostGraph graph = plain_graph(2);
    add_wire(graph, 0, 1, byte_ps, latency_ps);
    graph.links[0].reverse = 1;
    return graph;
}

CostLink& there(CostGraph& graph) { return graph.links[0]; }
constexpr std::size_t back = 1;

// The end of what passes the only link of its path.
std::uint64_t end_of(LinkClock& clock, Flight flight)
{
    while (clock.pass(flight)) {
    }
    return flight.tail_ps;
}

Flight signals(const CostGraph& graph, double count)
{
    Flight out = LinkClock::put(graph.path(0, 1), 0, 0, 0);
    out.messages = count;
    return out;
}

}  // namespace

TEST(LinkClock, SignalsWaitForSignalsAndDataForThem)
{
    CostGraph graph = wire();
    there(graph).signal_ps = 400;
    there(graph).signal_back_ps = 150;
    LinkClock clock(graph);
    const std::uint64_t alone = graph.path(0, 1).put_ps;
    EXPECT_EQ(end_of(clock, signals(graph, 3)), alone);
    EXPECT_EQ(end_of(clock, signals(graph, 1)), alone + 3 * 400);
    EXPECT_EQ(end_of(clock, LinkClock::put(graph.path(0, 1), 0, 100, 0)), alone + 4 * 400 + 100 * 10);
    // Not the other way round.
    EXPECT_EQ(end_of(clock, signals(graph, 1)), alone + 4 * 400);
    EXPECT_DOUBLE_EQ(clock.busy()[back], 5 * 150);
}

// Signals of one path that come behind each other are in one packet, as far as it has room.
TEST(LinkClock, SignalsToOneRankShareAPacket)
{
    CostGraph graph = wire();
    there(graph).signal_ps = 400;
    there(graph).shared_packet_ps = 300;
    there(graph).packet_time_ps = 450;
    LinkClock clock(graph);
    const std::uint64_t alone = graph.path(0, 1).put_ps;
    for (const std::uint64_t before : {0, 400, 500, 600, 700, 1100})
        EXPECT_EQ(end_of(clock, signals(graph, 1)), alone + before);
}

// The rate of a link has the packets of long streams: what the last one lacks, and the message, are beyond it.
TEST(LinkClock, MessagesOfACardHaveHeadersAndAnswers)
{
    CostGraph graph = wire();
    CostLink& link = there(graph);
    link.packet_payload = 256;
    link.packet_ps = 512;
    link.message_ps = 300;
    link.answer_ps = 700;
    LinkClock clock(graph);
    Flight flight = LinkClock::put(graph.path(0, 1), 0, 1024, 0);
    flight.messages = 2;
    flight.message = 512 - 64;  // a packet and three quarters of one
    EXPECT_EQ(end_of(clock, flight), graph.path(0, 1).put_ps + 1024 * 10 + 2 * (512 / 4 + 300));
    EXPECT_DOUBLE_EQ(clock.busy()[back], 2 * 700);
}

}  // namespace link_clock_test
