// Filters, paths and connectivity.
#include <gtest/gtest.h>

#include "infragraph/query.h"
#include "testbenches/infragraph/fixtures.h"

namespace weft::query_test {
namespace {

using Operator = NodeFilter::Operator;
using test::load;
using test::small;

std::vector<std::string> selected(const std::vector<NodeFilter>& filters)
{
    LoadedGraph loaded = load(small());
    apply_annotation_text(loaded, "r", "nodes: [{name: 'h[1]xpu[2]', attributes: [{attribute: pod, value: '7'}]}]",
        false);
    std::vector<std::string> names;
    for (const NodeId id : select_nodes(loaded.graph, filters)) names.push_back(loaded.graph.node(id).name);
    return names;
}

using Texts = std::vector<std::string>;

TEST(Filters, OnNames)
{
    EXPECT_EQ(selected({{"", Operator::equals, "h.0.sw.1"}}), (Texts{"h.0.sw.1"}));
    EXPECT_EQ(selected({{"", Operator::contains, ".sw."}}).size(), 4U);
    EXPECT_EQ(selected({{"", Operator::regex, "h\\.[01]\\.xpu\\.3"}}), (Texts{"h.0.xpu.3", "h.1.xpu.3"}));
    // Anchored at the start only.
    EXPECT_TRUE(selected({{"", Operator::regex, "xpu"}}).empty());
    EXPECT_EQ(selected({{"", Operator::regex, "h.1"}}).size(), 6U);
    EXPECT_EQ(selected({}).size(), 12U);
}

TEST(Filters, OnAttributesAndTogether)
{
    EXPECT_EQ(selected({{"type", Operator::equals, "switch"}}).size(), 4U);
    EXPECT_EQ(selected({{"instance_idx", Operator::equals, "1"}, {"type", Operator::contains, "pu"}}).size(), 4U);
    EXPECT_EQ(selected({{"composed_device", Operator::regex, "h.0$"}}).size(), 6U);
    EXPECT_EQ(selected({{"pod", Operator::contains, ""}}), (Texts{"h.1.xpu.2"}));
    EXPECT_TRUE(selected({{"absent", Operator::contains, ""}}).empty());
}

TEST(Filters, BadExpressions)
{
    EXPECT_THROW(selected({{"", Operator::regex, "("}}), InputError);
    EXPECT_THROW(selected({{"", Operator::regex, std::string(2000, 'a')}}), InputError);
    // One that makes a backtracking matcher run away.
    EXPECT_TRUE(selected({{"", Operator::regex, "(.*.*.*.*.*.*.*.*)*$x"}}).empty());
}

TEST(Paths, FewestHopsAndTies)
{
    const Graph graph = load(small()).graph;
    const auto names = [&](const std::vector<NodeId>& path) {
        Texts out;
        for (const NodeId id : path) out.push_back(graph.node(id).name);
        return out;
    };
    // Both switches would do: the one with the lower number is taken.
    EXPECT_EQ(names(shortest_path(graph, "h.0.xpu.3", "h.0.xpu.1")), (Texts{"h.0.xpu.3", "h.0.sw.0", "h.0.xpu.1"}));
    EXPECT_EQ(names(shortest_path(graph, "h.0.sw.1", "h.1.xpu.0")),
        (Texts{"h.0.sw.1", "h.0.xpu.0", "h.0.sw.0", "h.1.sw.0", "h.1.xpu.0"}));
    EXPECT_EQ(names(shortest_path(graph, "h.0.sw.1", "h.0.sw.1")), (Texts{"h.0.sw.1"}));
    EXPECT_THROW(shortest_path(graph, "h.0.sw.1", "h.0.sw.2"), InputError);
}

TEST(Paths, NoneBetweenComponents)
{
    const Graph graph = load(test::row("x[0:2]", "x[0:2]", "many2many")).graph;
    EXPECT_FALSE(shortest_path(graph, 0, 3));
    EXPECT_THROW(shortest_path(graph, "i.0.x.0", "i.0.y.0"), InputError);
    const Connectivity connected = connectivity(graph);
    EXPECT_EQ(connected.components, 9U);
    EXPECT_EQ(connected.isolated.size(), 8U);
    EXPECT_EQ(connected.component_of[0], connected.component_of[1]);
    EXPECT_NE(connected.component_of[0], connected.component_of[2]);
}

}  // namespace
}  // namespace weft::query_test
