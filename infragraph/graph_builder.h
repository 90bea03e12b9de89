// Makes a Graph: nodes, then edges with their overwriting rules, then the adjacency.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "infragraph/graph.h"

namespace weft {

class GraphBuilder {
public:
    explicit GraphBuilder(std::shared_ptr<const Infrastructure> infrastructure);

    NodeId add_node(Node node);
    // The node of this name; one without attributes is made where there is none.
    NodeId node_named(const std::string& name);
    std::uint32_t node_count() const { return graph_.node_count(); }

    // The kind of edges over a declared link, and of edges that name an undeclared one.
    std::uint32_t kind_of(const LinkDeclaration& link);
    std::uint32_t kind_of_undeclared(const std::string& name);

    // The kind of an edge of kind `earlier` that is defined again, in `line`: the later link, with what that leaves
    // out (bandwidth, latency) kept from the earlier one.
    std::uint32_t overwritten(std::uint32_t earlier, std::uint32_t later, int line);
    // An edge of kind `later` in `line` has the direction of an earlier one of another line. The other direction of an edge is often
    // written down, too; the same one a second time is another cable.
    void repeated(std::uint32_t earlier, std::uint32_t later, int earlier_line, int line);
    // For each link whose edges were defined again with another one, or with itself in the same direction: a sentence, by the line where that was first.
    std::vector<std::pair<int, std::string>> replaced_links() const;

    // A repeated edge is overwritten, one from a node to itself is skipped.
    void add_edge(NodeId a, NodeId b, std::uint32_t kind, int line);

    Graph finish();

private:
    std::uint32_t add_kind(EdgeKind kind);

    Graph graph_;
    std::map<const LinkDeclaration*, std::uint32_t> declared_;
    std::map<std::string, std::uint32_t> undeclared_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> overwritten_;
    std::vector<bool> turned_;  // by edge: first defined from the node of the larger number
    std::map<std::pair<std::string, std::string>, int> replaced_;  // names of links, earlier and later: first line
};

// Fills in the converted values from the stated ones.
void convert_units(EdgeKind& kind);

}  // namespace weft
