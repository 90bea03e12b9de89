// Annotation requests and graph responses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "infragraph/graph_response.h"
#include "infragraph/query.h"
#include "testbenches/infragraph/fixtures.h"

namespace weft::annotate_test {
namespace {

using test::load;
using test::small;

LoadedGraph annotated(const std::string& request, bool lenient = false)
{
    LoadedGraph loaded = load(small());
    apply_annotation_text(loaded, "request.yaml", request, lenient);
    return loaded;
}

void expect_refused(const std::string& request, int line, const std::string& words, bool lenient = false)
{
    try {
        annotated(request, lenient);
        ADD_FAILURE() << "accepted: " << request;
    } catch (const InputError& error) {
        const Diagnostic& first = error.diagnostics().front();
        EXPECT_EQ(first.file, "request.yaml");
        EXPECT_EQ(first.line, line) << first.text();
        EXPECT_NE(first.what.find(words), std::string::npos) << first.text();
    }
}

// The nodes that carry attribute `a` after a request for `name`.
std::vector<std::string> touched(const std::string& name)
{
    const Graph graph = annotated("nodes: [{name: '" + name + "', attributes: [{attribute: a, value: '1'}]}]").graph;
    std::vector<std::string> out;
    for (NodeId id = 0; id < graph.node_count(); ++id)
        if (Graph::find(graph.node_attributes(id), "a") != nullptr) out.push_back(graph.node(id).name);
    return out;
}

using Texts = std::vector<std::string>;

TEST(Annotations, NamesWithADotAreLiteral)
{
    EXPECT_EQ(touched("h.0.xpu.1"), (Texts{"h.0.xpu.1"}));
    EXPECT_EQ(touched("h.1.sw"), (Texts{"h.1.sw.0", "h.1.sw.1"}));
    EXPECT_EQ(touched("h.1").size(), 6U);
    expect_refused("nodes:\n- {name: h.0.xp, attributes: []}\n", 2, "'h.0.xp' is not a node");
    expect_refused("nodes:\n- {name: 'h.0.xpu[0]', attributes: []}\n", 2, "is not a node");
    expect_refused("nodes:\n- {name: h., attributes: []}\n", 2, "is not a node", true);
}

TEST(Annotations, NamesWithoutADotAreElements)
{
    EXPECT_EQ(touched("h[0:2]xpu[1:3]"), (Texts{"h.0.xpu.1", "h.0.xpu.2", "h.1.xpu.1", "h.1.xpu.2"}));
    EXPECT_EQ(touched("h[0]xpu"), (Texts{"h.0.xpu.0", "h.0.xpu.1", "h.0.xpu.2", "h.0.xpu.3"}));
    EXPECT_EQ(touched("h[1]sw[:]"), (Texts{"h.1.sw.0", "h.1.sw.1"}));
    EXPECT_EQ(touched("h[:]sw[1]"), (Texts{"h.0.sw.1", "h.1.sw.1"}));
    EXPECT_EQ(touched("h[1]").size(), 6U);
    EXPECT_EQ(touched("h").size(), 12U);
    expect_refused("nodes: [{name: g}]", 1, "'g' is not a node");
    expect_refused("nodes: [{name: 'h[2]'}]", 1, "'h.2' is not a node");
    expect_refused("nodes: [{name: 'h[0'}]", 1, "is not a node");
    expect_refused("nodes: [{name: 'h[x]'}]", 1, "slice");
    expect_refused("nodes: [{name: 'h[0:1000000000000]'}]", 1, "is not a node");
    expect_refused("nodes: [{name: ''}]", 1, "is not a node");
}

TEST(Annotations, LaterValuesOverwrite)
{
    const Graph graph = annotated("nodes:\n"
                                  "- {name: h, attributes: [{attribute: pod, value: a}, {attribute: row, value: b}]}\n"
                                  "- {name: h.1.sw.0, attributes: [{attribute: pod, value: c}]}\n")
                            .graph;
    EXPECT_EQ(node_attribute(graph, 0, "pod"), "a");
    const Attributes& changed = graph.node_attributes(*graph.find("h.1.sw.0"));
    ASSERT_EQ(changed.size(), 2U);
    EXPECT_EQ(changed[0].value, "c");
    EXPECT_EQ(changed[0].file, "request.yaml");
    EXPECT_EQ(changed[0].line, 3);
}

TEST(Annotations, Edges)
{
    const LoadedGraph loaded =
        annotated("edges:\n"
                  "- {ep1: 'h[0]xpu[0:2]', ep2: 'h[0]sw[1]', attributes: [{attribute: cable, value: dac}]}\n"
                  "- {ep1: h.1.sw.0, ep2: h.0.sw.0, attributes: [{attribute: bandwidth, value: 400 Gbps},"
                  " {attribute: latency, value: 250 ns}]}\n");
    const Graph& graph = loaded.graph;
    const EdgeId cable = *graph.find_edge(*graph.find("h.0.xpu.1"), *graph.find("h.0.sw.1"));
    EXPECT_EQ(graph.edge_attributes(cable).size(), 1U);
    EXPECT_TRUE(graph.edge_attributes(*graph.find_edge(*graph.find("h.0.xpu.2"), *graph.find("h.0.sw.1"))).empty());
    const EdgeKind& between = graph.kind(*graph.find_edge(*graph.find("h.0.sw.0"), *graph.find("h.1.sw.0")));
    EXPECT_EQ(between.bandwidth->text(), "400 Gbps");
    EXPECT_EQ(between.bytes_per_second, 50'000'000'000U);
    EXPECT_EQ(between.latency_ps, 250'000U);
    EXPECT_EQ(between.link, "e");

    expect_refused("edges: [{ep1: h.0.sw, ep2: h.0.xpu.0}]", 1, "not a complete node name");
    expect_refused("edges: [{ep1: g.0, ep2: h.0.xpu.0}]", 1, "is not a node");
    expect_refused("edges:\n- {ep1: h.0.xpu.0, ep2: h.0.xpu.1}\n", 2, "there is no edge between");
    EXPECT_EQ(annotated("edges: [{ep1: h.0.xpu.0, ep2: h.0.xpu.1}]", true).notices.size(), 1U);
    expect_refused("edges: [{ep1: h.1.sw.0, ep2: h.0.sw.0, attributes: [{attribute: bandwidth, value: fast}]}]", 1,
        "'fast' is not understood");
    expect_refused("edges: [{ep1: h.1.sw.0, ep2: h.0.sw.0, attributes: [{attribute: latency, value: 1 Gbps}]}]", 1,
        "'1 Gbps' is not understood");
}

TEST(Annotations, Links)
{
    const Graph graph = annotated("links: [{name: l, attributes: [{attribute: medium, value: copper},"
                                  " {attribute: bandwidth, value: 900 GBps}]}]")
                            .graph;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        const bool inner = graph.kind(id).link == "l";
        EXPECT_EQ(graph.edge_attributes(id).size(), inner ? 1U : 0U);
        EXPECT_EQ(graph.kind(id).bytes_per_second.has_value(), inner);
    }
    expect_refused("links: [{name: k}]", 1, "no edge uses a link named 'k'");
    EXPECT_EQ(annotated("links: [{name: k}]", true).notices.size(), 1U);
}

TEST(Annotations, GraphAttributes)
{
    const Graph graph = annotated("graph: [{attribute: cluster, value: a}, {attribute: name, value: other}]").graph;
    ASSERT_EQ(graph.graph_attributes().size(), 2U);
    EXPECT_EQ(graph.graph_attributes()[0].value, "other");
    EXPECT_EQ(graph.graph_attributes()[1].name, "cluster");
}

TEST(Annotations, ImmutableAttributesAreSkippedWithANotice)
{
    for (const char* attribute : {"type", "instance", "instance_idx", "device", "composed_device", "link"}) {
        const LoadedGraph loaded = annotated(
            std::string("nodes: [{name: h.0.xpu.0, attributes: [{attribute: ") + attribute + ", value: z}]}]");
        ASSERT_EQ(loaded.notices.size(), 1U);
        EXPECT_EQ(loaded.notices[0].file, "request.yaml");
        EXPECT_TRUE(loaded.graph.node_attributes(0).empty());
        EXPECT_EQ(loaded.graph.type(0), "xpu");
    }
}

TEST(Annotations, TypesAreStrict)
{
    expect_refused("nodes: [{name: h, attributes: [{attribute: rank, value: 0}]}]", 1, "is the integer '0'");
    expect_refused("nodes: [{attributes: []}]", 1, "without 'name'");
    expect_refused("nodes: {}", 1, "is a mapping");
    expect_refused("nodes: []\nextra: 1\n", 2, "unknown annotation key 'extra'");
    expect_refused("- a\n", 1, "the annotation is a list");
}

TEST(Ranks, OrderTheEndpoints)
{
    const auto request = [](const char* r0, const char* r1, const char* r2, const char* r3) {
        std::string text = "nodes:\n";
        int node = 0;
        for (const char* rank : {r0, r1, r2, r3}) {
            if (rank != nullptr)
                text += "- {name: i.0.x." + std::to_string(node) + ", attributes: [{attribute: rank, value: '" + rank +
                    "'}]}\n";
            ++node;
        }
        LoadedGraph loaded = load("devices: [{name: d, components: [{name: x, count: 4, choice: xpu}, "
                                  "{name: c, count: 1, choice: cpu}], links: [{name: l}], edges: [{ep1: "
                                  "{component: x}, ep2: {component: c}, scheme: many2many, link: l}]}]\n"
                                  "instances: [{name: i, device: d, count: 1}]\n");
        apply_annotation_text(loaded, "ranks.yaml", text == "nodes:\n" ? "nodes: []" : text, false);
        return endpoints_in_rank_order(loaded.graph);
    };
    EXPECT_EQ(request(nullptr, nullptr, nullptr, nullptr), (std::vector<NodeId>{0, 1, 2, 3}));
    EXPECT_EQ(request("2", "0", "3", "1"), (std::vector<NodeId>{1, 3, 0, 2}));
    EXPECT_THROW(request("0", "1", "2", nullptr), InputError);
    EXPECT_THROW(request("0", "1", "2", "2"), InputError);
    EXPECT_THROW(request("0", "1", "2", "4"), InputError);
    EXPECT_THROW(request("0", "1", "2", "x"), InputError);
    EXPECT_THROW(request("0", "1", "2", "-1"), InputError);
    try {
        request("0", "1", "1", "3");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics()[0].file, "ranks.yaml");
        EXPECT_EQ(error.diagnostics()[0].line, 4);
    }
}

TEST(Responses, RoundTrip)
{
    const LoadedGraph loaded =
        annotated("nodes: [{name: h.0.xpu.0, attributes: [{attribute: rank, value: '0'}]}]\n"
                  "edges: [{ep1: h.1.sw.0, ep2: h.0.sw.0, attributes: [{attribute: bandwidth, value: 400 Gbps}]}]\n"
                  "graph: [{attribute: cluster, value: a}]\n");
    for (const ResponseScope scope : {ResponseScope::full, ResponseScope::partial}) {
        const std::string text = graph_response(loaded.graph, scope);
        const LoadedGraph again = load(text);
        EXPECT_EQ(again.form, Document::Form::graph_response);
        EXPECT_TRUE(again.notices.empty());
        EXPECT_EQ(graph_response(again.graph, scope), text);
    }
    const auto partial = nlohmann::json::parse(graph_response(loaded.graph, ResponseScope::partial));
    EXPECT_EQ(partial["annotations"]["nodes"].size(), 12U);
    EXPECT_TRUE(partial["annotations"]["nodes"][1]["attributes"].empty());
    EXPECT_EQ(partial["annotations"]["edges"].size(), loaded.graph.edge_count());
    EXPECT_EQ(partial["annotations"]["links"].size(), 2U);
}

TEST(Responses, ImmutableAttributesThatDifferAreNoted)
{
    std::string text = graph_response(load(small()).graph, ResponseScope::full);
    const std::string type = "\"value\": \"xpu\"";
    text.replace(text.find(type), type.size(), "\"value\": \"gpu\"");
    const LoadedGraph loaded = load(text);
    ASSERT_EQ(loaded.notices.size(), 1U);
    EXPECT_NE(loaded.notices[0].text.find("'gpu' is ignored"), std::string::npos);
    EXPECT_EQ(loaded.graph.type(0), "xpu");
}

// A short hand-written response is a document with annotations: its links are meant.
TEST(Responses, LinksOfAShortOneApply)
{
    std::string text = "infrastructure:\n";
    std::string line;
    for (const char c : small()) {
        if (line.empty()) line = "  ";
        line += c;
        if (c == '\n') text += std::exchange(line, "");
    }
    text += "annotations: {links: [{name: l, attributes: [{attribute: medium, value: copper}]}]}\n";
    EXPECT_EQ(load(text).graph.edge_attributes(0).size(), 1U);
}

}  // namespace
}  // namespace weft::annotate_test
