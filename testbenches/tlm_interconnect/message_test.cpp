// Network cards: messages of lines that leave a node, against the sums and rates that they are defined by.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

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
                spec.merge = static_cast<std::uint64_t>(MergeKind::destination);
                spec.max_payload = 4160;
                spec.packet_overhead = 82;
            } else {
                spec.bandwidth = pcie_rate;
                spec.latency = pcie_latency;
                spec.header = 24;
            }
        };
    }

    // Arrivals of `lines` writes of e0 at e1, issued at once.
    std::vector<Time> send(unsigned lines, LineOp op = LineOp::write, Time apart = 0) const
    {
        const std::string text = in_child([&] {
            FabricSystem system(fabric, options);
            for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(apart * i, op, 1, 64 * i, op == LineOp::atomic ? 8 : 64);
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
};

Time on(std::uint64_t bytes, std::uint64_t rate) { return bytes * 1'000'000'000'000 / rate; }

// One line by itself, without what the message costs.
constexpr Time alone(std::uint64_t payload)
{
    return (24 + payload) * 1'000'000'000'000 / pcie_rate + pcie_latency + card_latency +
           (82 + 1 + payload) * 1'000'000'000'000 / net_rate + net_latency + card_latency +
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
    // Collected first, unless it is an atomic.
    hosts.options.switches.message_hold = 700'000;
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64) + 1'000'000});
    EXPECT_EQ(hosts.send(1, LineOp::atomic), std::vector<Time>{alone(8) + 300'000});
    // Answers pass: a read's way back is not delayed, and without messages neither is its way there.
    hosts.options.switches.message = 0;
    EXPECT_EQ(hosts.send(1), std::vector<Time>{alone(64)});
}

TEST(Messages, LongOnesRunAtTheRateOfTheWireWithAHeaderPerMtu)
{
    Hosts hosts;
    hosts.options.switches.message_overhead = 300'000;
    hosts.options.switches.message_interval = 5'000;
    const unsigned lines = 64 * 64;  // 64 messages of 4 KiB
    const std::vector<Time> at = hosts.send(lines);
    ASSERT_EQ(at.size(), lines);
    // Between the first lines of packet 10 and packet 60: 50 times 64 lines of 65 B and an overhead.
    EXPECT_NEAR(static_cast<double>(at[60 * 64] - at[10 * 64]), 50.0 * static_cast<double>(on(64 * 65 + 82, net_rate)), 2.0);
    // The same in bytes.
    const std::string bytes = in_child([&] {
        FabricSystem system(hosts.fabric, hosts.options);
        for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
        sc_core::sc_start();
        return std::to_string(system.links[0]->direction(0).wire_bytes);
    });
    EXPECT_EQ(bytes, std::to_string(lines * 65 + 64 * 82));
}

TEST(Messages, ShortOnesRunAtTheRateOfMessages)
{
    Hosts hosts;
    hosts.options.switches.message_interval = 100'000;  // longer than a packet stays open
    hosts.options.switches.message = 64;  // every line is a message
    const std::vector<Time> at = hosts.send(200);
    for (unsigned i = 1; i < 200; ++i) EXPECT_EQ(at[i] - at[i - 1], 100'000u) << i;
    EXPECT_EQ(at[0], alone(64));
    // Two lines to a message: half as many starts.
    hosts.options.switches.message = 128;
    const std::vector<Time> pairs = hosts.send(200);
    EXPECT_EQ(pairs[198] - pairs[0], 99u * 100'000);
}

TEST(Messages, SilenceEndsAMessage)
{
    Hosts hosts;
    hosts.options.switches.message_overhead = 300'000;
    hosts.options.switches.message_gap = 50'000;
    // Lines 40 ns apart stay in the first message: those that come after its start do not wait.
    const std::vector<Time> close = hosts.send(20, LineOp::write, 40'000);
    EXPECT_EQ(close[0], alone(64) + 300'000);
    EXPECT_LT(close[19], alone(64) + 19 * 40'000 + 300'000);
    // 100 ns apart every one is a message of its own, and a packet too.
    const std::vector<Time> far = hosts.send(20, LineOp::write, 100'000);
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(far[i], alone(64) + 100'000 * i + 300'000) << i;
}

TEST(Messages, AHeldMessageStartsWhenItIsFullOrItsTimeIsOver)
{
    Hosts hosts;
    hosts.options.switches.message = 256;
    hosts.options.switches.message_hold = 1'000'000;
    // Six lines 50 ns apart: four fill a message, two wait out the time.
    const std::vector<Time> at = hosts.send(6, LineOp::write, 50'000);
    const Time card = on(88, pcie_rate) + pcie_latency + card_latency;
    const Time first = 150'000 + card;               // the fourth line has come
    const Time rest = 200'000 + card + 1'000'000;    // the fifth came, and nobody filled it up
    const Time after = alone(64) - card;
    EXPECT_EQ(at[0], first + after);
    EXPECT_EQ(at[4], rest + after);
    EXPECT_LT(at[3], at[4]);
    // A buffer that cannot hold a message: time frees it.
    hosts.options.link.request_credits = 2;
    EXPECT_EQ(hosts.send(40).size(), 40u);
}

TEST(Messages, StreamsThatShareAPlaceEndEachOthersMessages)
{
    Hosts hosts;
    hosts.options.switches.message_interval = 10'000;
    const auto messages = [&](std::uint64_t streams) {
        hosts.options.switches.message_streams = streams;
        return in_child([&] {
            FabricSystem system(hosts.fabric, hosts.options);
            for (unsigned i = 0; i < 40; ++i)
                system.endpoints[0]->issue(1'000 * i, i % 2 == 0 ? LineOp::write : LineOp::read, 1, 64 * i);
            sc_core::sc_start();
            system.expect_clean();
            for (const Statistic& statistic : system.switches[0]->statistics())
                if (statistic.name == "messages") return std::to_string(static_cast<int>(statistic.value));
            return std::string("none");
        });
    };
    EXPECT_EQ(messages(1), "40");
    EXPECT_EQ(messages(256), "2");
}

}  // namespace message_test
