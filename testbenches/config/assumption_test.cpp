// What a document leaves open is taken by rule, listed with its reason, and never follows from the spelling of a name.
#include <gtest/gtest.h>

#include "platform/configuration/explain.h"
#include "platform/configuration/resolution/link_choice.h"
#include "testbenches/config/support.h"

namespace weft::assumption_test {
namespace {

// Four B200 under two switches, and a third switch above those. `near` and `far` are the names of the links.
std::string two_tiers(const std::string& near, const std::string& far, const std::string& text = "")
{
    const std::string physical = ", physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 90}}}\n";
    return "name: tiers\ndevices:\n- name: pod\n  components:\n"
           "  - {name: xpu, choice: xpu, count: 4, description: NVIDIA B200}\n"
           "  - {name: leaf, choice: switch, count: 2}\n"
           "  - {name: spine, choice: switch, count: 1}\n"
           "  links:\n  - {name: " +
        near + text + physical + "  - {name: " + far + text + physical +
        "  edges:\n"
        "  - {ep1: {component: xpu}, ep2: {component: leaf}, scheme: many2many, link: " +
        near +
        "}\n"
        "  - {ep1: {component: leaf}, ep2: {component: spine}, scheme: many2many, link: " +
        far +
        "}\n"
        "instances:\n- {name: p, device: pod, count: 1}\n";
}

std::vector<std::string> lines_of(const ResolvedSystem& system)
{
    return assumption_lines(assumptions_among(system.assumptions, {}));
}

bool mentions(const ResolvedSystem& system, const std::string& what)
{
    for (const Assumption& assumption : system.assumptions)
        if (assumption.what() == what) return true;
    return false;
}

TEST(Assumptions, BothTiersOfAFabricAreTakenAlikeAndEachKindSaysSo)
{
    const ResolvedSystem system = resolved("", {}, two_tiers("l", "up"));
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        EXPECT_EQ(system.link(edge).header, 16U);
        EXPECT_EQ(system.link(edge).packet_overhead, 0U);
        EXPECT_EQ(system.link(edge).latency, 90'000U);
    }
    for (const char* node : {"p.0.leaf.0", "p.0.leaf.1", "p.0.spine.0"})
        EXPECT_EQ(system.switch_of(*system.graph().find(node)).latency, 200'000U) << node;
    EXPECT_EQ(lines_of(system),
        (std::vector<std::string>{
            "8 links `l`: no protocol given, taken as nvlink_5 because it joins xpu and switch, as the scale-up link "
            "of profile b200 does; set with links: {l: {protocol: nvlink_5}} or --set links.l.protocol=nvlink_5",
            "2 links `up`: no protocol given, taken as nvlink_5 because it joins a switch to a switch whose links to "
            "accelerators "
            "are the scale-up links of profile b200; set with links: {up: {protocol: nvlink_5}} or --set "
            "links.up.protocol=nvlink_5",
            "2 switches `leaf`: no kind and no timing given, taken as the scale-up switch of profile b200 (latency 200 "
            "ns, "
            "multicast_groups 128, group_contexts 4095) because scale-up links join it to accelerators of that profile "
            "and its description "
            "names no "
            "kind; set with bind: [{nodes: {component: leaf}, kind: nvswitch}] or --set '*.leaf.*.switch.latency=200 "
            "ns'",
            "1 switch `spine`: no kind and no timing given, taken as the scale-up switch of profile b200 (latency 200 "
            "ns, "
            "multicast_groups 128, group_contexts 4095) because scale-up links join it to such a switch and its "
            "description names no kind; "
            "set with "
            "bind: [{nodes: {component: spine}, kind: nvswitch}] or --set '*.spine.*.switch.latency=200 ns'"}));
}

// "chip" says that a switch is one, and nothing of its links.
TEST(Assumptions, LinksOfSwitchChipsAreTakenAsThoseOfOtherSwitches)
{
    const auto described = [](const std::string& leaf, const std::string& spine) {
        std::string document = two_tiers("l", "up");
        document.replace(document.find("count: 2}"), 9, "count: 2, description: " + leaf + "}");
        document.replace(document.find("choice: switch, count: 1}"), 25,
            "choice: switch, count: 1, description: " + spine + "}");
        return document;
    };
    for (const auto& [leaf, spine] : std::vector<std::pair<std::string, std::string>>{{"crossbar chip", "spine chip"},
             {"crossbar", "spine ASIC"}, {"crossbar chip", "spine"}}) {
        const ResolvedSystem system = resolved("", {}, described(leaf, spine));
        for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
            EXPECT_EQ(system.link(edge).header, 16U) << leaf;
            EXPECT_EQ(system.link(edge).packet_overhead, 0U) << leaf;
        }
        EXPECT_EQ(system.switch_of(*system.graph().find("p.0.spine.0")).latency, 200'000U) << spine;
        EXPECT_EQ(lines_of(system)[1].substr(0, 120),
            "2 links `up`: no protocol given, taken as nvlink_5 because it joins a switch to a switch whose links to "
            "accelerators are");
    }
    // One that somebody calls a chip of other networks is one.
    const ResolvedSystem bound = resolved("bind:\n- {nodes: {component: spine}, kind: switch_asic}\n", {},
        described("crossbar chip", "spine chip"));
    EXPECT_EQ(bound.link(8).packet_overhead, 82U);
    EXPECT_EQ(bound.switch_of(*bound.graph().find("p.0.spine.0")).latency, 250'000U);
}

// A pool at a switch chip: the scale-up link, too.
TEST(Assumptions, AMemoryAtASwitchChip)
{
    std::string document = two_tiers("l", "up");
    document.replace(document.find("count: 2}"), 9, "count: 2, description: chip}");
    document.replace(document.find("choice: switch, count: 1}"), 25, "choice: memory, count: 1, description: pool}");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_EQ(system.link(8).header, 16U);
    EXPECT_EQ(system.link(8).packet_overhead, 0U);
    EXPECT_EQ(lines_of(system)[2].substr(0, 99),
        "2 links `up`: no protocol given, taken as nvlink_5 because it joins a memory to a switch whose link");
}

TEST(Assumptions, TheSpellingOfALinksNameChangesNothing)
{
    const auto values = [](const ResolvedSystem& system) {
        std::vector<std::vector<std::uint64_t>> out;
        for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge)
            out.push_back(system.values(block_of<LinkSpec>(), system.link_variant(edge)).values);
        return out;
    };
    const auto plain = values(resolved("", {}, two_tiers("l", "up")));
    for (const std::string& name : LinkTable::built_in().names()) {
        EXPECT_EQ(values(resolved("", {}, two_tiers(name, "up"))), plain) << name;
        EXPECT_EQ(values(resolved("", {}, two_tiers("l", name + "s"))), plain) << name;
    }
}

TEST(Assumptions, TheSpellingOfAComponentsNameChangesNothing)
{
    for (const char* name : {"nvsw", "pciesw", "connectx", "asic", "h100"}) {
        std::string document = two_tiers("l", "up", ", description: Ethernet");
        for (std::size_t at = document.find("spine"); at != std::string::npos; at = document.find("spine"))
            document.replace(at, 5, name);
        const ResolvedSystem system = resolved("", {}, document);
        const NodeId node = *system.graph().find(std::string("p.0.") + name + ".0");
        EXPECT_EQ(system.switch_of(node).latency, 100'000U) << name;
        EXPECT_EQ(system.switch_of(node).message, 0U) << name;
        EXPECT_TRUE(mentions(system, std::string("timing of switch ") + name));
    }
    std::string document = small_box;
    document.replace(document.find("description: NVIDIA H100"), 24, "description: mystery");
    for (std::size_t at = document.find("name: box"); at != std::string::npos; at = document.find("name: box"))
        document.replace(at, 9, "name: a100");
    document.replace(document.find("device: box"), 11, "device: a100");
    EXPECT_EQ(resolved("", {}, document).profile(0), "generic");
}

TEST(Assumptions, WhatIsStatedIsNone)
{
    const std::string kinds = "bind:\n- {nodes: {type: switch}, kind: nvswitch}\n";
    // By the description of the link.
    EXPECT_EQ(lines_of(resolved(kinds, {}, two_tiers("l", "up", ", description: NVLink 5"))),
        std::vector<std::string>{});
    // By the system file, by --set for all, by name, and edge by edge.
    const std::string links = "links: {l: {protocol: nvlink_5}, up: {protocol: ethernet}}\n";
    const ResolvedSystem system = resolved(kinds + links, {}, two_tiers("l", "up"));
    EXPECT_EQ(lines_of(system), std::vector<std::string>{});
    EXPECT_EQ(system.link(0).packet_overhead, 0U);
    EXPECT_EQ(system.link(8).packet_overhead, 82U);
    EXPECT_EQ(lines_of(resolved(kinds, {"link.protocol=nvlink_5"}, two_tiers("l", "up"))), std::vector<std::string>{});
    const ResolvedSystem one = resolved(kinds, {"p.0.spine.0~p.0.leaf.1.link.protocol=ethernet"}, two_tiers("l", "up"));
    EXPECT_EQ(one.link(8).packet_overhead, 0U);
    EXPECT_EQ(one.link(9).packet_overhead, 82U);
    const std::vector<Assumption> two = assumptions_among(one.assumptions, {});
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].count, 8U);
    EXPECT_EQ(two[1].count, 1U);
    // Later wins, and --set wins over the file.
    const ResolvedSystem over = resolved(kinds + links, {"links.up.protocol=xgmi"}, two_tiers("l", "up"));
    EXPECT_EQ(over.link(8).frame, 64U);
    // A switch whose every assumed figure is given.
    const ResolvedSystem timed = resolved("",
        {"switch.latency=250 ns", "switch.group_contexts=9", "switch.multicast_groups=4"}, two_tiers("l", "up"));
    EXPECT_FALSE(mentions(timed, "timing of switch leaf"));
    EXPECT_TRUE(mentions(resolved("", {"switch.latency=250 ns"}, two_tiers("l", "up")), "timing of switch leaf"));
}

TEST(Assumptions, AnEthernetUplinkIsNoPartOfTheFabric)
{
    const ResolvedSystem system = resolved("", {"links.up.protocol=ethernet"}, two_tiers("l", "up"));
    EXPECT_EQ(system.switch_of(*system.graph().find("p.0.leaf.0")).latency, 200'000U);
    EXPECT_EQ(system.switch_of(*system.graph().find("p.0.spine.0")).latency, 100'000U);
}

TEST(Assumptions, AnEdgeMayCarryItsProtocolAsAnAnnotation)
{
    std::string text = "infrastructure:\n";
    std::string line;
    for (const char c : two_tiers("l", "up")) {
        line += c;
        if (c != '\n') continue;
        text += "  " + line;
        line.clear();
    }
    text +=
        "annotations:\n  nodes:\n  - {name: p.0.spine.0, attributes: [{attribute: weft.kind, value: switch_asic}]}\n"
        "  edges:\n  - {ep1: p.0.leaf.0, ep2: p.0.spine.0, attributes: [{attribute: weft.link.protocol, value: "
        "ethernet}]}\n";
    const ResolvedSystem system = resolved("", {}, text);
    EXPECT_EQ(system.link(8).packet_overhead, 82U);
    EXPECT_EQ(system.switch_of(*system.graph().find("p.0.spine.0")).latency, 250'000U);
}

TEST(Assumptions, WrongNamesAreRefused)
{
    const auto error = [](const std::string& lines) {
        return error_of([&] { resolved(lines, {}, two_tiers("l", "up")); });
    };
    const std::string protocol = error("links:\n  up: {protocol: ethernt}\n");
    EXPECT_EQ(protocol.substr(0, protocol.find("nvlink")),
        "system.yaml:3: unknown protocol 'ethernt'; expected one of ");
    EXPECT_NE(protocol.find("(did you mean 'ethernet'?)"), std::string::npos) << protocol;
    EXPECT_EQ(error("links:\n  upp: {protocol: ethernet}\n"),
        "system.yaml:3: no edge has link 'upp'; expected the name of a link (did you mean 'up'?)");
    const std::string kind = error("bind:\n- {nodes: {component: leaf}, kind: nvswich}\n");
    EXPECT_NE(kind.find("system.yaml:3: unknown kind of node 'nvswich'; expected one of nvswitch, "), std::string::npos)
        << kind;
    EXPECT_EQ(error("bind:\n- {nodes: {component: laef}, kind: nvswitch}\n"),
        "system.yaml:3: no node that forwards matches 'component: laef'; expected the name of a switch, a card, a "
        "processor or an "
        "xpu");
}

TEST(Assumptions, CardsAndProcessors)
{
    std::string document = small_box;
    document.replace(document.find("choice: cpu"), 11, "choice: nic");
    const ResolvedSystem system = resolved("", {}, document);
    ASSERT_TRUE(mentions(system, "timing of network card cpu"));
    EXPECT_FALSE(
        mentions(resolved("bind:\n- {nodes: {type: nic}, kind: nic}\n", {}, document), "timing of network card cpu"));
    EXPECT_TRUE(mentions(resolved(), "timing of processor cpu"));
    EXPECT_FALSE(mentions(resolved(), "timing of switch nvsw"));  // described as an NVSwitch
}

TEST(Assumptions, ProfilesThatADescriptionLeavesOpen)
{
    std::string document = small_box;
    document.replace(document.find("NVIDIA H100"), 11, "NVIDIA H100 / H200");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_EQ(system.profile(0), "h100");
    ASSERT_TRUE(mentions(system, "profile of accelerator xpu"));
    EXPECT_NE(system.assumptions[0].text().find("names h100 and h200"), std::string::npos)
        << system.assumptions[0].text();
    EXPECT_FALSE(mentions(resolved("profile: h200\n", {}, document), "profile of accelerator xpu"));
    EXPECT_FALSE(mentions(resolved(), "profile of accelerator xpu"));
    // A pool of memory has the caches and channels of the generic profile unless it is given another.
    std::string pool = small_box;
    pool.replace(pool.find("choice: cpu"), 11, "choice: memory");
    EXPECT_TRUE(mentions(resolved("", {}, pool), "profile of memory cpu"));
    EXPECT_FALSE(
        mentions(resolved("bind:\n- {nodes: {type: memory}, profile: a100}\n", {}, pool), "profile of memory cpu"));
}

TEST(Assumptions, RatesThatAreOnlyUsual)
{
    const auto described = [](const std::string& text) {
        std::string document = small_box;
        document.replace(document.find("PCIE_GEN5 x16"), 13, text);
        return resolved("", {}, document);
    };
    EXPECT_FALSE(mentions(described("PCIe Gen5 x16"), "bandwidth of link pcie"));
    EXPECT_TRUE(mentions(described("PCIe Gen5"), "bandwidth of link pcie"));
    EXPECT_TRUE(mentions(described("PCIe x16"), "protocol of link pcie"));  // which generation?
    EXPECT_TRUE(mentions(described("of the host"), "protocol of link pcie"));
    // An accelerator and a processor.
    EXPECT_EQ(explained(described("of the host"), "box.0.xpu.0~box.0.cpu.0", "link.flit").substr(0, 4), "4 B ");
}

TEST(Assumptions, ADescriptionThatTheEndsBelieIsInDoubt)
{
    std::string document = small_box;
    document.replace(document.find("nvlink_4"), 8, "nvlink_c2c");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_EQ(system.link(0).bandwidth, 225'000'000'000U);  // 18 links over 2 edges, no 450 GB/s on each
    ASSERT_TRUE(mentions(system, "protocol of link xpu_fabric"));
}

TEST(Assumptions, OnlyPartsInUseCountAndStrictRefusesThem)
{
    const ResolvedSystem system = resolved("", {}, two_tiers("l", "up"));
    UsedParts used;
    used.nodes.assign(system.graph().node_count(), false);
    used.edges.assign(system.graph().edge_count(), false);
    EXPECT_TRUE(assumptions_among(system.assumptions, used).empty());
    refuse_assumptions(assumptions_among(system.assumptions, used));
    used.edges[0] = used.edges[3] = true;
    const std::vector<Assumption> some = assumptions_among(system.assumptions, used);
    ASSERT_EQ(some.size(), 1U);
    EXPECT_EQ(some[0].count, 2U);
    EXPECT_EQ(error_of([&] { refuse_assumptions(some); }),
        "box.yaml:9: 2 links `l`: no protocol given (taken as nvlink_5 because it joins xpu and switch, as the "
        "scale-up link of profile b200 does), which --strict refuses; expected links: {l: {protocol: nvlink_5}} or "
        "--set "
        "links.l.protocol=nvlink_5");
}

TEST(Assumptions, WhatTheEndsOfALinkImply)
{
    const auto link = [](const char* a, const char* b) {
        const EndRule* rule = rule_for_ends(a, b);
        const EndRule* turned = rule_for_ends(b, a);
        EXPECT_EQ(rule, turned) << a << b;
        return std::string(rule == nullptr ? "" : rule->link);
    };
    EXPECT_EQ(link("xpu", "xpu"), "scale_up");
    EXPECT_EQ(link("xpu", "nvswitch"), "scale_up");
    EXPECT_EQ(link("xpu", "pcie_switch"), "pcie");
    EXPECT_EQ(link("xpu", "nic"), "pcie");
    EXPECT_EQ(link("xpu", "grace_cpu"), "nvlink_c2c");
    EXPECT_EQ(link("cpu", "cpu"), "cpu_fabric");
    EXPECT_EQ(link("cpu", "memory"), "ddr5");
    EXPECT_EQ(link("switch_asic", "port"), "ic");
    EXPECT_EQ(link("nic", "port"), "ethernet");
    EXPECT_EQ(link("switch", "switch"), "ethernet");
    EXPECT_EQ(link("bmc", "mgmt_switch"), "oob");
    EXPECT_EQ(link("other", "cpu"), "");
    EXPECT_FALSE(rule_for_ends("nic", "port")->rate);
}

}  // namespace
}  // namespace weft::assumption_test
