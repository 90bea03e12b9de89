// What the two parts of a mixed run do to each other on links: acknowledges between packets of data, starts of messages, requests in flight.
#include <gtest/gtest.h>

#include <string>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/flow/mixed/mixed_bench.h"

namespace mixed_links_test {

using namespace weft;
using namespace weft::testing;

namespace {

double time_of(const RunSetup& setup, const std::string& lines)
{
    const Json result = mixed_run(setup, lines);
    EXPECT_EQ(result.value("exit_code", -1), 0) << result;
    return static_cast<double>(result.value("simulated_ps", std::uint64_t{0}));
}

// Three servers of one accelerator, each with a network card at one InfiniBand switch.
const char* const three_servers = R"(
name: three
devices:
- name: server
  components:
  - {name: xpu, choice: xpu, count: 1}
  - {name: psw, choice: switch, count: 1}
  - {name: nic, choice: nic, count: 1}
  links:
  - {name: pcie, description: PCI Express Gen5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: psw}, scheme: many2many, link: pcie}
  - {ep1: {component: nic}, ep2: {component: psw}, scheme: many2many, link: pcie}
- name: tor
  components:
  - {name: asic, choice: switch, count: 1}
  links: []
  edges: []
instances:
- {name: host, device: server, count: 3}
- {name: tor, device: tor, count: 1}
links:
- {name: ib, description: InfiniBand, physical: {bandwidth: {gigabits_per_second: 200}}}
edges:
- {ep1: {instance: host, component: nic}, ep2: {instance: tor, component: asic}, scheme: many2many, link: ib}
)";

RunSetup servers(const std::string& op, const std::string& algorithm, const std::string& bytes)
{
    return on(three_servers,
        "profile: h100\nbind:\n- {nodes: {component: nic}, kind: nic}\n" + collective_lines(op, algorithm, bytes));
}

}  // namespace

// Each rank stores two of three parts, 512 KiB, at 25 GB/s: 21 us of wire, and as many in the other direction. Acknowledges that come while a
// packet passes leave behind it, and hold up nobody: one for each packet would let credits of acknowledges run out (41.9 us).
TEST(MixedLinks, AcknowledgesKeepThePaceOfTheirLinesBehindCards)
{
    const RunSetup ring = servers("all_gather", "ring", "768 KiB");
    const double lines = time_of(ring, "");
    EXPECT_NEAR(time_of(ring, "host.1"), lines, 0.015 * lines);
    // Those of two peers come by two inputs of the switch, and do not break up each other's packets.
    const RunSetup all = servers("all_to_all", "direct", "768 KiB");
    const double all_lines = time_of(all, "");
    EXPECT_NEAR(time_of(all, "host.1"), all_lines, 0.015 * all_lines);
}

// One channel and two peers: two messages of data and two signals start at each card. With 2 us between starts the last begins 6 us
// after the first, at lines and as flow.
TEST(MixedLinks, CardsOfThePartAtFlowStartOneMessageAfterTheOther)
{
    const RunSetup slow = servers("all_gather", "direct", "12 KiB")
                              .with("engine.channels=1")
                              .with("host.0.nic.*.switch.message_interval=2us");
    const double lines = time_of(slow, "");
    EXPECT_GE(lines, 6e6);
    EXPECT_NEAR(time_of(slow, "host.1"), lines, 0.025 * lines);  // flow lets signals start in another order
    EXPECT_NEAR(time_of(slow, "host.0"), lines, 0.01 * lines);
}

// Ranks 2 and 3 have 8 requests in flight for each workgroup, in place of all that they want: 2.3 us without the limit, 4.76 by lines.
TEST(MixedLinks, RequestsInFlightOfRanksAtFlowAreLimitedAcrossTheBorder)
{
    RunSetup few = on(example("dgx_h100"),
        "profile: h100\n" +
            collective_lines("all_to_all", "direct", "64 KiB",
                "ranks: [dgx.0.xpu.0, dgx.0.xpu.1, dgx.0.xpu.2, dgx.0.xpu.3]"));
    for (const char* rank : {"2", "3"}) few = few.with(std::string("dgx.0.xpu.") + rank + ".gpu.outstanding=8");
    const double lines = time_of(few, "");
    EXPECT_NEAR(time_of(few, "dgx.0.xpu.0,dgx.0.xpu.1"), lines, 0.05 * lines);
}

namespace {

// Two switches with two servers each, and a link of 1 GB/s between them.
const char* const two_racks = R"(
name: two_racks
devices:
- name: server
  components:
  - {name: xpu, choice: xpu, count: 1}
  - {name: nic, choice: nic, count: 1}
  links:
  - {name: pcie, description: PCI Express Gen5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: many2many, link: pcie}
- name: tor
  components:
  - {name: asic, choice: switch, count: 1}
  links: []
  edges: []
instances:
- {name: near, device: server, count: 2}
- {name: far, device: server, count: 2}
- {name: tor, device: tor, count: 2}
links:
- {name: ib, description: InfiniBand, physical: {bandwidth: {gigabits_per_second: 200}}}
- {name: between, description: InfiniBand, physical: {bandwidth: {gigabits_per_second: 8}}}
edges:
- {ep1: {instance: near, component: nic}, ep2: {instance: "tor[0]", component: asic}, scheme: many2many, link: ib}
- {ep1: {instance: far, component: nic}, ep2: {instance: "tor[1]", component: asic}, scheme: many2many, link: ib}
- {ep1: {instance: "tor[0]", component: asic}, ep2: {instance: "tor[1]", component: asic}, scheme: one2one, link: between}
)";

// Sixteen sends of 4 KiB in flight each way: 32 messages of 128 B each.
RunSetup sends(const weft::chakra::testing::Folder& folder)
{
    using namespace weft::chakra::testing;
    std::vector<std::vector<std::string>> ranks(4);
    for (int i = 0; i < 16; ++i) {
        ranks[0].push_back(send(2 * i + 1, 2, i, 4096));
        ranks[2].push_back(recv(2 * i + 2, 0, i, 4096));
        ranks[3].push_back(send(2 * i + 1, 1, i, 4096));
        ranks[1].push_back(recv(2 * i + 2, 3, i, 4096));
    }
    return on(two_racks,
        "profile: h100\nbind:\n- {nodes: {component: nic}, kind: nic}\n" + trace_lines(folder.write_set(ranks)))
        .with("engine.communication_in_flight=16");
}

// Bytes between the switches, from the first one to the second.
std::uint64_t bytes_between(const Json& result)
{
    std::uint64_t out = 0;
    for (const Json& link : result["links"]) {
        EXPECT_LE(link["busy_ps"], result["simulated_ps"]) << link;
        if (link["from"] == "tor.0.asic.0" && link["to"] == "tor.1.asic.0")
            out += link["wire_bytes"].get<std::uint64_t>();
    }
    return out;
}

}  // namespace

// Data that leave the part at lines one way, and acknowledges of lines that come back from the other one: both take the link between the
// switches. A short message has a packet of its own, whose whole header it pays: with a share of it there were 130,464 B, and the acknowledges
// passed beside the data.
TEST(MixedLinks, ShortMessagesAndTheirAcknowledgesTakeTheWireThatTheyTakeByLines)
{
    const weft::chakra::testing::Folder folder;
    const RunSetup setup = sends(folder);
    const Json lines = mixed_run(setup, "");
    const Json mixed = mixed_run(setup, "near.0,far.1");
    EXPECT_EQ(mixed.value("exit_code", -1), 0) << mixed;
    EXPECT_EQ(bytes_between(lines), 143'360U);
    EXPECT_EQ(bytes_between(mixed), 143'360U);
    EXPECT_EQ(bytes_between(mixed_run(setup, "flow")), 143'360U);
    const double time = lines["simulated_ps"];
    EXPECT_NEAR(mixed["simulated_ps"].get<double>(), time, 0.02 * time);
}

// Ranks at flow store at all peers at once and book the outputs of the switch, where lines would take turns with them. The rank at lines
// waits for credits, and the run is about so much too long, which a notice tells. With credits for all of its lines it does not wait.
TEST(MixedLinks, ARankThatWaitsBehindBookedLinksIsTold)
{
    const auto notice_of = [](const std::vector<std::string>& sets) {
        RunSetup setup =
            on(star_document(4), "profile: generic\n" + collective_lines("all_gather", "direct", "256 KiB"));
        setup.sets = sets;
        const Json result = mixed_run(setup, "b.0.xpu.0");
        EXPECT_EQ(result.value("exit_code", -1), 0) << result;
        for (const Json& notice : result["notices"])
            if (notice.get<std::string>().find(" waited ") != std::string::npos) return notice.get<std::string>();
        return std::string();
    };
    const std::string text = notice_of({});
    EXPECT_EQ(text.rfind("b.0.xpu.0 -> b.0.sw.0 waited ", 0), 0U) << text;
    EXPECT_NE(text.find("so the run can be too long by up to about as much"), std::string::npos) << text;
    EXPECT_EQ(notice_of({"link.request_credits=5000"}), "");
}

}  // namespace mixed_links_test
