// What is written about a graph.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "infragraph/graph_text.h"
#include "infragraph/summary.h"
#include "testbenches/infragraph/fixtures.h"

namespace weft::output_test {
namespace {

using test::load;
using test::small;

TEST(Outputs, CheckText)
{
    const LoadedGraph loaded = load(small());
    EXPECT_EQ(check_text(loaded),
        "file         doc.yaml\n"
        "name         small\n"
        "instances    h = 2 x d\n"
        "nodes        12 (xpu 8, switch 4)\n"
        "edges        17 (l 16, e 1)\n"
        "endpoints    8 (nodes of type xpu)\n"
        "components   1 connected\n"
        "isolated     0\n");
    const LoadedGraph noticed = load(test::row("x[0]", "y[0]", "one2one"));
    EXPECT_NE(check_text(noticed).find("notice       doc.yaml: 8 nodes have no edge"), std::string::npos);
}

TEST(Outputs, CheckJson)
{
    const auto out = nlohmann::json::parse(check_json(load(small())));
    EXPECT_EQ(out["name"], "small");
    EXPECT_EQ(out["nodes"], 12);
    EXPECT_EQ(out["edges"], 17);
    EXPECT_EQ(out["types"]["xpu"], 8);
    EXPECT_EQ(out["links"]["l"], 16);
    EXPECT_EQ(out["endpoints"], 8);
    EXPECT_EQ(out["components"], 1);
    EXPECT_EQ(out["isolated"], 0);
    EXPECT_EQ(out["instances"][0]["device"], "d");
    EXPECT_TRUE(out["notices"].empty());
}

TEST(Outputs, GraphJson)
{
    LoadedGraph loaded = load(small());
    apply_annotation_text(loaded, "r",
        "nodes: [{name: h.0.xpu.0, attributes: [{attribute: rank, value: '0'}, {attribute: name, value: "
        "\"q\\\"\"}]}]\n"
        "edges: [{ep1: h.1.sw.0, ep2: h.0.sw.0, attributes: [{attribute: bandwidth, value: 400 Gbps},"
        " {attribute: a, value: b}]}]\n",
        false);
    const auto out = nlohmann::json::parse(graph_json(loaded.graph));
    EXPECT_EQ(out["graph"]["name"], "small");
    ASSERT_EQ(out["nodes"].size(), 12U);
    EXPECT_EQ(out["nodes"][0]["name"], "h.0.xpu.0");
    EXPECT_EQ(out["nodes"][0]["type"], "xpu");
    EXPECT_EQ(out["nodes"][0]["composed_device"], "h.0");
    EXPECT_EQ(out["nodes"][0]["rank"], "0");
    EXPECT_EQ(out["nodes"][0]["annotation:name"], "q\"");
    ASSERT_EQ(out["edges"].size(), 17U);
    const auto& edge = out["edges"][16];
    EXPECT_EQ(edge["a"], "h.0.sw.0");
    EXPECT_EQ(edge["b"], "h.1.sw.0");
    EXPECT_EQ(edge["link"], "e");
    EXPECT_EQ(edge["bandwidth"], "400 Gbps");
    EXPECT_EQ(edge["bytes_per_second"], 50'000'000'000U);
    EXPECT_EQ(edge["annotation:a"], "b");
    EXPECT_FALSE(out["edges"][0].contains("bandwidth"));
}

TEST(Outputs, Dot)
{
    const std::string dot = graph_dot(load(small()).graph);
    EXPECT_NE(dot.find("subgraph \"cluster_1\" {\n    label=\"h.1\""), std::string::npos);
    EXPECT_NE(dot.find("\"h.0.xpu.0\" [label=\"xpu.0\", shape=box"), std::string::npos);
    EXPECT_NE(dot.find("\"h.0.xpu.0\" -- \"h.0.sw.0\""), std::string::npos);
    EXPECT_NE(dot.find("label=\"e\""), std::string::npos);
}

}  // namespace
}  // namespace weft::output_test
