// What transfers, messages and signals take on one link, to the picosecond.
#include <gtest/gtest.h>

#include "collectives/flow/flow_links.h"

namespace flow_links_test {

using namespace weft;

namespace {

constexpr std::uint64_t now_ps = 1000;

// A link of 12.5 GB/s whose card cuts messages into packets of 4096 B, and the link back.
struct Wire {
    Wire()
    {
        CostLink link;
        link.ps_per_byte = 80;
        link.packet_payload = 4096;
        link.packet_ps = 82 * 80;
        link.message_ps = 16 * 80;
        link.answer_ps = 86 * 80;
        link.signal_ps = 8000;
        link.signal_back_ps = 500;
        link.reverse = 1;
        links.push_back(link);
        link.reverse = 0;
        links.push_back(link);
    }

    // End of `bytes`, a part of `part` of a message, that come at now_ps.
    std::uint64_t end_of(FlowLinks& on, double bytes, double message, double part, std::uint32_t path = 0)
    {
        FlowFlight flight = on.put(path, path, bytes, now_ps);
        flight.message = message;
        flight.messages = part;
        EXPECT_FALSE(on.pass(flight));
        return flight.tail_ps;
    }

    std::vector<CostLink> links;
    PathBook book{links, [](std::uint32_t from, std::uint32_t) {
                      CostPath path;
                      path.stages = {{0, {{from, 1}}}};
                      path.neighbours = true;
                      return path;
                  }};
};

constexpr LinkRules with_packets{0, false, true};

}  // namespace

TEST(FlowLinks, AMessageIsWholePacketsWithHeaders)
{
    Wire wire;
    wire.book.find(0, 1);
    FlowLinks links(wire.book, with_packets);
    // 2 packets; the rate has 5504 / 4096 of a packet in it.
    const std::uint64_t occupied = 5504 * 80 + 82 * 80 * (8192 - 5504) / 4096 + 16 * 80;
    EXPECT_EQ(wire.end_of(links, 5504, 5504, 1), now_ps + occupied);
    EXPECT_DOUBLE_EQ(wire.book.payload(0), 5504);
    EXPECT_DOUBLE_EQ(wire.book.busy_ps(0), static_cast<double>(occupied));
    EXPECT_DOUBLE_EQ(wire.book.busy_ps(1), 86 * 80) << "its acknowledge";
}

TEST(FlowLinks, PartsOfAMessageTakeWhatTheWholeDoes)
{
    Wire whole;
    whole.book.find(0, 1);
    FlowLinks one(whole.book, with_packets);
    Wire parts;
    parts.book.find(0, 1);
    FlowLinks four(parts.book, with_packets);
    const std::uint64_t wanted = whole.end_of(one, 8192, 8192, 1);
    std::uint64_t end = 0;
    for (int part = 0; part < 4; ++part) end = parts.end_of(four, 2048, 8192, 0.25);
    EXPECT_EQ(end, wanted);
}

TEST(FlowLinks, WithoutTheRuleBytesTakeTheRate)
{
    Wire wire;
    wire.book.find(0, 1);
    FlowLinks links(wire.book, {});
    EXPECT_EQ(wire.end_of(links, 5461, 5461, 1), now_ps + 5461 * 80);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps);
    EXPECT_DOUBLE_EQ(wire.book.busy_ps(1), 0);
}

// Signals wait for each other and not for data; data wait for both.
TEST(FlowLinks, SignalsTakeTurns)
{
    Wire wire;
    wire.book.find(0, 1);
    FlowLinks links(wire.book, with_packets);
    const std::uint64_t data = wire.end_of(links, 4096, 4096, 1);
    EXPECT_EQ(data, now_ps + 4096 * 80 + 16 * 80);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps + 8000);
    EXPECT_EQ(wire.end_of(links, 0, 0, 3), now_ps + 16000) << "three at once";
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps + 40000);
    EXPECT_EQ(wire.end_of(links, 4096, 4096, 1), data + 6 * 8000 + 4096 * 80 + 16 * 80);
}

}  // namespace flow_links_test
