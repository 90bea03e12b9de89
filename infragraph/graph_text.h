// An expanded graph as JSON and as pictures.
#pragma once

#include <string>

#include "infragraph/graph.h"

namespace weft {

// {graph: {attributes}, nodes: [{name, type, instance, instance_idx, device, composed_device, ...}],
//  edges: [{a, b, link, bandwidth, latency, bytes_per_second, latency_ps, ...}]}, one node or edge a line.
// Attributes that an edge does not have are left out; so are the derived attributes of a node outside the inventory.
// Free annotations are further members; one that has the name of another member gets "annotation:" before it.
std::string graph_json(const Graph& graph);

// Graphviz: a cluster for each device instance, nodes shaped and coloured by type, edges coloured by link
// and labelled with link and bandwidth where there are not too many.
std::string graph_dot(const Graph& graph);

}  // namespace weft
