// Networks that are named by their dimensions.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "infragraph/dimension_notation.h"
#include "infragraph/load.h"

namespace dimension_notation_test {

using namespace weft;

namespace {

Graph graph_of(const std::string& text)
{
    std::vector<NotationDimension> dimensions = parse_notation(text);
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        dimensions[d].bandwidth = 50'000'000'000 / (d + 1);
        dimensions[d].latency_ps = 500'000 * (d + 1);
    }
    return load_infrastructure_text("net.yaml", notation_document(text, dimensions)).graph;
}

using Joined = std::set<std::pair<std::string, std::string>>;

Joined joined(const Graph& graph)
{
    Joined out;
    for (EdgeId edge = 0; edge < graph.edge_count(); ++edge)
        out.emplace(graph.node(graph.edge(edge).a).name, graph.node(graph.edge(edge).b).name);
    return out;
}

std::string xpu(unsigned at) { return fmt::format("net.0.xpu.{}", at); }

std::string refusal(const std::string& text)
{
    try {
        parse_notation(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST(DimensionNotation, OneDimension)
{
    EXPECT_EQ(joined(graph_of("Ring(4)")),
        (Joined{{xpu(0), xpu(1)}, {xpu(1), xpu(2)}, {xpu(2), xpu(3)}, {xpu(0), xpu(3)}}));
    EXPECT_EQ(joined(graph_of("Ring(2)")), (Joined{{xpu(0), xpu(1)}}));
    EXPECT_EQ(graph_of("FullyConnected(5)").edge_count(), 10U);
    EXPECT_EQ(joined(graph_of("Switch(2)")), (Joined{{xpu(0), "net.0.sw0.0"}, {xpu(1), "net.0.sw0.0"}}));
}

// Every accelerator has, along every dimension, exactly the neighbours that its coordinates say.
TEST(DimensionNotation, SeveralDimensionsJoinWhoDiffersInOneCoordinate)
{
    const Graph graph = graph_of("Ring(5)_Switch(3)_FullyConnected(4)");
    Joined wanted;
    const auto add = [&](const std::string& a, const std::string& b) {
        if (graph.find(a) < graph.find(b)) wanted.emplace(a, b);
        if (graph.find(b) < graph.find(a)) wanted.emplace(b, a);
    };
    for (unsigned r = 0; r < 60; ++r) {
        const unsigned x = r % 5;
        add(xpu(r), xpu(r - x + (x + 1) % 5));
        add(xpu(r), fmt::format("net.0.sw1.{}", r / 15 * 5 + x));
        for (unsigned z = 0; z < 4; ++z) add(xpu(r), xpu(r % 15 + 15 * z));
    }
    EXPECT_EQ(joined(graph), wanted);
    EXPECT_EQ(wanted.size(), 60U + 60 + 15 * 6);
    for (EdgeId edge = 0; edge < graph.edge_count(); ++edge) {
        const std::string& link = graph.kind(edge).link;
        const unsigned d = static_cast<unsigned>(link.back() - '0');
        EXPECT_EQ(graph.kind(edge).bytes_per_second, 50'000'000'000U / (d + 1)) << link;
        EXPECT_EQ(graph.kind(edge).latency_ps, 500'000U * (d + 1)) << link;
    }
}

TEST(DimensionNotation, ALargeOneIsAShortDocument)
{
    const std::vector<NotationDimension> dimensions = parse_notation("Switch(8)_Ring(16)_Ring(128)");
    const std::string text = notation_document("Switch(8)_Ring(16)_Ring(128)", dimensions);
    EXPECT_LT(text.size(), std::size_t{3} << 20);
    EXPECT_EQ(parse_notation("Switch(8)_Ring(16)_Ring(128)")[2].size, 128U);
}

TEST(DimensionNotation, WhatIsNoNetworkIsRefused)
{
    for (const char* text : {"", "Ring", "Ring()", "Ring(1)", "Ring(8", "ring(8)", "Torus(4)", "Ring(8)_",
             "Ring(8)__Ring(2)", "Ring(-8)", "Ring(8)x", "Ring(999999)"})
        EXPECT_NE(refusal(text).find("is not a network dimension"), std::string::npos) << text << ": " << refusal(text);
    EXPECT_NE(refusal("Ring(1000000)").find("a size from 2 to 65535"), std::string::npos);
    EXPECT_NE(refusal("Ring(1000)_Ring(1000)").find("at most 65535"), std::string::npos);
}

}  // namespace dimension_notation_test
