// Messages whose lines take several network cards, or several ports of one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/flow/links/flow_links.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_cards_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t interval_ps = 1'000'000;

// Rank 0 to rank 1 over two links, from these cards. Headers of 16 B a message and 26 B a packet of 4 KiB, at 1 ps/B.
class TwoLinks {
public:
    TwoLinks(std::int32_t first, std::int32_t second)
        : links_(2), book_(links_, [](std::uint32_t from, std::uint32_t to) -> CostPath {
              if (from == to) return {};
              return {{PathStage{0, {{0, 0.5}, {1, 0.5}}}}, 0, 0, true};
          })
    {
        for (CostLink& link : links_) {
            link.packet_payload = 4096;
            link.packet_ps = 26;
            link.message_ps = 16;
            link.card = true;
            link.message_interval_ps = static_cast<double>(interval_ps);
        }
        links_[0].from = first;
        links_[1].from = second;
        rules_.packets = rules_.starts = true;
    }

    // When the second one of two messages starts that come at 0.
    std::uint64_t second_start(double bytes)
    {
        FlowLinks links(book_, rules_);
        FlowFlight flight;
        for (int i = 0; i < 2; ++i) {
            flight = links.put(book_.find(0, 1), 0, bytes, 0);
            if (bytes <= 0) flight.message = 0;
            links.pass(flight);
        }
        return flight.head_ps;
    }
    // Headers of a message on each link, ps.
    double headers(double bytes)
    {
        FlowLinks links(book_, rules_);
        FlowFlight flight = links.put(book_.find(0, 1), 0, bytes, 0);
        links.pass(flight);
        return book_.busy_ps(0);
    }
    std::uint32_t cards() { return book_.path(book_.find(0, 1)).cards; }

    LinkRules rules_;

private:
    std::vector<CostLink> links_;
    PathBook book_;
};

// Three hosts of two accelerators that share two cards.
std::string hosts()
{
    return R"(name: hosts
devices:
- name: server
  components:
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA H100}
  - {name: psw, choice: switch, count: 1, description: PCIe switch}
  - {name: nic, choice: nic, count: 2, description: network card}
  links:
  - {name: pcie, description: PCI Express Gen5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: psw}, scheme: many2many, link: pcie}
  - {ep1: {component: nic}, ep2: {component: psw}, scheme: many2many, link: pcie}
- name: tor
  components:
  - {name: asic, choice: switch, count: 1, description: InfiniBand switch}
  links: []
  edges: []
instances:
- {name: host, device: server, count: 3}
- {name: tor, device: tor, count: 1}
links:
- {name: ib, description: InfiniBand, physical: {bandwidth: {gigabits_per_second: 200}, latency: {ns: 300}}}
edges:
- {ep1: {instance: host, component: nic}, ep2: {instance: tor, component: asic}, scheme: many2many, link: ib}
)";
}

RunSetup on_hosts(const std::string& bytes, const std::string& interval)
{
    RunSetup out;
    out.document = hosts();
    out.lines = "profile: h100\n" + collective_lines("all_gather", "direct", bytes);
    out.options.progress = out.options.data_on = false;
    return out.with("engine.channels=4").with("*.nic.*.switch.message_interval=" + interval);
}

RunResult flow(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

}  // namespace

// Lines of a message alternate between the cards, so each card that any come to starts a message.
TEST(FlowCards, AMessageStartsAtEachCardThatItsLinesTake)
{
    TwoLinks two(7, 8);
    EXPECT_EQ(two.cards(), 2U);
    const auto start = [](double bytes, double stripe) {
        TwoLinks of(7, 8);
        of.rules_.stripe = stripe;
        return of.second_start(bytes);
    };
    EXPECT_EQ(start(2048, 64), interval_ps);
    EXPECT_EQ(start(128, 64), interval_ps);
    EXPECT_EQ(start(64, 64), interval_ps / 2);  // a line takes one of them: every second one each
    EXPECT_EQ(start(0, 64), interval_ps / 2);   // a signal
    EXPECT_EQ(start(2048, 2048), interval_ps / 2);
    EXPECT_EQ(start(4096, 2048), interval_ps);
}

// Ports of a card start messages one after the other, and a message once: its packets take one of them each.
TEST(FlowCards, PortsOfACardStartMessagesTogether)
{
    EXPECT_EQ(TwoLinks(7, 7).cards(), 1U);
    for (const double bytes : {0.0, 64.0, 2048.0}) EXPECT_EQ(TwoLinks(7, 7).second_start(bytes), interval_ps) << bytes;
}

// Of 2 KiB each card has 1 KiB, which is a packet of a message. Rates of packets have a full one's part of a header already.
TEST(FlowCards, EachCardAddsHeaders)
{
    EXPECT_DOUBLE_EQ(TwoLinks(7, 8).headers(2048), 16 + 26 * (1 - 1024.0 / 4096));
    EXPECT_DOUBLE_EQ(TwoLinks(7, 7).headers(2048), 0.5 * (16 + 26 * (1 - 2048.0 / 4096)));
}

// Two ranks x 4 remote peers x 4 channels are 32 messages at each of two cards, of a line 16, and 32 signals 16 at each.
TEST(FlowCards, CardsStartAsManyMessagesAsByLines)
{
    for (const auto& [bytes, starts] : {std::pair{"48 KiB", 48U}, std::pair{"1536 B", 32U}}) {
        const Json lines = run(on_hosts(bytes, "3 us"));
        unsigned cards = 0;
        for (const Json& module : lines["modules"]) {
            if (module["name"].get<std::string>().find(".nic.") == std::string::npos) continue;
            ++cards;
            EXPECT_EQ(module["stats"]["messages"]["value"].get<unsigned>(), starts) << bytes;
        }
        EXPECT_EQ(cards, 6U);
        const auto by_flow = static_cast<double>(flow(on_hosts(bytes, "3 us")).simulated_ps);
        EXPECT_NEAR(by_flow / lines["simulated_ps"].get<double>(), 1, 0.03) << bytes;
    }
    // Cards that slow never wait for a wire. Each has half of the last signal.
    const std::uint64_t slow_ps = flow(on_hosts("48 KiB", "4 us")).simulated_ps;
    EXPECT_EQ(2 * (flow(on_hosts("48 KiB", "5 us")).simulated_ps - slow_ps), (2 * 48 - 1) * interval_ps);
}

TEST(FlowCards, TheirLinksCarryWhatTheyCarryByLines)
{
    const RunSetup setup = on_hosts("48 KiB", "5 ns");
    const Json lines = run(setup);
    const Json by_flow = result_of([&] { return flow(setup); });
    // Signals take the card of their line, so the two of a host share them unequally.
    const auto carried = [](const Json& result) {
        std::uint64_t bytes = 0;
        for (const Json& link : result["links"])
            if (link["name"].get<std::string>().find("~tor") != std::string::npos)
                bytes += link["wire_bytes"].get<std::uint64_t>();
        return bytes;
    };
    EXPECT_EQ(carried(by_flow), carried(lines));
    EXPECT_EQ(carried(by_flow), 12 * 36352U);
}

}  // namespace flow_cards_test
