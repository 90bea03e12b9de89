#include <array>
#include <map>

#include <fmt/format.h>

#include "infragraph/graph_text.h"

namespace weft {

namespace {

constexpr std::uint32_t most_labelled_edges = 200;

struct Look {
    const char* type;
    const char* shape;
    const char* colour;
};

constexpr std::array<Look, 8> looks{{{"xpu", "box", "#8ecae6"}, {"cpu", "box", "#ffd166"},
    {"switch", "hexagon", "#b5e48c"}, {"nic", "component", "#f4a261"}, {"memory", "cylinder", "#cdb4db"},
    {"port", "circle", "#e9ecef"}, {"device", "box3d", "#adb5bd"}, {"", "box", "#ff9999"}}};

constexpr Look custom_look{"", "ellipse", "#f8edeb"};

constexpr std::array<const char*, 8> edge_colours{"#1d3557", "#2a9d8f", "#e76f51", "#6a4c93", "#bc6c25", "#457b9d",
    "#588157", "#9d0208"};

const Look& look_of(const std::string& type)
{
    for (const Look& look : looks)
        if (type == look.type) return look;
    return custom_look;
}

std::string dot_quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

// "host.0" of "host.0.cx5.3.asic.0": one cluster for each instance of the infrastructure.
std::string_view instance_of(const std::string& name)
{
    const std::size_t first = name.find('.');
    const std::size_t second = first == std::string::npos ? first : name.find('.', first + 1);
    return second == std::string::npos ? std::string_view() : std::string_view(name).substr(0, second);
}

void write_node(const Graph& graph, NodeId id, std::size_t prefix, std::string& out)
{
    const std::string type = graph.type(id);
    const Look& look = look_of(type);
    const std::string& name = graph.node(id).name;
    const std::string label = name.substr(prefix == 0 ? 0 : prefix + 1);
    out += fmt::format("    {} [label={}, shape={}, fillcolor=\"{}\", tooltip={}];\n", dot_quoted(name),
        dot_quoted(label), look.shape, look.colour, dot_quoted(name + " (" + (type.empty() ? "-" : type) + ")"));
}

}  // namespace

std::string graph_dot(const Graph& graph, const std::vector<EdgeFigures>& of_run)
{
    std::string out = fmt::format("graph {} {{\n", dot_quoted(graph.infrastructure().name));
    out += "  graph [overlap=prism, fontname=\"sans-serif\", bgcolor=\"white\"];\n"
           "  node [style=filled, fontname=\"sans-serif\", fontsize=10, color=\"#495057\"];\n"
           "  edge [fontname=\"sans-serif\", fontsize=8];\n";
    std::map<std::string_view, std::uint32_t> cluster_of;
    std::vector<std::vector<NodeId>> clusters;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        const auto [found, added] =
            cluster_of.emplace(instance_of(graph.node(id).name), static_cast<std::uint32_t>(clusters.size()));
        if (added) clusters.emplace_back();
        clusters[found->second].push_back(id);
    }
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const std::string_view instance = instance_of(graph.node(clusters[i].front()).name);
        out += fmt::format("  subgraph \"cluster_{}\" {{\n    label={}; style=rounded; color=\"#adb5bd\";\n", i,
            dot_quoted(instance));
        for (const NodeId id : clusters[i]) write_node(graph, id, instance.size(), out);
        out += "  }\n";
    }
    std::map<std::string, std::size_t> colour_of;
    const bool labelled = graph.edge_count() <= most_labelled_edges;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        const Edge& edge = graph.edge(id);
        const EdgeKind& kind = graph.kind(edge);
        const std::size_t colour = colour_of.emplace(kind.link, colour_of.size()).first->second;
        const EdgeTexts texts = edge_texts(kind, of_run.empty() ? EdgeFigures{} : of_run[id]);
        std::string text = kind.link;
        if (!texts.bandwidth.empty()) text += ", " + texts.bandwidth;
        if (!texts.latency.empty()) text += ", " + texts.latency;
        out += fmt::format("  {} -- {} [color=\"{}\", tooltip={}", dot_quoted(graph.node(edge.a).name),
            dot_quoted(graph.node(edge.b).name), edge_colours[colour % edge_colours.size()], dot_quoted(text));
        if (labelled) out += ", label=" + dot_quoted(text);
        out += "];\n";
    }
    return out + "}\n";
}

}  // namespace weft
