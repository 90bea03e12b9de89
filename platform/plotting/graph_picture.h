// A laid-out graph as SVG.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/plotting/graph_layout.h"

namespace weft {

// The utilisation of an edge in a run.
struct EdgeUse {
    double share = 0;  // of the time that its busier direction was busy
    std::string text;  // numbers of both directions, one a line
};

struct GraphPicture {
    std::string title;
    bool alone = true;              // a file of its own, with its styles; else a part of a page that has them
    std::map<EdgeId, EdgeUse> use;  // empty: edges are coloured by the kind of link
    std::map<std::string, std::string> rates;  // by kind of link: what the legend says of its bandwidth
    // Of a run that is cut: nodes are coloured by part, and links that are cut are dashed. Empty: it is not.
    std::map<NodeId, std::uint32_t> parts{};
    std::vector<std::string> part_texts{};  // lines of the legend, one for each part
    std::string cut_text{};                 // and one for links that are cut
};

std::string graph_picture_svg(const Graph& graph, const GraphLayout& layout, const GraphPicture& picture);

// `text` with the characters that XML reserves replaced, and control characters by '?'.
std::string xml_text(const std::string& text);

}  // namespace weft
