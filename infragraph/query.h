// Questions to a graph: filters on nodes, shortest paths, connectivity, endpoints in rank order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infragraph/graph.h"

namespace weft {

struct NodeFilter {
    enum class Operator { equals, contains, regex };
    std::string attribute;  // empty: the node's name
    Operator op = Operator::equals;
    std::string value;  // a regex (ECMAScript) is anchored at the start only
};

// Nodes that pass all filters, in node order. A node without the attribute does not pass.
// Throws InputError for a regular expression that is malformed or too complex.
std::vector<NodeId> select_nodes(const Graph& graph, const std::vector<NodeFilter>& filters);

// Any attribute of a node: type, instance, instance_idx, device, composed_device or a free annotation.
std::optional<std::string> node_attribute(const Graph& graph, NodeId id, std::string_view name);

// The nodes of a path with the fewest hops, both ends included; among equals the one whose node numbers
// come first in order. Any node may be passed through. Nothing when there is no path.
std::optional<std::vector<NodeId>> shortest_path(const Graph& graph, NodeId from, NodeId to);

// The same by name. Throws InputError for an unknown node and when there is no path.
std::vector<NodeId> shortest_path(const Graph& graph, const std::string& from, const std::string& to);

struct Connectivity {
    std::uint32_t components = 0;
    std::vector<std::uint32_t> component_of;  // by node, numbered in node order
    std::vector<NodeId> isolated;             // nodes without an edge
};
Connectivity connectivity(const Graph& graph);

// The xpu nodes by their rank annotations, or in node order where none has one. Throws InputError when
// the ranks are not exactly "0" to "n-1".
std::vector<NodeId> endpoints_in_rank_order(const Graph& graph);

}  // namespace weft
