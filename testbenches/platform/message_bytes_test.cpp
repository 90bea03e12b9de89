// What messages of network cards cost on the wire, in plans and in the alpha-beta figure: reckoned by hand from docs/models/nic.md.
#include <gtest/gtest.h>

#include <map>

#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/workload/link_bytes.h"
#include "testbenches/platform/runs.h"

namespace message_bytes_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Servers with one accelerator and one card each, around a switch, by Ethernet as RoCE: 82 B a packet, 16 B a message, 4 B an answer.
const std::string servers = R"(name: servers
devices:
- name: server
  components:
  - {name: xpu, choice: xpu, count: 1, description: accelerator}
  - {name: nic, choice: nic, count: 1, description: card}
  links:
  - {name: pc, description: PCI Express Gen5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pc}
- name: top
  components:
  - {name: sw, choice: switch, count: 1, description: Ethernet switch}
  links: []
  edges: []
instances:
- {name: h, device: server, count: 4}
- {name: t, device: top, count: 1}
links:
- {name: e, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 50}, latency: {ns: 60}}}
edges:
- {ep1: {instance: h, component: nic}, ep2: {instance: t, component: sw}, scheme: many2many, link: e}
)";

RunSetup exchange(const std::string& bytes, unsigned channels)
{
    RunSetup setup;
    setup.document = servers;
    setup.lines = "profile: generic\n" + collective_lines("all_to_all", "direct", bytes);
    setup.sets = {"engine.channels=" + std::to_string(channels)};
    setup.options.data_on = setup.options.progress = false;
    return setup;
}

// On the link of the first card, to the switch.
std::uint64_t planned(const RunSetup& setup, std::uint64_t bytes, std::uint32_t channels)
{
    const ResolvedSystem system = resolve_setup(setup);
    const FabricPlan plan = plan_fabric(system, members_of(system, 4));
    AlgorithmOptions options;
    options.channels = channels;
    const Schedule schedule = make_schedule("direct", CollectiveOp::all_to_all, 4, options);
    for (const LinkBytes& link : link_bytes(system, plan, schedule, Layout(schedule, bytes, 4)))
        if (link.from == "h.0.nic.0" && link.to == "t.0.sw.0") return link.wire;
    return 0;
}

}  // namespace

// Three peers, to each a message of every channel: one line (16 KiB in 64 channels), and 65 lines, which are two packets of up to 4096 B.
TEST(MessageBytes, HeadersAndAnswersOfEveryMessageAreInPlans)
{
    EXPECT_EQ(planned(exchange("16 KiB", 64), 16384, 64), 3U * 64 * (64 + 82 + 16 + 82 + 4));
    EXPECT_EQ(planned(exchange("16640 B", 1), 16640, 1), 3U * (65 * 64 + 2 * 82 + 16 + 82 + 4));
}

// The figure has them, and a run is no shorter.
TEST(MessageBytes, AlphaBetaHasThemToo)
{
    const Json result = run(exchange("16 KiB", 64));
    EXPECT_EQ(result["alpha_beta"]["wire_bytes"], 3U * 64 * (64 + 82 + 16 + 82 + 4));
    EXPECT_LT(result["alpha_beta"]["time_ps"].get<double>(), result["simulated_ps"].get<double>());
}

}  // namespace message_bytes_test
