// The expanded graph of an InfraGraph document: simple, undirected, with fully-qualified node names.
//
// Nodes are numbered in the order of the expansion (instances in document order, components in the order
// of their device); edges in the order in which they first appear. Both orders depend on the document
// alone. Everything a node or an edge points to belongs to the document, which the graph keeps alive.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infragraph/document.h"
#include "infragraph/edge_set.h"

namespace weft {

using NodeId = std::uint32_t;
using EdgeId = std::uint32_t;

// A free annotation, with the place it comes from.
struct Attribute {
    std::string name;
    std::string value;
    std::string file;
    int line = 0;
};
using Attributes = std::vector<Attribute>;

struct Node {
    std::string name;                      // "dgx_h100.0.xpu.3"
    std::uint32_t prefix = 0;              // length of the device's own name in it: "dgx_h100.0"
    const Device* device = nullptr;        // innermost blueprint
    const Component* component = nullptr;  // nullptr: not in the inventory (lenient documents only)
};

// The attributes that edges with the same definition share.
struct EdgeKind {
    std::string link;
    const LinkDeclaration* declared = nullptr;  // its declaration with the description; nullptr when undeclared
    std::optional<Quantity> bandwidth;          // as in the document or overridden by an annotation
    std::optional<Quantity> latency;
    std::optional<std::uint64_t> bytes_per_second;  // per direction; none for GT/s
    std::optional<std::uint64_t> latency_ps;
    // Where an annotation gave the value; an empty file: the document did.
    struct Place {
        std::string file;
        int line = 0;
    };
    Place bandwidth_from{};
    Place latency_from{};
};

struct Edge {
    NodeId a = 0;  // a < b
    NodeId b = 0;
    std::uint32_t kind = 0;
    int line = 0;  // of the rule that set the present link
};

struct Neighbour {
    NodeId node;
    EdgeId edge;
};

// The neighbours of one node, for range-for; in the order of their edges.
struct Neighbours {
    const Neighbour* first;
    const Neighbour* past;
    const Neighbour* begin() const { return first; }
    const Neighbour* end() const { return past; }
    std::size_t size() const { return static_cast<std::size_t>(past - first); }
};

class Graph {
public:
    std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
    std::uint32_t edge_count() const { return static_cast<std::uint32_t>(edges_.size()); }
    const Node& node(NodeId id) const { return nodes_[id]; }
    const Edge& edge(EdgeId id) const { return edges_[id]; }
    const EdgeKind& kind(const Edge& edge) const { return kinds_[edge.kind]; }
    const EdgeKind& kind(EdgeId id) const { return kinds_[edges_[id].kind]; }

    std::optional<NodeId> find(std::string_view name) const;
    std::optional<EdgeId> find_edge(NodeId a, NodeId b) const;
    Neighbours neighbours(NodeId id) const;

    // Derived attributes of a node; empty (index 0) for one outside the inventory.
    std::string type(NodeId id) const;                  // "xpu", or the text of a custom type
    std::string_view device_name(NodeId id) const;      // "dgx_h100"
    std::string_view composed_device(NodeId id) const;  // "dgx_h100.0"
    std::string_view instance(NodeId id) const;         // "dgx_h100"
    std::string_view instance_index(NodeId id) const;   // "0"

    // Annotations, in the order in which they were made.
    const Attributes& node_attributes(NodeId id) const;
    const Attributes& edge_attributes(EdgeId id) const;
    const Attributes& graph_attributes() const { return graph_attributes_; }
    static const Attribute* find(const Attributes& attributes, std::string_view name);

    const Infrastructure& infrastructure() const { return *infrastructure_; }

private:
    friend class GraphBuilder;
    friend class Annotator;

    void index_node(NodeId id);

    std::shared_ptr<const Infrastructure> infrastructure_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<EdgeKind> kinds_;
    EdgeSet edge_set_;
    std::vector<NodeId> name_slots_;  // open addressing, id + 1
    std::vector<std::uint32_t> first_neighbour_;
    std::vector<Neighbour> neighbours_;
    std::map<NodeId, Attributes> node_attributes_;
    std::map<EdgeId, Attributes> edge_attributes_;
    Attributes graph_attributes_;
};

}  // namespace weft
