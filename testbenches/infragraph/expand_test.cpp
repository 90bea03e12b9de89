// From documents to graphs: nodes, schemes, composition, repetition, limits.
#include <gtest/gtest.h>

#include "infragraph/query.h"
#include "testbenches/infragraph/fixtures.h"

namespace weft::expand_test {
namespace {

using test::edge_texts;
using test::expect_doubted;
using test::expect_refused;
using test::load;
using test::node_names;
using test::row;
using test::small;
using test::sorted;
using Texts = std::vector<std::string>;

// The edges of row(...) without what all of them share.
Texts pairs(const std::string& ep1, const std::string& ep2, const std::string& scheme, bool lenient = false)
{
    Texts out;
    const Graph graph = load(row(ep1, ep2, scheme), lenient).graph;
    for (EdgeId id = 0; id < graph.edge_count(); ++id)
        out.push_back(graph.node(graph.edge(id).a).name.substr(4) + "-" + graph.node(graph.edge(id).b).name.substr(4));
    return out;
}

TEST(Expansion, NodesInDocumentOrderWithAttributes)
{
    const Graph graph = load(small()).graph;
    EXPECT_EQ(node_names(graph),
        (Texts{"h.0.xpu.0", "h.0.xpu.1", "h.0.xpu.2", "h.0.xpu.3", "h.0.sw.0", "h.0.sw.1", "h.1.xpu.0", "h.1.xpu.1",
            "h.1.xpu.2", "h.1.xpu.3", "h.1.sw.0", "h.1.sw.1"}));
    const NodeId id = *graph.find("h.1.xpu.2");
    EXPECT_EQ(graph.type(id), "xpu");
    EXPECT_EQ(graph.device_name(id), "d");
    EXPECT_EQ(graph.instance(id), "h");
    EXPECT_EQ(graph.instance_index(id), "1");
    EXPECT_EQ(graph.composed_device(id), "h.1");
    EXPECT_EQ(graph.node(id).component->line, 5);
    EXPECT_FALSE(graph.find("h.2.xpu.0"));
    EXPECT_EQ(graph.neighbours(id).size(), 2U);
    const auto edge = graph.find_edge(*graph.find("h.1.sw.0"), *graph.find("h.0.sw.0"));
    ASSERT_TRUE(edge);
    EXPECT_EQ(graph.kind(*edge).link, "e");
    EXPECT_EQ(graph.edge(*edge).line, 13);
    EXPECT_EQ(graph.kind(*edge).declared->line, 11);
    // Edges inside first, in the order of their rules, then those between.
    EXPECT_EQ(edge_texts(graph).front(), "h.0.xpu.0 h.0.sw.0 l");
    EXPECT_EQ(edge_texts(graph).back(), "h.0.sw.0 h.1.sw.0 e");
}

TEST(Expansion, Many2Many)
{
    EXPECT_EQ(pairs("x[0:2]", "y", "many2many"), (Texts{"x.0-y.0", "x.0-y.1", "x.1-y.0", "x.1-y.1"}));
    // With itself: the full mesh, each edge once, none from a node to itself.
    EXPECT_EQ(pairs("x", "x", "many2many").size(), 28U);
    EXPECT_EQ(sorted(pairs("x[0:2]", "x[1:3]", "many2many")), (Texts{"x.0-x.1", "x.0-x.2", "x.1-x.2"}));
    EXPECT_TRUE(pairs("x[0]", "x[0]", "many2many").empty());
}

TEST(Expansion, One2OneStopsAtTheShorterList)
{
    EXPECT_EQ(pairs("x", "y", "one2one"), (Texts{"x.0-y.0", "x.1-y.1"}));
    EXPECT_EQ(pairs("x[3:1:-1]", "y", "one2one"), (Texts{"x.3-y.0", "x.2-y.1"}));
    EXPECT_EQ(pairs("x[0:3]", "x[1:4]", "one2one"), (Texts{"x.0-x.1", "x.1-x.2", "x.2-x.3"}));
    EXPECT_TRUE(pairs("x", "x", "one2one").empty());
}

TEST(Expansion, RingJoinsAllThatIsSelected)
{
    EXPECT_EQ(pairs("x[0:4]", "x[0:4]", "ring"), (Texts{"x.0-x.1", "x.1-x.2", "x.2-x.3", "x.0-x.3"}));
    // The first list, then what only the second one has.
    EXPECT_EQ(pairs("x[0:2]", "x[2:4]", "ring"), (Texts{"x.0-x.1", "x.1-x.2", "x.2-x.3", "x.0-x.3"}));
    EXPECT_EQ(pairs("x[0:3]", "y", "ring"), (Texts{"x.0-x.1", "x.1-x.2", "x.2-y.0", "y.0-y.1", "x.0-y.1"}));
    // Order and stride are the rule's.
    EXPECT_EQ(pairs("x[0:8:2]", "x[7:0:-2]", "ring"),
        (Texts{"x.0-x.2", "x.2-x.4", "x.4-x.6", "x.6-x.7", "x.5-x.7", "x.3-x.5", "x.1-x.3", "x.0-x.1"}));
    EXPECT_EQ(pairs("y", "y", "ring"), (Texts{"y.0-y.1"}));
    EXPECT_TRUE(pairs("x[0]", "x[0]", "ring").empty());
    // Over the instances of an infrastructure it is one ring, too.
    const std::string all = "{instance: h, component: 'sw[0]'}";
    const Graph graph = load(small("{ep1: {component: xpu}, ep2: {component: xpu}, scheme: ring, link: l}",
                                 "{ep1: " + all + ", ep2: " + all + ", scheme: ring, link: e}"))
                            .graph;
    EXPECT_EQ(graph.edge_count(), 2U * 4 + 1);
    // Two types in one ring are doubtful.
    expect_doubted(small("{ep1: {component: xpu}, ep2: {component: sw}, scheme: ring, link: l}"), 9, "the ring joins");
}

TEST(Expansion, InfrastructureEndpointsAreFlatLists)
{
    const std::string mesh = "{instance: h, component: 'xpu[0]'}";
    EXPECT_EQ(edge_texts(load(small("{ep1: {component: sw}, ep2: {component: sw}, scheme: many2many, link: l}",
                                  "{ep1: " + mesh + ", ep2: " + mesh + ", scheme: many2many, link: e}"))
                             .graph),
        (Texts{"h.0.sw.0 h.0.sw.1 l", "h.1.sw.0 h.1.sw.1 l", "h.0.xpu.0 h.1.xpu.0 e"}));
    // The first host's components, then the second one's.
    EXPECT_EQ(edge_texts(load(small("{ep1: {component: sw}, ep2: {component: sw}, scheme: many2many, link: l}",
                                  "{ep1: {instance: h, component: sw}, ep2: {instance: 'h[0]', component: xpu}, "
                                  "scheme: one2one, link: e}"))
                             .graph),
        (Texts{"h.0.sw.0 h.0.sw.1 l", "h.1.sw.0 h.1.sw.1 l", "h.0.xpu.0 h.0.sw.0 e", "h.0.xpu.1 h.0.sw.1 e",
            "h.0.xpu.2 h.1.sw.0 e", "h.0.xpu.3 h.1.sw.1 e"}));
}

// A generic server: eight nodes and eight edges from six rules.
TEST(Expansion, GenericServer)
{
    const std::string text = R"(name: one server
devices:
- name: server
  components:
  - {name: cpu, count: 1, choice: cpu}
  - {name: xpu, count: 2, choice: xpu}
  - {name: nvlsw, count: 1, choice: switch}
  - {name: pciesw, count: 1, choice: switch}
  - {name: nic, count: 2, choice: nic}
  - {name: mgmt, count: 1, choice: custom, custom: {type: mgmt-nic}}
  links: [{name: pcie}, {name: fabric}, {name: nvlink}]
  edges:
  - {ep1: {component: mgmt}, ep2: {component: "cpu[0]"}, scheme: one2one, link: pcie}
  - {ep1: {component: cpu}, ep2: {component: cpu}, scheme: many2many, link: fabric}
  - {ep1: {component: xpu}, ep2: {component: nvlsw}, scheme: many2many, link: nvlink}
  - {ep1: {component: "cpu[0]"}, ep2: {component: "pciesw[0]"}, scheme: many2many, link: pcie}
  - {ep1: {component: "xpu[0:2]"}, ep2: {component: "pciesw[0]"}, scheme: many2many, link: pcie}
  - {ep1: {component: "nic[0:2]"}, ep2: {component: "pciesw[0]"}, scheme: many2many, link: pcie}
instances: [{name: server, device: server, count: 1}]
)";
    const Graph graph = load(text).graph;
    EXPECT_EQ(graph.node_count(), 8U);
    EXPECT_EQ(sorted(edge_texts(graph)),
        (Texts{"server.0.cpu.0 server.0.mgmt.0 pcie", "server.0.cpu.0 server.0.pciesw.0 pcie",
            "server.0.pciesw.0 server.0.nic.0 pcie", "server.0.pciesw.0 server.0.nic.1 pcie",
            "server.0.xpu.0 server.0.nvlsw.0 nvlink", "server.0.xpu.0 server.0.pciesw.0 pcie",
            "server.0.xpu.1 server.0.nvlsw.0 nvlink", "server.0.xpu.1 server.0.pciesw.0 pcie"}));
    EXPECT_EQ(graph.type(*graph.find("server.0.mgmt.0")), "mgmt-nic");
}

// Two tiers of switches over servers, as in the closfabric blueprint, at a smaller size.
TEST(Expansion, TwoTiers)
{
    const std::string text = R"(devices:
- name: server
  components: [{name: xpu, count: 2, choice: xpu}, {name: nic, count: 2, choice: nic}]
  links: [{name: pcie}]
  edges: [{ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}]
- name: switch
  components: [{name: asic, count: 1, choice: cpu}, {name: port, count: 4, choice: port}]
  links: [{name: ic}]
  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}]
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: switch, count: 2}
- {name: spine, device: switch, count: 1}
links: [{name: down}, {name: up}]
edges:
- {ep1: {instance: "host[0]", component: nic}, ep2: {instance: "leaf[0]", component: port}, scheme: one2one, link: down}
- {ep1: {instance: "host[1]", component: nic}, ep2: {instance: "leaf[1]", component: port}, scheme: one2one, link: down}
- {ep1: {instance: "leaf", component: "port[2]"}, ep2: {instance: spine, component: "port[0:2]"}, scheme: one2one, link: up}
)";
    const Graph graph = load(text).graph;
    EXPECT_EQ(graph.node_count(), 2U * 4 + 3 * 5);
    EXPECT_EQ(graph.edge_count(), 2U * 2 + 3 * 4 + 4 + 2);
    EXPECT_TRUE(graph.find_edge(*graph.find("host.0.nic.1"), *graph.find("leaf.0.port.1")));
    EXPECT_FALSE(graph.find_edge(*graph.find("host.0.nic.1"), *graph.find("leaf.0.port.2")));
    EXPECT_TRUE(graph.find_edge(*graph.find("leaf.1.port.2"), *graph.find("spine.0.port.1")));
    // xpu nic port asic port port asic port port asic port nic xpu
    EXPECT_EQ(shortest_path(graph, "host.0.xpu.0", "host.1.xpu.0").size() - 1, 12U);
}

const char* const composed = R"(devices:
- name: box
  components:
  - {name: xpu, count: 2, choice: xpu}
  - {name: slot, count: 3, choice: custom, custom: {type: pcie_slot}}
  - {name: card, count: 3, choice: device}
  links: [{name: pcie}]
  edges:
  - {ep1: {device: "card[0:3]", component: "bus[0]"}, ep2: {component: "slot[0:3]"}, scheme: one2one, link: pcie}
  - {ep1: {component: "card[1].cage.light[0]"}, ep2: {component: "xpu[1]"}, scheme: one2one, link: pcie}
- name: card
  components:
  - {name: bus, count: 1, choice: custom, custom: {type: endpoint}}
  - {name: asic, count: 1, choice: cpu}
  - {name: cage, count: 2, choice: device}
  links: [{name: wire}]
  edges:
  - {ep1: {component: bus}, ep2: {component: asic}, scheme: one2one, link: wire}
  - {ep1: {component: asic}, ep2: {component: cage.copper}, scheme: many2many, link: wire}
- name: cage
  components: [{name: copper, count: 1, choice: port}, {name: light, count: 1, choice: port}]
  links: [{name: laser, description: 850 nm}]
  edges: [{ep1: {component: copper}, ep2: {component: light}, scheme: one2one, link: laser}]
instances: [{name: b, device: box, count: 2}]
links: [{name: fibre}]
edges:
- {ep1: {instance: "b[0]", component: "card.cage[1].light"}, ep2: {instance: "b[1]", component: "card.cage[0].light"},
   scheme: one2one, link: fibre}
)";

TEST(Expansion, CompositionOverThreeLevels)
{
    const Graph graph = load(composed).graph;
    EXPECT_EQ(graph.node_count(), 2U * (2 + 3 + 3 * (2 + 2 * 2)));
    EXPECT_EQ(graph.edge_count(), 2U * (3 + 1 + 3 * (1 + 2) + 3 * 2) + 3);
    EXPECT_FALSE(graph.find("b.0.card.1"));
    const NodeId light = *graph.find("b.1.card.2.cage.1.light.0");
    EXPECT_EQ(graph.type(light), "port");
    EXPECT_EQ(graph.instance(light), "b.1.card.2.cage");
    EXPECT_EQ(graph.instance_index(light), "1");
    EXPECT_EQ(graph.device_name(light), "cage");
    EXPECT_EQ(graph.composed_device(light), "b.1.card.2.cage.1");
    const auto has_edge = [&](const char* a, const char* b) {
        return graph.find_edge(*graph.find(a), *graph.find(b)).has_value();
    };
    EXPECT_TRUE(has_edge("b.0.card.2.bus.0", "b.0.slot.2"));
    EXPECT_TRUE(has_edge("b.1.card.0.asic.0", "b.1.card.0.cage.1.copper.0"));
    EXPECT_TRUE(has_edge("b.0.card.1.cage.0.light.0", "b.0.xpu.1"));
    EXPECT_TRUE(has_edge("b.0.card.1.cage.1.light.0", "b.1.card.1.cage.0.light.0"));
    const auto laser =
        graph.find_edge(*graph.find("b.0.card.0.cage.0.copper.0"), *graph.find("b.0.card.0.cage.0.light.0"));
    ASSERT_TRUE(laser);
    EXPECT_EQ(graph.kind(*laser).declared->description, "850 nm");
}

TEST(Expansion, CompositionErrors)
{
    const std::string text(composed);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        return changed.replace(changed.find(from), from.size(), to);
    };
    expect_refused(with("- name: cage", "- name: cagge"), 15, "'cage' of choice 'device' does not name a device");
    const std::string light = "{name: light, count: 1, choice: port}";
    expect_refused(with(light, light + ", {name: card, count: 1, choice: device}"), 11, "contains itself");
    expect_refused(with("card[1].cage.light[0]", "card[1].asic.light[0]"), 10, "has nothing inside it");
    expect_refused(with("card[1].cage.light[0]", "card[1].kage.light[0]"), 10, "unknown component 'kage'", true);
    expect_doubted(with("card[1].cage.light[0]", "card[1].cage.lite[0]"), 10, "unknown component 'lite'");
    expect_doubted(with("card[1].cage.light[0]", "card[1].cage"), 10, "which is a device");
    // It names the places of devices, which are no nodes otherwise.
    const Graph graph = load(with("card[1].cage.light[0]", "card[1].cage"), true).graph;
    ASSERT_TRUE(graph.find("b.1.card.1.cage.0"));
    EXPECT_EQ(graph.type(*graph.find("b.1.card.1.cage.0")), "");
}

// One device above another, far deeper than any real one.
std::string chain(int depth, int count)
{
    std::string text = "devices:\n";
    for (int i = 0; i < depth; ++i)
        text += "- {name: d" + std::to_string(i) + ", components: [{name: " +
            (i + 1 < depth ? "d" + std::to_string(i + 1) + ", choice: device" : std::string("x, choice: xpu")) +
            ", count: " + std::to_string(count) + "}], links: [], edges: []}\n";
    return text + "instances: [{name: i, device: d0, count: 1}]\n";
}

TEST(Expansion, DepthAndSizeAreBounded)
{
    EXPECT_EQ(load(chain(40, 1)).graph.node_count(), 1U);
    EXPECT_EQ(load(chain(10, 2)).graph.node_count(), 1024U);
    const auto deep = test::problems(chain(600, 1));
    ASSERT_FALSE(deep.empty());
    EXPECT_NE(deep[0].find("nested too deeply"), std::string::npos);
    expect_refused(chain(60, 2), 0, "more than 4000000 nodes");
    EXPECT_FALSE(test::problems(chain(100, 0)).empty());
    const std::string huge = "devices: [{name: d, components: [{name: x, count: 2147483647, choice: xpu}], "
                             "links: [{name: l}], edges: [{ep1: {component: x}, ep2: {component: x}, "
                             "scheme: many2many, link: l}]}]\n"
                             "instances: [{name: i, device: d, count: 2147483647}]\n";
    EXPECT_FALSE(test::problems(huge).empty());
    EXPECT_FALSE(test::problems(huge, true).empty());
    // Few nodes, too many pairs.
    const std::string dense = "devices: [{name: d, components: [{name: x, count: 5000, choice: xpu}], "
                              "links: [{name: l}], edges: [{ep1: {component: x}, ep2: {component: x}, "
                              "scheme: many2many, link: l}]}]\n"
                              "instances: [{name: i, device: d, count: 1}]\n";
    expect_refused(dense, 1, "expand to more than 16000000 pairs");
    // Far outside the inventory.
    EXPECT_FALSE(test::problems(row("x[0:1000000000]", "y", "one2one"), true).empty());
}

TEST(Expansion, SelectionsOutsideTheInventory)
{
    expect_doubted(row("x[0:9]", "y", "many2many"), 8, "the index 8 of 'x'");
    expect_doubted(row("x[-1]", "y", "many2many"), 8, "the index -1 of 'x'");
    expect_doubted(row("x[8]", "y", "many2many"), 8, "the index 8 of 'x'");
    expect_doubted(row("x[::-1]", "y", "many2many"), 8, "is empty");
    expect_doubted(row("x[4:4]", "y", "many2many"), 8, "is empty");
    expect_doubted(row("z", "y", "many2many"), 8, "unknown component 'z'");
    EXPECT_EQ(pairs("x[7:10]", "y", "one2one", true), (Texts{"x.7-y.0", "y.1-x.8"}));
    const Graph graph = load(row("x[-1]", "y[0]", "one2one"), true).graph;
    const NodeId stray = *graph.find("i.0.x.-1");
    EXPECT_EQ(stray, 10U);
    EXPECT_EQ(graph.node(stray).component, nullptr);
    EXPECT_EQ(graph.composed_device(stray), "");
    // [3:-1:-1] stops before -1, so nothing is outside.
    EXPECT_EQ(pairs("x[3:-1:-1]", "y", "one2one"), (Texts{"x.3-y.0", "x.2-y.1"}));
}

TEST(Expansion, InfrastructureEndpointErrors)
{
    const std::string inner = "{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: l}";
    const auto rule = [&](const std::string& instance, const std::string& component) {
        return small(inner,
            "{ep1: {instance: '" + instance + "', component: '" + component +
                "'}, ep2: {instance: h, component: sw}, scheme: many2many, link: e}");
    };
    expect_refused(rule("g", "sw"), 13, "unknown instance 'g'", true);
    expect_refused(rule("h.0", "sw"), 13, "more than one element", true);
    expect_refused(rule("h[", "sw"), 13, "bracket", true);
    expect_doubted(rule("h[2]", "sw"), 13, "the index 2 of 'h'");
    expect_doubted(rule("h", "sv"), 13, "unknown component 'sv'");
    EXPECT_TRUE(load(rule("h[2]", "sw[0]"), true).graph.find("h.2.sw.0"));
}

TEST(Expansion, UndeclaredLinksAndDevices)
{
    expect_doubted(small("{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: e}"), 9,
        "undeclared link 'e'");
    const Graph graph =
        load(small("{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: e}"), true).graph;
    EXPECT_EQ(graph.kind(EdgeId{0}).link, "e");
    EXPECT_EQ(graph.kind(EdgeId{0}).declared, nullptr);
    expect_refused("devices: []\ninstances: [{name: i, device: d, count: 1}]\n", 2, "unknown device 'd'", true);
    expect_refused("devices: []\ninstances: []\n", 0, "no node at all", true);
    expect_refused("{}", 0, "no node at all", true);
}

// Two cables are one edge, and a notice says so; the other direction of an edge is no second cable.
TEST(Expansion, TheSameEdgeTwiceIsToldOnce)
{
    const std::string head =
        "devices:\n- name: d\n  components: [{name: x, count: 2, choice: xpu}]\n"
        "  links: [{name: wire}]\n  edges:\n"
        "  - {ep1: {component: \"x[0]\"}, ep2: {component: \"x[1]\"}, scheme: one2one, link: wire}\n";
    const std::string tail = "instances: [{name: i, device: d, count: 2}]\n";
    const LoadedGraph twice = load(head +
        "  - {ep1: {component: \"x[0]\"}, ep2: {component: \"x[1]\"}, scheme: one2one, link: wire}\n"
        "  - {ep1: {component: \"x[0]\"}, ep2: {component: \"x[1]\"}, scheme: one2one, link: wire}\n" +
        tail);
    ASSERT_EQ(twice.notices.size(), 1u);
    EXPECT_EQ(twice.notices[0].line, 7);
    EXPECT_EQ(twice.notices[0].text,
        "edges of link 'wire' are defined twice, in the same direction: two nodes have one edge, and parallel links "
        "are "
        "not added up");
    EXPECT_EQ(twice.graph.edge_count(), 2U);
    const LoadedGraph back = load(
        head + "  - {ep1: {component: \"x[1]\"}, ep2: {component: \"x[0]\"}, scheme: one2one, link: wire}\n" + tail);
    EXPECT_TRUE(back.notices.empty());
}

// A repeated edge is one edge: the later link, with what that one does not say from the earlier one.
TEST(Expansion, RepeatedEdgesOverwrite)
{
    const std::string text = R"(devices:
- name: d
  components: [{name: x, count: 3, choice: xpu}]
  links:
  - {name: slow, physical: {bandwidth: {gigabits_per_second: 25}, latency: {us: 2}}}
  - {name: fast, physical: {bandwidth: {gigabits_per_second: 200}}}
  edges:
  - {ep1: {component: "x[0]"}, ep2: {component: "x[1:3]"}, scheme: many2many, link: slow}
  - {ep1: {component: "x[1]"}, ep2: {component: "x[0]"}, scheme: one2one, link: fast}
instances: [{name: i, device: d, count: 2}]
)";
    const LoadedGraph loaded = load(text);
    ASSERT_EQ(loaded.notices.size(), 1u);
    EXPECT_EQ(loaded.notices[0].line, 9);
    EXPECT_EQ(loaded.notices[0].text,
        "edges of link 'slow' are defined again with link 'fast', which takes their place: two nodes have one edge, "
        "and "
        "parallel links are not added up");
    const Graph& graph = loaded.graph;
    EXPECT_EQ(edge_texts(graph),
        (Texts{"i.0.x.0 i.0.x.1 fast", "i.0.x.0 i.0.x.2 slow", "i.1.x.0 i.1.x.1 fast", "i.1.x.0 i.1.x.2 slow"}));
    const EdgeKind& kind = graph.kind(EdgeId{0});
    EXPECT_EQ(kind.bandwidth->text(), "200 Gbps");
    EXPECT_EQ(kind.latency->text(), "2 us");
    EXPECT_EQ(kind.declared->name, "fast");
    EXPECT_EQ(graph.edge(0).line, 9);
}

// Within a device the reference replays edges by first endpoint, which decides between repetitions: the
// mesh of line 8 reaches x.2 - x.0 from x.2 after line 9 has set it from x.0.
TEST(Expansion, RepeatedEdgesInTheOrderOfTheReference)
{
    const std::string text = R"(devices:
- name: d
  components: [{name: x, count: 3, choice: xpu}]
  links:
  - {name: slow}
  - {name: fast}
  edges:
  - {ep1: {component: x}, ep2: {component: x}, scheme: many2many, link: slow}
  - {ep1: {component: "x[0]"}, ep2: {component: "x[2]"}, scheme: one2one, link: fast}
instances: [{name: i, device: d, count: 1}]
)";
    EXPECT_EQ(sorted(edge_texts(load(text).graph)),
        (Texts{"i.0.x.0 i.0.x.1 slow", "i.0.x.0 i.0.x.2 slow", "i.0.x.1 i.0.x.2 slow"}));
}

TEST(Expansion, MergedInstances)
{
    const std::string text = small();
    std::string merged = text;
    merged.replace(merged.find("[{name: h, device: d, count: 2}]"), 32,
        "[{name: h, device: d, count: 3}, {name: h, device: d, count: 2}]");
    EXPECT_EQ(load(merged, true).graph.node_count(), 18U);
    std::string different =
        "devices:\n- {name: c, components: [{name: z, count: 1, choice: xpu}], links: [], edges: []}\n" +
        text.substr(text.find("- name: d"));
    different.replace(different.find("[{name: h, device: d, count: 2}]"), 32,
        "[{name: h, device: c, count: 3}, {name: h, device: d, count: 2}]");
    EXPECT_FALSE(test::problems(different, true).empty());
}

TEST(Expansion, IsolatedNodesAreNoticed)
{
    const LoadedGraph loaded = load(row("x[0]", "y[0]", "one2one"));
    ASSERT_EQ(loaded.notices.size(), 1U);
    EXPECT_NE(loaded.notices[0].text.find("8 nodes have no edge"), std::string::npos);
}

TEST(Expansion, TwiceTheSame)
{
    EXPECT_EQ(edge_texts(load(composed).graph), edge_texts(load(composed).graph));
    // A copy stands alone.
    Graph copy;
    {
        const LoadedGraph loaded = load(composed);
        copy = loaded.graph;
    }
    EXPECT_EQ(copy.type(*copy.find("b.0.xpu.0")), "xpu");
}

}  // namespace
}  // namespace weft::expand_test
