// Back pressure to the picosecond: a link stands still while the buffer behind it is full.
#include <gtest/gtest.h>

#include <map>

#include "collectives/flow/links/flow_buffers.h"

namespace flow_buffers_test {

using namespace weft;

namespace {

constexpr std::uint64_t ahead_ps = 500;  // from one link to the next

// Links 0 -> 1, 1 -> 2, 2 -> 0 of 10 ps a byte, buffers of 1000 B whose credits come back in 200 ps. From a rank to the next over one
// link, to the one after it over two. Rank 3 stands for rank 0 in virtual channel set 1.
struct Ring {
    explicit Ring(const LinkRules& rules = {}) : on(book, rules)
    {
        book.keep_apart();
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            CostLink link;
            link.ps_per_byte = 10;
            link.buffer = 1000;
            link.answer_credits = 1000;
            link.answer_round_ps = 400;
            link.from = static_cast<std::int32_t>(rank);
            link.to = static_cast<std::int32_t>((rank + 1) % 3);
            links.push_back(link);
        }
    }

    static CostPath path(std::uint32_t from, std::uint32_t to)
    {
        CostPath out;
        const std::uint32_t set = from == 3 ? 1 : 0;
        const std::uint32_t first = from % 3;
        out.stages = {{0, {{first, 1, set}}}};
        out.neighbours = (first + 1) % 3 == to;
        if (!out.neighbours) out.stages.push_back({ahead_ps, {{(first + 1) % 3, 1, set}}});
        out.put_ps = out.neighbours ? 0 : ahead_ps;
        return out;
    }

    void send(std::uint32_t from, std::uint32_t to, double bytes, bool acknowledges = false)
    {
        const auto number = static_cast<std::uint32_t>(flights.size());
        flights.push_back(on.put(book.find(from, to), from, bytes, 0));
        flights.back().acknowledges = acknowledges;
        ASSERT_TRUE(buffers.takes(flights[number]));
        buffers.enter(number, flights[number], 0);
        take();
    }
    void take()
    {
        for (const FlowBuffers::Event& event : buffers.events())
            events.emplace(event.time, std::pair(event.piece, event.index));
        buffers.events().clear();
        for (const FlowBuffers::Passed& passed : buffers.passed()) ends[passed.transfer] = passed.flight.tail_ps;
        buffers.passed().clear();
    }
    // Until nothing is due.
    void run()
    {
        while (!events.empty()) {
            const auto [time, what] = *events.begin();
            events.erase(events.begin());
            now = time;
            what.first ? buffers.go_on(what.second, time) : buffers.serve(what.second, time);
            take();
        }
    }

    std::vector<CostLink> links;
    PathBook book{links, path};
    FlowLinks on;
    FlowBuffers buffers{book, on};
    std::vector<FlowFlight> flights;
    std::multimap<std::uint64_t, std::pair<bool, std::uint32_t>> events;
    std::map<std::uint32_t, std::uint64_t> ends;
    std::uint64_t now = 0;
};

}  // namespace

// Link 1 -> 2 is taken up to 40,000. One part waits for it in the buffer of link 0 -> 1, which is full then; the next ones begin
// to pass that link 200 ps after the one before has left the buffer, at 40,200, 50,200 and, to rank 1 itself, 60,200.
TEST(FlowBuffers, ALinkStandsStillWhileTheBufferBehindItIsFull)
{
    Ring ring;
    ring.book.find(0, 2);
    ring.book.find(1, 0);  // every link is one that paths pass ranks on
    ring.send(1, 2, 4000);
    for (int part = 0; part < 3; ++part) ring.send(0, 2, 1000);
    ring.send(0, 1, 1000);
    ring.run();
    EXPECT_EQ(ring.ends.at(0), 40'000U);
    EXPECT_EQ(ring.ends.at(1), 50'000U);
    EXPECT_EQ(ring.ends.at(2), 60'000U);
    EXPECT_EQ(ring.ends.at(3), 70'000U);
    EXPECT_EQ(ring.ends.at(4), 70'200U) << "held up by those to another rank";
    EXPECT_EQ(ring.buffers.waiting(), 0U);
    EXPECT_DOUBLE_EQ(ring.book.payload(0), 4000);
    EXPECT_DOUBLE_EQ(ring.book.busy_ps(0), 40'000);
}

// Another set of virtual channels has a buffer of its own.
TEST(FlowBuffers, OtherVirtualChannelsPass)
{
    Ring ring;
    ring.book.find(0, 2);
    ring.book.find(1, 0);
    ring.send(1, 2, 4000);
    for (int part = 0; part < 3; ++part) ring.send(0, 2, 1000);
    ring.send(3, 1, 1000);
    ring.run();
    EXPECT_EQ(ring.ends.at(4), 20'000U) << "behind the part that is on the wire";
    EXPECT_EQ(ring.ends.at(3), 70'000U);
}

// The larger the buffer, the earlier others pass.
TEST(FlowBuffers, LargerBuffersHoldUpLess)
{
    std::uint64_t before = ~std::uint64_t{0};
    for (const double buffer : {1000.0, 2000.0, 4000.0}) {
        Ring ring;
        for (CostLink& link : ring.links) link.buffer = buffer;
        ring.book.find(0, 2);
        ring.book.find(1, 0);
        ring.send(1, 2, 4000);
        for (int part = 0; part < 3; ++part) ring.send(0, 2, 1000);
        ring.send(0, 1, 1000);
        ring.run();
        EXPECT_LT(ring.ends.at(4), before) << buffer;
        before = ring.ends.at(4);
    }
    EXPECT_EQ(before, 40'000U) << "four parts one after the other";
}

// A part and, behind it, what comes from another link: each input in turn.
TEST(FlowBuffers, InputsTakeTurns)
{
    Ring ring;
    for (CostLink& link : ring.links) link.buffer = 100'000;
    ring.book.find(0, 2);
    ring.book.find(1, 0);
    for (int part = 0; part < 2; ++part) ring.send(0, 2, 1000);
    for (int part = 0; part < 4; ++part) ring.send(1, 2, 1000);
    ring.run();
    EXPECT_EQ(ring.ends.at(2), 10'000U);
    EXPECT_EQ(ring.ends.at(0), 20'000U) << "it came at 500";
    EXPECT_EQ(ring.ends.at(3), 30'000U);
    EXPECT_EQ(ring.ends.at(1), 40'000U);
    EXPECT_EQ(ring.ends.at(4), 50'000U);
}

// Stores and acknowledges take turns, a part each; where lines share packets, a packet of acknowledges, which has as many of them as of
// lines. In either case the last of all is over at the same time.
TEST(FlowBuffers, AcknowledgesOfOnePairShareAPacket)
{
    using Ends = std::vector<std::uint64_t>;
    for (const std::uint64_t packet_bytes : {0U, 400U}) {
        Ring ring;
        for (CostLink& link : ring.links) {
            link.back_ps_per_byte = 1;
            link.packet_time_ps = 10.0 * static_cast<double>(packet_bytes);
        }
        ring.book.find(0, 2);
        for (int part = 0; part < 4; ++part) ring.send(0, 1, 100);
        for (int part = 0; part < 5; ++part) ring.send(0, 1, 100, true);
        ring.run();
        Ends ends;
        for (const auto& [number, end] : ring.ends) ends.push_back(end);
        EXPECT_EQ(ends,
            packet_bytes == 0 ? (Ends{1000, 2100, 3200, 4300, 1100, 2200, 3300, 4400, 4500})
                              : (Ends{1000, 2400, 3500, 4500, 1100, 1200, 1300, 1400, 2500}));
    }
}

// Others have booked the wire up to 100,000. Acknowledges take turns with them: one packet of acknowledges, the time of a full packet for
// the others, the next packet of acknowledges. Stores wait for the end of the booking.
TEST(FlowBuffers, AcknowledgesTakeTurnsWithWhatIsBookedAhead)
{
    Ring ring;
    for (CostLink& link : ring.links) {
        link.back_ps_per_byte = 1;
        link.packet_time_ps = 4000;
    }
    ring.book.find(0, 2);
    LinkGroup& wire = ring.book.group(ring.book.stage(ring.book.path(ring.book.find(0, 1)), 0).first);
    wire.free_ps = 100'000;
    ring.send(0, 1, 100);
    for (int part = 0; part < 9; ++part) ring.send(0, 1, 100, true);
    ring.run();
    for (const std::uint32_t part : {1U, 2U, 3U, 4U}) EXPECT_EQ(ring.ends.at(part), part * 100U) << part;
    for (const std::uint32_t part : {5U, 6U, 7U, 8U}) EXPECT_EQ(ring.ends.at(part), 4000U + part * 100U) << part;
    EXPECT_EQ(ring.ends.at(9), 8900U);
    EXPECT_EQ(ring.ends.at(0), 101'900U) << "what the acknowledges took is behind what was booked";
}

// Transfers that wait for their turn outside of these buffers get the wire between two parts.
TEST(FlowBuffers, WhatWaitsElsewhereHasItsTurnToo)
{
    for (const bool waits : {false, true}) {
        Ring ring;
        ring.book.find(0, 2);
        ring.book.group(ring.book.stage(ring.book.path(ring.book.find(0, 1)), 0).first).queued = waits;
        for (int part = 0; part < 2; ++part) ring.send(0, 1, 500);
        ring.run();
        EXPECT_EQ(ring.ends.at(0), 5000U);
        EXPECT_EQ(ring.ends.at(1), waits ? 15'000U : 10'000U);
    }
}

// Three parts, each in the buffer that another one needs: nothing is due any more, and it is seen.
TEST(FlowBuffers, ACircleOfFullBuffersIsSeenAndBroken)
{
    Ring ring;
    ring.book.find(0, 2);
    ring.book.find(1, 0);
    ring.book.find(2, 1);
    for (std::uint32_t rank = 0; rank < 3; ++rank) ring.send(rank, (rank + 2) % 3, 1000);
    ring.run();
    EXPECT_TRUE(ring.ends.empty());
    EXPECT_EQ(ring.buffers.waiting(), 3U);
    ring.buffers.break_circle(ring.now);
    ring.take();
    ring.run();
    EXPECT_EQ(ring.ends.size(), 3U);
    EXPECT_EQ(ring.buffers.waiting(), 0U);
    EXPECT_EQ(ring.buffers.circles(), 1U);
}

// Paths that pass no rank, and links whose rate follows from the credits of acknowledges, are not for it.
TEST(FlowBuffers, TakesOnlyPathsThroughRanks)
{
    Ring alone;
    EXPECT_FALSE(alone.buffers.takes(alone.on.put(alone.book.find(0, 1), 0, 100, 0)));
    // Where acknowledges wait for packets, their credits run out in place of the buffers; beyond 64 ranks they do not wait.
    for (const bool waits : {true, false}) {
        LinkRules rules;
        rules.waits = waits;
        Ring few(rules);
        for (CostLink& link : few.links) link.answer_credits = 0.1;
        EXPECT_EQ(few.buffers.takes(few.on.put(few.book.find(0, 2), 0, 100, 0)), !waits);
    }
    Ring ring;
    EXPECT_TRUE(ring.buffers.takes(ring.on.put(ring.book.find(0, 2), 0, 100, 0)));
    EXPECT_FALSE(ring.buffers.takes(ring.on.put(ring.book.find(0, 2), 0, 0, 0))) << "a signal";
}

}  // namespace flow_buffers_test
