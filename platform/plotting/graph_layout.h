// The positions of the nodes of a graph in a picture: a box for each device, rows by kind in it, boxes in tiers with
// endpoints at the bottom.
//
// A device without endpoints, cards and processors (a switch with its ports) is one node. A graph with more nodes than can be read is
// grouped: alike nodes of a box become one ("8 x xpu"), then alike boxes below the same switches ("4 x server"), then all alike boxes of a
// tier ("32 x server").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "infragraph/graph.h"

namespace weft {

struct PictureNode {
    std::string label;
    std::string title;      // its names, for a pointer on it
    std::string type;       // "xpu", "switch", "nic", "cpu", "memory", ...
    std::size_t count = 1;  // nodes of the graph
    double x = 0;           // of the upper left corner
    double y = 0;
    double width = 0;
    double height = 0;
};

struct PictureBox {
    std::string label;
    std::size_t count = 1;  // devices
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

struct PictureEdge {
    std::size_t a = 0;  // places in GraphLayout::nodes
    std::size_t b = 0;
    std::string link;
    std::vector<EdgeId> edges;
};

struct GraphLayout {
    std::vector<PictureNode> nodes;
    std::vector<PictureBox> boxes;
    std::vector<PictureEdge> edges;
    std::vector<std::size_t> place;  // of each node of the graph, in `nodes`
    bool grouped = false;            // a node or box stands for several
    double width = 0;
    double height = 0;
};

GraphLayout lay_out(const Graph& graph, std::size_t most_nodes = 130);

}  // namespace weft
