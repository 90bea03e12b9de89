// Network cards: messages of lines that leave a node, against the sums and rates that they are defined by.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "tlm_interconnect/kernel/random_stream.h"
#include "tlm_interconnect/kernel/recent_keys.h"

namespace message_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time pcie_latency = 100'000;
constexpr Time net_latency = 125'000;
constexpr Time card_latency = 500'000;
constexpr std::uint64_t pcie_rate = 128'000'000'000;
constexpr std::uint64_t net_rate = 50'000'000'000;

// e0 - card s0 - network - card s1 - e1. Edge 0 is the network's.
struct Hosts {
    Fabric fabric = chain_of(2);
    FabricSystem::Options options;

    Hosts()
    {
        options.switches.latency = card_latency;
        options.switches.message = 4096;
        options.link.request_credits = options.link.response_credits = 4096;
        options.adjust = [](std::uint32_t edge, LinkSpec& spec) {
            spec.flit = 1;
            spec.byte_enable = 0;
            if (edge == 0) {
                spec.bandwidth = net_rate;
                spec.latency = net_latency;
                spec.header = 1;
                spec.merge = MergeKind::destination;
                spec.max_payload = 4160;
                spec.packet_overhead = 82;
                spec.message_header = 16;
                spec.message_answer = 4;
            } else {
                spec.bandwidth = pcie_rate;
                spec.latency = pcie_latency;
                spec.header = 24;
            }
        };
    }

    // Issues `lines` lines of e0 for e1; `in_transfer` in a row are parts of one transfer, 0: each is one by itself.
    static void issue(FabricSystem& system, unsigned lines, LineOp op, Time apart, unsigned in_transfer)
    {
        for (unsigned i = 0; i < lines; ++i) {
            system.endpoints[0]->issue(apart * i, op, 1, 64 * i, op == LineOp::atomic ? 8 : 64,
                in_transfer > 0 ? 1 + i / in_transfer : 0);
        }
    }

    // Their arrivals.
    std::vector<Time> send(unsigned lines, LineOp op = LineOp::write, Time apart = 0, unsigned in_transfer = 0) const
    {
        const std::string text = in_child([&] {
            FabricSystem system(fabric, options);
            issue(system, lines, op, apart, in_transfer);
            sc_core::sc_start();
            system.expect_clean();
            std::string out;
            for (const Endpoint::Record& record : system.endpoints[1]->served) out += std::to_string(record.at) + " ";
            return out;
        });
        std::vector<Time> out;
        std::istringstream in(text);
        for (Time at = 0; in >> at;) out.push_back(at);
        return out;
    }

    // "bytes there, packets there; bytes back, packets back" of the network's link.
    std::string on_the_wire(unsigned lines, LineOp op, Time apart, unsigned in_transfer) const
    {
        return in_child([&] {
            FabricSystem system(fabric, options);
            issue(system, lines, op, apart, in_transfer);
            sc_core::sc_start();
            system.expect_clean();
            const LinkModel::Direction there = system.links[0]->direction(0);
            const LinkModel::Direction back = system.links[0]->direction(1);
            return amounts(there.wire_bytes, there.packets, back.wire_bytes, back.packets);
        });
    }
    static std::string amounts(std::uint64_t there, std::uint64_t packets_there, std::uint64_t back,
        std::uint64_t packets_back)
    {
        return std::to_string(there) + " B in " + std::to_string(packets_there) + ", " + std::to_string(back) +
            " B in " + std::to_string(packets_back);
    }
};

Time on(std::uint64_t bytes, std::uint64_t rate) { return bytes * 1'000'000'000'000 / rate; }

// One line by itself, without what the message costs.
constexpr Time alone(std::uint64_t payload)
{
    return (24 + payload) * 1'000'000'000'000 / pcie_rate + pcie_latency + card_latency +
        (82 + 16 + payload) * 1'000'000'000'000 / net_rate + net_latency + card_latency +
        (24 + payload) * 1'000'000'000'000 / pcie_rate + pcie_latency;
}

}  // namespace

TEST(Messages, OneLineTakesTheSumOfItsParts)
{
    Hosts hosts;
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64)});
    EXPECT_EQ(hosts.send(1, LineOp::atomic), std::vector<Time>{alone(8)});
    hosts.options.switches.message_overhead = 300'000;
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64) + 300'000});
    // Collected first, where more may come.
    hosts.options.switches.message_hold = 700'000;
    EXPECT_EQ(hosts.send(1, LineOp::write, 0, 1), std::vector<Time>{alone(64) + 1'000'000});
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64) + 300'000});
    EXPECT_EQ(hosts.send(1, LineOp::atomic, 0, 1), std::vector<Time>{alone(8) + 300'000});
    // Without messages the line packs as others do: a header of 1 B in place of the message's 16.
    hosts.options.switches.message = 0;
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64) - on(15, net_rate)});
}

// n bytes with an MTU of m take n + ceil(n / m) x overhead + message header, and one acknowledge comes back; a read is the
// same the other way. When lines come changes nothing.
TEST(Messages, BytesOnTheWireFollowFromTheMessageAlone)
{
    Hosts hosts;
    hosts.options.switches.message = 1 << 20;
    for (const unsigned lines : {1U, 63U, 64U, 65U, 128U, 1000U}) {
        const unsigned packets = (lines + 63) / 64;
        const unsigned data = 64 * lines + 82 * packets;
        for (const Time apart : {0U, 1'000U, 200'000U}) {
            EXPECT_EQ(hosts.on_the_wire(lines, LineOp::write, apart, lines),
                Hosts::amounts(data + 16, packets, 82 + 4, 1))
                << lines << " lines " << apart << " ps apart";
            EXPECT_EQ(hosts.on_the_wire(lines, LineOp::read, apart, lines),
                Hosts::amounts(82 + 16, 1, data + 4, packets))
                << lines << " lines " << apart << " ps apart";
        }
    }
    // Lines of no transfer, and transfers of two lines.
    EXPECT_EQ(hosts.on_the_wire(100, LineOp::write, 0, 0), Hosts::amounts(100 * (64 + 98), 100, 100 * 86, 100));
    EXPECT_EQ(hosts.on_the_wire(100, LineOp::write, 0, 2), Hosts::amounts(50 * (128 + 98), 50, 50 * 86, 50));
    EXPECT_EQ(hosts.on_the_wire(100, LineOp::atomic, 0, 100), Hosts::amounts(100 * (8 + 98), 100, 100 * 86, 100));
    // A transfer of 1000 transactions in messages of at most 100.
    hosts.options.switches.message = 6400;
    EXPECT_EQ(hosts.on_the_wire(1000, LineOp::write, 0, 1000),
        Hosts::amounts(64'000 + 20 * 82 + 10 * 16, 20, 10 * 86, 10));
}

// A link of the path that takes less: the card cuts for the whole way, here its own link's.
TEST(Messages, PacketsHaveTheMtuOfTheLink)
{
    Hosts hosts;
    hosts.options.switches.message = 1 << 20;
    const auto adjust = hosts.options.adjust;
    hosts.options.adjust = [adjust](std::uint32_t edge, LinkSpec& spec) {
        adjust(edge, spec);
        if (edge == 0) spec.max_payload = 16 * 65;
    };
    EXPECT_EQ(hosts.on_the_wire(100, LineOp::write, 0, 100), Hosts::amounts(6400 + 7 * 82 + 16, 7, 86, 1));
}

TEST(Messages, LongOnesRunAtTheRateOfTheWireWithAHeaderPerMtu)
{
    Hosts hosts;
    hosts.options.switches.message_overhead = 300'000;
    hosts.options.switches.message_interval = 5'000;
    const unsigned lines = 64 * 64;  // 64 messages of 4 KiB, each a packet
    const std::vector<Time> at = hosts.send(lines, LineOp::write, 0, lines);
    ASSERT_EQ(at.size(), lines);
    // Between the first lines of packet 10 and packet 60: 50 times 64 lines of 64 B and the headers.
    EXPECT_NEAR(static_cast<double>(at[60 * 64] - at[10 * 64]),
        50.0 * static_cast<double>(on(64 * 64 + 82 + 16, net_rate)), 2.0);
}

TEST(Messages, ShortOnesRunAtTheRateOfMessages)
{
    Hosts hosts;
    hosts.options.switches.message_interval = 100'000;
    const std::vector<Time> at = hosts.send(200);
    for (unsigned i = 1; i < 200; ++i) EXPECT_EQ(at[i] - at[i - 1], 100'000u) << i;
    EXPECT_EQ(at[0], alone(64));
    // Two lines to a message: half as many starts.
    const std::vector<Time> pairs = hosts.send(200, LineOp::write, 0, 2);
    EXPECT_EQ(pairs[198] - pairs[0], 99u * 100'000);
}

// Whether lines ride together is the transfer's to say, not the clock's.
TEST(Messages, NearnessInTimeJoinsNothing)
{
    Hosts hosts;
    hosts.options.switches.message_overhead = 300'000;
    hosts.options.switches.message_interval = 5'000;
    // 10 ns apart every line is a message: the start, and all headers.
    const std::vector<Time> near = hosts.send(20, LineOp::write, 10'000);
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(near[i], alone(64) + 300'000 + 10'000 * i) << i;
    // Lines of one transfer 5 us apart: neither, but for the first.
    const std::vector<Time> far = hosts.send(20, LineOp::write, 5'000'000, 20);
    EXPECT_EQ(far[0], alone(64) + 300'000);
    for (unsigned i = 1; i < 20; ++i) EXPECT_EQ(far[i], alone(64) - on(98, net_rate) + 5'000'000 * i) << i;
}

// Open loop, lines of no transfer at random times: at no load the sum of the parts, exactly, and never less at a higher
// one. Load 1 is the card's rate of messages. The card is an M/D/1 queue: mean wait = load / (2 (1 - load)) x interval.
TEST(Messages, MeanLatencyDoesNotFallWithLoad)
{
    constexpr unsigned lines = 20'000;
    constexpr double interval = 5'000;
    Hosts hosts;
    hosts.options.switches.message_overhead = 300'000;
    hosts.options.switches.message_interval = 5'000;
    double before = 0;
    for (const double load : {0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8}) {
        const std::string text = in_child([&] {
            FabricSystem system(hosts.fabric, hosts.options);
            RandomStream random(1, 0);
            double at = 0;
            std::vector<Time> created;
            for (unsigned i = 0; i < lines; ++i) {
                at -= std::log(1 - random.uniform()) * interval / load;
                created.push_back(static_cast<Time>(at));
                system.endpoints[0]->issue(created.back(), LineOp::write, 1, 64 * i);
            }
            sc_core::sc_start();
            system.expect_clean();
            double sum = 0;
            Time least = ~Time{0};
            for (const Endpoint::Record& record : system.endpoints[1]->served) {
                const Time latency = record.at - created[record.tag];
                sum += static_cast<double>(latency);
                least = std::min(least, latency);
            }
            return std::to_string(least) + " " + std::to_string(sum / lines);
        });
        std::istringstream in(text);
        Time least = 0;
        double mean = 0;
        in >> least >> mean;
        EXPECT_EQ(least, alone(64) + 300'000) << load;
        EXPECT_GE(mean, before) << "load " << load;
        EXPECT_NEAR(mean - static_cast<double>(least), load / (2 * (1 - load)) * interval,
            0.1 * load / (1 - load) * interval + 10)
            << "load " << load;
        before = mean;
    }
}

TEST(Messages, AHeldMessageStartsWhenItIsFullOrItsTimeIsOver)
{
    Hosts hosts;
    hosts.options.switches.message = 256;
    hosts.options.switches.message_hold = 1'000'000;
    // Six lines 50 ns apart: four fill a message, two wait out the time.
    const std::vector<Time> at = hosts.send(6, LineOp::write, 50'000, 6);
    const Time card = on(88, pcie_rate) + pcie_latency + card_latency;
    const Time first = 150'000 + card;             // the fourth line has come
    const Time rest = 200'000 + card + 1'000'000;  // the fifth came, and nobody filled it up
    const Time after = alone(64) - card;
    EXPECT_EQ(at[0], first + after);
    EXPECT_EQ(at[4], rest + after);
    EXPECT_LT(at[3], at[4]);
    // A buffer that cannot hold a message: time frees it.
    hosts.options.link.request_credits = 2;
    EXPECT_EQ(hosts.send(40, LineOp::write, 0, 40).size(), 40u);
}

// A card remembers so many transfers: a line of one that it has forgotten starts a message anew.
TEST(Messages, AForgottenTransferStartsAnew)
{
    Hosts hosts;
    hosts.options.switches.message_interval = 10'000;
    const auto messages = [&](std::uint64_t streams, unsigned transfers) {
        hosts.options.switches.message_streams = streams;
        return in_child([&] {
            FabricSystem system(hosts.fabric, hosts.options);
            for (unsigned i = 0; i < 10 * transfers; ++i) {
                system.endpoints[0]->issue(1'000 * i, i % 2 == 0 ? LineOp::write : LineOp::read, 1, 64 * i, 64,
                    1 + i % transfers);
            }
            sc_core::sc_start();
            system.expect_clean();
            for (const Statistic& statistic : system.switches[0]->statistics())
                if (statistic.name == "messages") return std::to_string(static_cast<int>(statistic.value));
            return std::string("none");
        });
    };
    EXPECT_EQ(messages(1, 2), "20");
    EXPECT_EQ(messages(2, 2), "2");
    EXPECT_EQ(messages(256, 256), "256");
    EXPECT_EQ(messages(255, 256), "2560");  // each is used longest ago when its turn comes
}

// The same, number by number, against a list that is searched.
TEST(Messages, RecentKeysForgetTheOneUsedLongestAgo)
{
    RandomStream random(7, 0);
    for (const unsigned places : {1U, 2U, 7U, 64U}) {
        RecentKeys keys(places);
        std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;  // key and place, the one used last in front
        for (unsigned step = 0; step < 5'000; ++step) {
            const std::uint64_t key = random.below(2 * places + 1) << 20;
            const auto known =
                std::find_if(expected.begin(), expected.end(), [&](const auto& e) { return e.first == key; });
            const std::uint32_t found = keys.find(key);
            ASSERT_EQ(found != RecentKeys::none, known != expected.end()) << places << " places, step " << step;
            if (known != expected.end()) {
                ASSERT_EQ(found, known->second);
                std::rotate(expected.begin(), known, known + 1);
                continue;
            }
            const std::uint32_t place = keys.insert(key);
            ASSERT_LT(place, places);
            if (expected.size() == places) {
                ASSERT_EQ(place, expected.back().second);
                expected.pop_back();
            }
            expected.insert(expected.begin(), {key, place});
        }
    }
}

}  // namespace message_test
