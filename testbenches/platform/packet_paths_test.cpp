// Behind a network card a packet takes one of the equal paths, and these have as many packets each, whatever their number.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace packet_paths_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Four servers of one accelerator and one card, two to a leaf.
std::string leaves_and_spines(unsigned spines)
{
    return R"(name: clos
devices:
- name: srv
  components:
  - {name: xpu, choice: xpu, count: 1, description: NVIDIA H100 SXM}
  - {name: nic, choice: nic, count: 1, description: network card}
  links:
  - {name: pcie, description: PCI Express PCIE_GEN5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}
- name: sw
  components:
  - {name: asic, choice: switch, count: 1, description: Ethernet switch chip}
  links: []
  edges: []
instances:
- {name: h, device: srv, count: 4}
- {name: leaf, device: sw, count: 2}
- {name: spine, device: sw, count: )" +
        std::to_string(spines) + R"(}
links:
- {name: net, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 100}}}
- {name: up, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 25}}}
edges:
- {ep1: {instance: "h[0:2]", component: nic}, ep2: {instance: "leaf[0]", component: asic}, scheme: many2many, link: net}
- {ep1: {instance: "h[2:4]", component: nic}, ep2: {instance: "leaf[1]", component: asic}, scheme: many2many, link: net}
- {ep1: {instance: leaf, component: asic}, ep2: {instance: spine, component: asic}, scheme: many2many, link: up}
)";
}

Json result_with(unsigned spines, std::uint64_t bytes, const std::string& selection)
{
    RunSetup setup;
    setup.document = leaves_and_spines(spines);
    setup.lines = collective_lines("all_to_all", "direct", std::to_string(bytes), "type: u8") +
        "bind:\n- {nodes: {component: nic}, kind: nic}\n- {nodes: {component: asic}, kind: switch_asic}\n";
    setup.sets = {"engine.channels=4", "routing.path_selection=" + selection};
    setup.options.data_on = true;
    const Json result = run(setup);
    EXPECT_EQ(result.value("verified", ""), "passed");
    return result;
}

// Bytes on the wire from the first leaf, by spine.
std::map<std::string, std::uint64_t> bytes_by_spine(const Json& result)
{
    std::map<std::string, std::uint64_t> out;
    for (const Json& link : result.at("links"))
        if (link["from"] == "leaf.0.asic.0" && link["to"].get<std::string>().rfind("spine.", 0) == 0)
            out[link["to"]] += link["wire_bytes"].get<std::uint64_t>();
    return out;
}

}  // namespace

// Each of two servers sends 64 packets to each of two others, and the acknowledges of 128 others go back.
TEST(PacketPaths, SpinesHaveTheSameBytes)
{
    for (const unsigned spines : {2U, 4U})
        for (const char* const selection : {"lines", "round_robin"}) {
            const Json result = result_with(spines, 4 * 256 << 10, selection);
            const auto bytes = bytes_by_spine(result);
            ASSERT_EQ(bytes.size(), spines);
            std::uint64_t least = ~std::uint64_t{0};
            std::uint64_t most = 0;
            for (const auto& [spine, count] : bytes) {
                least = std::min(least, count);
                most = std::max(most, count);
            }
            // What differs are the signals of four channels, whose flags are in a few lines.
            EXPECT_LE(most - least, (most + least) / 100) << spines << " " << selection;
        }
}

// A third spine is worth its bandwidth, and so is a fourth.
TEST(PacketPaths, MoreSpinesAreNotSlower)
{
    const auto time = [](unsigned spines) {
        return result_with(spines, 4 * 256 << 10, "lines").at("simulated_ps").get<std::uint64_t>();
    };
    const std::uint64_t one = time(1);
    const std::uint64_t two = time(2);
    const std::uint64_t three = time(3);
    EXPECT_LT(two, one);
    EXPECT_LE(three, two);
    EXPECT_LE(time(4), three);
}

}  // namespace packet_paths_test
