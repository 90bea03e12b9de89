// What transfers, messages and signals take on one link, to the picosecond.
#include <gtest/gtest.h>

#include "collectives/flow/links/flow_links.h"

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

constexpr LinkRules with_packets{0, false, true, false};
constexpr LinkRules with_waits{0, false, true, true, true};
constexpr LinkRules without_waits{0, false, true, false, true};  // beyond 64 ranks

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

// A signal and an acknowledge wait for the packet that is on the wire, and not for those behind it.
TEST(FlowLinks, SignalsAndAcknowledgesWaitForThePacketOnTheWire)
{
    Wire wire;
    for (CostLink& link : wire.links) link.packet_time_ps = 100'000;
    wire.book.find(0, 1);
    wire.book.find(1, 0);
    FlowLinks links(wire.book, with_waits);
    const std::uint64_t data = 4096 * 80 + 16 * 80;  // 328,960: three packets and 28,960 of one
    EXPECT_EQ(wire.end_of(links, 4096, 4096, 1), now_ps + data);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps + 28'960 + 8000) << "and for as much of the data as itself";
    FlowFlight back = links.acknowledge(0, 0, 1, 1000, now_ps + 28'960 + 13'000);
    EXPECT_FALSE(links.pass(back));
    // The signal has moved the end of the data by its 8,000.
    EXPECT_EQ(back.tail_ps, now_ps + 28'960 + 8000 + 100'000);
    EXPECT_DOUBLE_EQ(wire.book.payload(0), 4096) << "an acknowledge is no payload";
    FlowFlight later = links.acknowledge(0, 0, 1, 1000, now_ps + data + 8000);
    EXPECT_FALSE(links.pass(later));
    EXPECT_EQ(later.tail_ps, now_ps + data + 8000) << "nothing is on the wire";
}

// Behind the packet on the wire a signal lets pass as much of the others as it takes itself, so the next one finds a packet on the wire again.
// The last one ends with the wire. Signals once had the wire behind the first packet as if nothing else were on it, and ended
// while it was busy.
TEST(FlowLinks, ARunOfSignalsEndsNoEarlierThanTheWire)
{
    Wire wire;
    for (CostLink& link : wire.links) link.packet_time_ps = 100'000;
    wire.book.find(0, 1);
    FlowLinks links(wire.book, with_waits);
    const std::uint64_t data = 4096 * 80 + 16 * 80;  // 328,960: three packets and 28,960 of one
    wire.end_of(links, 4096, 4096, 1);
    const std::uint64_t first = now_ps + 28'960 + 8000;
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), first);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), first + 8000 + 100'000);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), first + 2 * (8000 + 100'000));
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps + data + 3 * 8000) << "behind all that the wire has before it";
    EXPECT_EQ(wire.book.group(0).free_ps, now_ps + data + 4 * 8000);
    EXPECT_EQ(wire.end_of(links, 0, 0, 1), now_ps + data + 4 * 8000);
}

// A transfer keeps the end that it was told, though signals have passed before it. What comes behind it waits for the wire that they took,
// not for as much as it takes itself only: each would end while the link is busy, and the next one, too.
TEST(FlowLinks, BehindATransferComesAllThatSignalsHaveBooked)
{
    for (const LinkRules& rules : {with_waits, without_waits}) {
        Wire wire;
        wire.book.find(0, 1);
        wire.book.find(1, 0);
        FlowLinks links(wire.book, rules);
        const std::uint64_t data = now_ps + 4096 * 80 + 16 * 80;
        EXPECT_EQ(wire.end_of(links, 4096, 4096, 1), data);
        EXPECT_EQ(wire.end_of(links, 0, 0, 3), now_ps + 24'000) << "three signals let pass as much of the data";
        EXPECT_EQ(wire.book.group(0).free_ps, data + 24'000);
        FlowFlight signal = links.put(0, 0, 0, data);
        EXPECT_FALSE(links.pass(signal));
        EXPECT_EQ(signal.tail_ps, data + 24'000);
        FlowFlight back = links.acknowledge(0, 0, 1, 1000, data + 1000);
        EXPECT_FALSE(links.pass(back));
        EXPECT_EQ(back.tail_ps, data + 32'000);
        EXPECT_EQ(wire.book.group(0).free_ps, data + 32'000);
    }
}

// A path over one of two links that others use together: the links have the same turns whether somebody has asked for it before or not.
TEST(FlowLinks, PartsOfAGroupGoOnFromItsTurns)
{
    const auto ends = [](const LinkRules& rules, bool before, bool lines) {
        Wire wire;
        wire.links[1] = wire.links[0];
        wire.links[0].reverse = wire.links[1].reverse = -1;
        PathBook book(wire.links, [](std::uint32_t, std::uint32_t to) {
            CostPath path;
            path.stages = {to == 1 ? PathStage{0, {{0, 0.5}, {1, 0.5}}} : PathStage{0, {{0, 1}}}};
            path.neighbours = true;
            return path;
        });
        const std::uint32_t both = book.find(0, 1);
        if (before) book.find(0, 2);
        FlowLinks links(book, rules);
        const auto end_of = [&](std::uint32_t path, double bytes, double messages, std::uint64_t at) {
            FlowFlight flight = links.put(path, 0, bytes, at);
            flight.of_line = lines && bytes == 64;
            flight.message = bytes;
            flight.messages = messages;
            EXPECT_FALSE(links.pass(flight));
            return flight.tail_ps;
        };
        std::vector<std::uint64_t> out = {end_of(both, 8192, 1, now_ps)};
        out.push_back(end_of(both, 0, 6, now_ps));
        const std::uint32_t one = book.find(0, 2);
        out.push_back(end_of(one, lines ? 64 : 0, lines ? 0 : 1, now_ps + 1000));
        out.push_back(end_of(one, lines ? 64 : 0, lines ? 0 : 1, out.front() + 1000));
        return out;
    };
    for (const LinkRules& rules : {with_waits, without_waits})
        for (const bool lines : {false, true}) {
            const std::vector<std::uint64_t> known = ends(rules, true, lines);
            EXPECT_EQ(ends(rules, false, lines), known) << rules.waits << lines;
            if (lines) continue;
            // Turns with as much of the data as six signals had, then with as much as it takes itself: the data are still passing.
            EXPECT_EQ(known[2], now_ps + 2 * 24'000 + 8'000);
            // 4096 B and half a header each, behind it what signals have taken of each link.
            EXPECT_EQ(known.back(), now_ps + 4096 * 80 + 16 * 80 / 2 + 24'000 + 8'000);
        }
}

// A line of a border takes turns with transfers and, behind the last of them, passes with all that is booked.
TEST(FlowLinks, ALineOfABorderDoesNotPassWithWhatIsOnTheWire)
{
    Wire wire;
    wire.book.find(0, 1);
    FlowLinks links(wire.book, with_waits);
    EXPECT_EQ(wire.end_of(links, 0, 0, 3), now_ps);
    FlowFlight line = links.put(0, 0, 64, now_ps);
    line.of_line = true;
    line.messages = line.packets = 0;
    EXPECT_FALSE(links.pass(line));
    // 64 B at 80 ps, without their part of a packet's header (102.5 ps).
    EXPECT_EQ(line.tail_ps, now_ps + 24'000 + 5018);
}

// While data wait for their turn, a signal takes no wire. When some of them have passed, signals take as long as these did, and
// behind the last of them the rest.
TEST(FlowLinks, SignalsTakeTurnsWithDataThatWait)
{
    Wire wire;
    wire.book.find(0, 1);
    wire.book.find(1, 0);
    FlowLinks links(wire.book, with_packets);
    LinkGroup& group = wire.book.group(0);
    links.waits(0, 1000);
    group.queued = true;
    wire.end_of(links, 0, 0, 3);  // 24,000 ps
    EXPECT_EQ(group.free_ps, 0U);
    EXPECT_DOUBLE_EQ(group.busy_ps, 0) << "none of it has taken the wire";
    group.free_ps = now_ps + 10'000;  // data have taken the wire until then
    links.pass_others(0, now_ps);
    EXPECT_EQ(group.free_ps, now_ps + 20'000);
    group.queued = false;
    links.pass_others(0, now_ps + 20'000);
    EXPECT_EQ(group.free_ps, now_ps + 34'000);
    links.pass_others(0, now_ps + 34'000);
    EXPECT_EQ(group.free_ps, now_ps + 34'000) << "nothing is left";
    EXPECT_DOUBLE_EQ(group.busy_ps, 24'000);
}

// 10 credits for acknowledges of 64 B each, held for 20,000 ps and 0.66 packets of 100,000: 134.375 ps a byte, behind network cards 0.95
// packets and 179.6875 ps, where data of several pairs pass. The rate of the link is 80, which a single pair has, and data that
// nothing comes against, and loads.
void expect_held_up(bool cards, std::uint64_t second)
{
    Wire wire;
    for (CostLink& link : wire.links) {
        link.packet_payload = cards ? 640 : 0;
        link.packet_ps = link.message_ps = link.answer_ps = 0;
        link.packet_time_ps = 100'000;
        link.answer_credits = 10;
        link.answer_round_ps = 20'000;
    }
    EXPECT_EQ(wire.book.find(0, 1), 0U);
    EXPECT_EQ(wire.book.find(1, 0), 1U);
    EXPECT_EQ(wire.book.find(1, 2), 2U);
    FlowLinks links(wire.book, with_waits);
    EXPECT_EQ(wire.end_of(links, 6400, 6400, 1), now_ps + 6400 * 80);
    EXPECT_EQ(wire.end_of(links, 640, 640, 1, 1), now_ps + 51'200) << "the other direction, a single pair";
    EXPECT_EQ(wire.end_of(links, 640, 640, 1, 2), now_ps + 51'200 + second) << "another pair behind it";
    EXPECT_DOUBLE_EQ(wire.book.busy_ps(1), 1280 * 80) << "it takes the wire no longer than its bytes do";
    FlowFlight answer = links.put(1, 1, 640, now_ps);
    answer.messages = 1;
    answer.message = 640;
    answer.loaded = true;
    EXPECT_FALSE(links.pass(answer));
    EXPECT_EQ(answer.tail_ps, now_ps + 51'200 + second + 640 * 80);
}

TEST(FlowLinks, AcknowledgesWithoutCreditsHoldUpData)
{
    expect_held_up(false, 86'000);
    expect_held_up(true, 115'000);
}

// As many credits as packets can hold up: nothing changes.
TEST(FlowLinks, EnoughCreditsForAcknowledgesChangeNothing)
{
    Wire wire;
    for (CostLink& link : wire.links) {
        link.packet_payload = link.answer_ps = 0;
        link.packet_time_ps = 100'000;
        link.answer_credits = 23;
        link.answer_round_ps = 20'000;
    }
    wire.book.find(0, 1);
    wire.book.find(1, 0);
    wire.book.find(1, 2);
    FlowLinks links(wire.book, with_waits);
    EXPECT_EQ(wire.end_of(links, 6400, 6400, 1), now_ps + 6400 * 80);
    EXPECT_EQ(wire.end_of(links, 640, 640, 1, 1), now_ps + 640 * 80);
    EXPECT_EQ(wire.end_of(links, 640, 640, 1, 2), now_ps + 1280 * 80);
}

// Credits for acknowledges of 640 B, back after 100,000 ps, behind a switch 160,000: what goes beyond one bucket waits for them, whatever
// comes against it, of a single pair and beyond 64 ranks as well.
TEST(FlowLinks, CreditsAloneBoundWhatIsStored)
{
    for (const bool behind_switch : {false, true})
        for (const bool waits : {false, true}) {
            Wire wire;
            for (CostLink& link : wire.links) {
                link.packet_payload = link.message_ps = link.answer_ps = 0;
                link.packet_time_ps = 64 * 80;
                link.answer_credits = 10;
                link.answer_round_ps = 100'000;
                link.answer_dwell_ps = 60'000;
            }
            wire.book.find(0, 1);
            FlowLinks links(wire.book, waits ? with_waits : without_waits);
            const auto end_of = [&](double bytes, std::uint64_t now) {
                FlowFlight flight = links.put(0, 0, bytes, now);
                flight.message = bytes;
                flight.messages = 1;
                flight.passed = behind_switch ? 1 : 0;
                EXPECT_FALSE(links.pass(flight));
                return flight.tail_ps;
            };
            const std::uint64_t round = behind_switch ? 160'000 : 100'000;
            EXPECT_EQ(end_of(640, now_ps), now_ps + 640 * 80) << "there are credits for all";
            EXPECT_EQ(end_of(64, now_ps), now_ps + 640 * 80 + round / 10) << "when one is back";
            EXPECT_EQ(end_of(6400, now_ps), now_ps + 640 * 80 + round / 10 + 10 * round);
            const std::uint64_t later = now_ps + 20 * round;
            EXPECT_EQ(end_of(640, later), later + 640 * 80) << "all are back";
            EXPECT_DOUBLE_EQ(wire.book.busy_ps(0), (640 + 64 + 6400 + 640) * 80) << "the wire waits";
            FlowFlight answer = links.put(0, 0, 6400, later + 20 * round);
            answer.loaded = true;
            EXPECT_FALSE(links.pass(answer));
            EXPECT_EQ(answer.tail_ps, later + 20 * round + 6400 * 80) << "what is loaded has no acknowledge";
        }
}

}  // namespace flow_links_test
