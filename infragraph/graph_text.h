// An expanded graph as JSON and as pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "infragraph/graph.h"

namespace weft {

// Values that a run uses for an edge; a system file may change those of the document. Empty: the document's values hold.
struct EdgeFigures {
    std::optional<std::uint64_t> bytes_per_second;
    std::optional<std::uint64_t> latency_ps;
};

// "wire, 50 GBps, 80 ns" in parts: the texts of the document, or, where a run takes other values, of those.
struct EdgeTexts {
    std::string bandwidth;  // empty: none is known
    std::string latency;
    std::optional<std::uint64_t> bytes_per_second;
    std::optional<std::uint64_t> latency_ps;
};
EdgeTexts edge_texts(const EdgeKind& kind, const EdgeFigures& of_run);

// {graph: {attributes}, nodes: [{name, type, instance, instance_idx, device, composed_device, ...}],
//  edges: [{a, b, link, bandwidth, latency, bytes_per_second, latency_ps, ...}]}, one node or edge a line.
// Attributes that an edge does not have are left out; so are the derived attributes of a node outside the inventory.
// Free annotations are further members; one that has the name of another member gets "annotation:" before it.
// `of_run`: one for each edge, or none at all for the document alone.
std::string graph_json(const Graph& graph, const std::vector<EdgeFigures>& of_run = {});

// Graphviz: a cluster for each device instance, nodes shaped and coloured by type, edges coloured by link
// and labelled with link and bandwidth where there are not too many.
std::string graph_dot(const Graph& graph, const std::vector<EdgeFigures>& of_run = {});

}  // namespace weft
