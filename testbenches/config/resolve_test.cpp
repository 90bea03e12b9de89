// Layers, roles, models, ranks and where values come from.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "infragraph/load.h"
#include "platform/configuration/explain.h"
#include "testbenches/config/support.h"

namespace weft::resolve_test {
namespace {

// `small_box` with annotations, in the form of a graph response.
std::string annotated(const std::string& nodes, const std::string& edges = "", const std::string& graph = "")
{
    std::string text = "infrastructure:\n";
    std::string line;
    for (const char* c = small_box; *c != '\0'; ++c) {
        line += *c;
        if (*c != '\n') continue;
        text += "  " + line;
        line.clear();
    }
    text += "annotations:\n";
    if (!nodes.empty()) text += "  nodes:\n" + nodes;
    if (!edges.empty()) text += "  edges:\n" + edges;
    if (!graph.empty()) text += "  graph:\n" + graph;
    return text;
}

std::string on_node(const char* node, const char* attribute, const char* value)
{
    return std::string("  - {name: ") + node + ", attributes: [{attribute: " + attribute + ", value: \"" + value +
        "\"}]}\n";
}

TEST(Resolve, EachLayerCoversTheOneBelow)
{
    const char* const node = "box.0.xpu.0";
    // Default: the profile says nothing of it.
    EXPECT_EQ(explained(resolved(), node, "l2.outstanding_misses"), "256 | default");
    // Profile.
    EXPECT_EQ(explained(resolved(), node, "l2.size"),
        "50 MiB | profile h100: NVIDIA H100 whitepaper (vendor specification)");
    // Annotation.
    const std::string document = annotated(on_node(node, "weft.l2.size", "45 MiB"));
    EXPECT_EQ(explained(resolved("", {}, document), node, "l2.size"), "45 MiB | annotation of box.yaml");
    EXPECT_EQ(explained(resolved("", {}, document), "box.0.xpu.1", "l2.size").substr(0, 6), "50 MiB");
    // System file; within it, later wins.
    const std::string file = "parameters:\n  l2.size: 30 MiB\n  box.0.xpu.0.l2.size: 40 MiB\n";
    EXPECT_EQ(explained(resolved(file, {}, document), node, "l2.size"), "40 MiB | system.yaml:4");
    EXPECT_EQ(explained(resolved(file, {}, document), "box.0.xpu.1", "l2.size"), "30 MiB | system.yaml:3");
    // --set; the last one wins.
    EXPECT_EQ(explained(resolved(file, {"l2.size=25 MiB", "l2.size=35 MiB"}, document), node, "l2.size"),
        "35 MiB | --set");
}

TEST(Resolve, LayersOfALink)
{
    const char* const edge = "box.0.xpu.0~box.0.cpu.0";
    EXPECT_EQ(explained(resolved(), edge, "link.bandwidth"),
        "63.0154 GB/s | link table pcie_gen5: PCI Express 5.0: 16 lanes of 32 GT/s at 128/130 (vendor "
        "specification)");
    const std::string document = annotated("",
        "  - {ep1: box.0.xpu.0, ep2: box.0.cpu.0, attributes: ["
        "{attribute: bandwidth, value: 100 Gbps}, {attribute: weft.link.header, value: \"8\"}]}\n");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_EQ(explained(system, edge, "link.bandwidth"), "12.5 GB/s | annotation of box.yaml");
    EXPECT_EQ(explained(system, edge, "link.header"), "8 B | annotation of box.yaml");
    // Two annotations of a file are two places.
    const ResolvedSystem both = resolved("", {},
        annotated(on_node("box.0.xpu.0", "weft.l2.size", "45 MiB") + on_node("box.0.xpu.1", "weft.l2.size", "40 MiB")));
    const auto line_of = [&both](const char* node) {
        const Variant& values =
            both.values(block_of<L2Spec>(), both.variant(*both.graph().find(node), block_of<L2Spec>()));
        return both.source(values.sources[*info_of(block_of<L2Spec>()).find("size")]).line;
    };
    EXPECT_GT(line_of("box.0.xpu.1"), line_of("box.0.xpu.0"));
    EXPECT_EQ(explained(system, "box.0.xpu.1~box.0.cpu.0", "link.bandwidth").substr(0, 12), "63.0154 GB/s");
    EXPECT_EQ(explained(resolved("links: {pcie: {bandwidth: 9 GB/s}}\n", {}, document), edge, "link.bandwidth"),
        "9 GB/s | system.yaml:2");
    EXPECT_EQ(explained(resolved("links: {pcie: {bandwidth: 9 GB/s}}\n", {"link.bandwidth=8 GB/s"}, document), edge,
                  "link.bandwidth"),
        "8 GB/s | --set");
}

TEST(Resolve, RolesAndLatenciesOfForwardingNodes)
{
    const ResolvedSystem system = resolved();
    const NodeId nvsw = *system.graph().find("box.0.nvsw.0");
    const NodeId cpu = *system.graph().find("box.0.cpu.0");
    EXPECT_EQ(system.role(0), NodeRole::endpoint);
    EXPECT_EQ(system.role(nvsw), NodeRole::forwarder);
    EXPECT_EQ(system.model(0), "gpu");
    EXPECT_EQ(system.model(nvsw), "switch");
    EXPECT_EQ(explained(system, "box.0.nvsw.0", "switch.latency").substr(0, 21), "100 ns | profile h100");
    EXPECT_EQ(explained(system, "box.0.cpu.0", "switch.latency").substr(0, 23), "150 ns | node table cpu");
    EXPECT_EQ(system.switch_of(cpu).latency, 150'000U);
    EXPECT_EQ(system.endpoints(), (std::vector<NodeId>{0, 1}));
}

TEST(Resolve, ProfilesByDefaultByBindingAndByAnnotation)
{
    EXPECT_EQ(resolved().profile(0), "h100");
    EXPECT_EQ(resolved("profile: a100\n").profile(0), "a100");
    const ResolvedSystem bound = resolved("profile: a100\nbind: [{nodes: \"*.xpu.1\", profile: v100}]\n");
    EXPECT_EQ(bound.profile(0), "a100");
    EXPECT_EQ(bound.profile(1), "v100");
    EXPECT_EQ(resolved("", {}, annotated(on_node("box.0.xpu.1", "weft.profile", "b200"))).profile(1), "b200");
    EXPECT_EQ(error_of([] { resolved("bind:\n- {nodes: \"*.nvsw.*\", profile: h100}\n"); }),
        "system.yaml:3: no xpu matches '*.nvsw.*'; expected nodes of type xpu or memory; other nodes have no profile");
}

TEST(Resolve, APartThatNobodyKnowsIsGenericAndSaysSo)
{
    std::string document = small_box;
    document.replace(document.find("NVIDIA H100"), 11, "Acme X1 now");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_EQ(system.profile(0), "generic");
    EXPECT_TRUE(system.notices.empty());
    ASSERT_GE(system.assumptions.size(), 1U);
    EXPECT_EQ(system.assumptions[0].what(), "profile of accelerator xpu");
    EXPECT_EQ(system.assumptions[0].count, 2U);
    for (const Assumption& assumption : resolved("profile: generic\n", {}, document).assumptions)
        EXPECT_NE(assumption.topic, "profile") << assumption.text();
}

TEST(Resolve, Models)
{
    KnownNames known;
    known.models = {{"gpu", {"gpu"}}, {"switch", {"switch", "rtl_switch"}}};
    const ResolvedSystem system =
        resolved("bind: [{nodes: {component: nvsw}, model: rtl_switch}]\n", {}, small_box, known);
    EXPECT_EQ(system.model(*system.graph().find("box.0.nvsw.1")), "rtl_switch");
    EXPECT_EQ(system.model(*system.graph().find("box.0.cpu.0")), "switch");
    EXPECT_EQ(error_of([&] { resolved("bind:\n- {nodes: {type: switch}, model: rtl_swich}\n", {}, small_box, known); }),
        "system.yaml:3: unknown model 'rtl_swich' for box.0.nvsw.0; expected a model of kind switch (did you "
        "mean 'rtl_switch'?)");
    EXPECT_NE(error_of([&] {
        resolved("bind: [{nodes: nothing, model: switch}]\n");
    }).find("no node that is simulated matches 'nothing'"),
        std::string::npos);
    const std::string document = annotated(on_node("box.0.nvsw.0", "weft.model", "rtl_switch"));
    EXPECT_EQ(resolved("", {}, document, known).model(*system.graph().find("box.0.nvsw.0")), "rtl_switch");
    SystemDescription option = described("");
    option.bindings.push_back(parse_model_option("*.nvsw.0=rtl"));
    EXPECT_NE(error_of([&] { resolve(option, graph_of(small_box), known); }).find("--model: unknown model 'rtl'"),
        std::string::npos);
    EXPECT_NE(error_of([] { parse_model_option("=x"); }).find("incomplete"), std::string::npos);
}

// Links of the registry are values of link.model beside those that it always has.
TEST(Resolve, ModelsOfLinks)
{
    KnownNames known;
    known.models = {{"link", {"link", "link_lockstep", "reference_link", "mine", "other", "rtl_link"}},
        {"switch", {"switch", "crossbar"}}};
    const ResolvedSystem system = resolved("",
        {"*.nvsw.1~*.link.model=other", "box.0.nvsw.1~box.0.xpu.1.link.model=mine", "*.cpu.0~*.link.model=rtl_link"},
        small_box, known);
    std::map<std::string, unsigned> count;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) ++count[system.link_model(edge)];
    EXPECT_EQ(count["mine"], 1U);
    EXPECT_EQ(count["other"], 1U);
    EXPECT_GE(count["link"], 2U);
    EXPECT_GE(count["rtl_link"], 1U);
    EXPECT_NE(explain(system).find("mine"), std::string::npos);
    const auto error = [&](const std::string& name) {
        return error_of([&] { resolved("", {"link.model=" + name}, small_box, known); });
    };
    const std::string all = "link, reference_link, rtl_link, link_lockstep, mine, other";
    EXPECT_EQ(error("otter"),
        "--set: 'otter' is not a value of link.model; expected one of " + all + " (did you mean 'other'?)");
    EXPECT_EQ(error("crossbar"),
        "--set: 'crossbar' is not a value of link.model; expected --model 'GLOB=crossbar', since it is a switch; a "
        "link "
        "is one of " +
            all);
    EXPECT_EQ(error_of([&] { resolved("bind:\n- {nodes: {component: nvsw}, model: mine}\n", {}, small_box, known); }),
        "system.yaml:3: unknown model 'mine' for box.0.nvsw.0; expected a model of kind switch; for links use --set "
        "link.model=mine");
    // Nobody says what there is beside.
    EXPECT_EQ(error_of([] { resolved("", {"link.model=mine"}); }),
        "--set: 'mine' is not a value of link.model; expected one of link, reference_link, rtl_link, link_lockstep "
        "(did you mean 'link'?)");
}

TEST(Resolve, RankAnnotationsOrderTheEndpoints)
{
    const std::string swapped = on_node("box.0.xpu.0", "rank", "1") + on_node("box.0.xpu.1", "rank", "0");
    EXPECT_EQ(resolved("", {}, annotated(swapped)).endpoints(), (std::vector<NodeId>{1, 0}));
    const auto error = [](const std::string& nodes) { return error_of([&] { resolved("", {}, annotated(nodes)); }); };
    EXPECT_NE(error(on_node("box.0.xpu.0", "rank", "0")).find("only 1 of 2 xpu nodes have a rank"), std::string::npos);
    EXPECT_NE(error(on_node("box.0.xpu.0", "rank", "0") + on_node("box.0.xpu.1", "rank", "0")).find("is used twice"),
        std::string::npos);
    EXPECT_NE(error(on_node("box.0.xpu.0", "rank", "2") + on_node("box.0.xpu.1", "rank", "0")).find("is not a rank"),
        std::string::npos);
}

TEST(Resolve, AnnotationsOfOurVocabularyAreChecked)
{
    const auto error = [](const std::string& nodes, const std::string& edges = "", const std::string& graph = "") {
        return error_of([&] { resolved("", {}, annotated(nodes, edges, graph)); });
    };
    EXPECT_NE(error(on_node("box.0.xpu.0", "weft.l2.siez", "1 MiB")).find("unknown parameter 'l2.siez'"),
        std::string::npos);
    EXPECT_NE(error(on_node("box.0.xpu.0", "weft.speed", "1")).find("unknown annotation 'weft.speed'"),
        std::string::npos);
    EXPECT_NE(error(on_node("box.0.nvsw.0", "weft.l2.size", "1 MiB")).find("has no block 'l2'"), std::string::npos);
    EXPECT_NE(error(on_node("box.0.xpu.0", "weft.l2.size", "1 B")).find("box.yaml:"), std::string::npos);
    EXPECT_NE(error("",
                  "  - {ep1: box.0.xpu.0, ep2: box.0.cpu.0, attributes: [{attribute: weft.l2.size, value: 1 "
                  "MiB}]}\n")
                  .find("unknown annotation 'weft.l2.size' of an edge"),
        std::string::npos);
    EXPECT_EQ(error(on_node("box.0.xpu.0", "ipaddress", "x")), "");
    const ResolvedSystem system =
        resolved("", {}, annotated("", "", "  - {attribute: weft.engine.channels, value: \"3\"}\n"));
    EXPECT_EQ(system.engine().channels, 3U);
}

TEST(Resolve, ManyIdenticalEdgesShareTheirSpec)
{
    std::string document = small_box;
    document.replace(document.find("device: box, count: 1"), 21, "device: box, count: 2000");
    const ResolvedSystem system = resolved("", {"link.latency=60 ns", "*.xpu.1.l2.size=40 MiB"}, document);
    EXPECT_EQ(system.graph().edge_count(), 12000U);
    EXPECT_EQ(&system.link(0), &system.link(11994));
    std::set<const L2Spec*> caches;
    for (const NodeId node : system.endpoints()) caches.insert(&system.l2(node));
    EXPECT_EQ(caches.size(), 2U);
}

}  // namespace
}  // namespace weft::resolve_test
