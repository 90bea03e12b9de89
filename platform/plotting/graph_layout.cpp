#include "platform/plotting/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr double node_height = 26;
constexpr double gap = 10;
constexpr double row_gap = 44;
constexpr double box_pad = 14;
constexpr double box_title = 20;
constexpr double box_gap = 26;
constexpr double tier_gap = 76;
constexpr double widest = 1560;
constexpr std::size_t longest_row = 18;

// 7.2 units for a character of 12 units, with room at both ends.
double width_of(const std::string& label) { return std::max(40.0, 7.2 * static_cast<double>(label.size()) + 14); }

// What a device consists of, before anything is grouped.
struct Device {
    std::string name;  // "dgx.0"
    std::string kind;  // of the blueprint
    std::vector<NodeId> nodes;
    bool is_one_node = false;
    std::size_t tier = 0;
};

std::string component_of(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    std::string own = node.name.substr(std::min<std::size_t>(node.name.size(), node.prefix + 1));
    return own.substr(0, own.find_last_of('.'));
}

// What to call a node within its box.
std::string own_name(const Graph& graph, NodeId id)
{
    const Node& node = graph.node(id);
    return node.prefix + 1 < node.name.size() ? node.name.substr(node.prefix + 1) : node.name;
}

// Rows of a box, from the top: cards, memories, processors, switches that lead to those or out of the box, endpoints, other switches.
int row_of(const Graph& graph, NodeId id)
{
    const std::string type = graph.type(id);
    if (type == "nic") return 0;
    if (type == "memory") return 1;
    if (type == "cpu") return 2;
    if (type == "xpu") return 4;
    for (const Neighbour& next : graph.neighbours(id)) {
        const std::string other = graph.type(next.node);
        if (other == "cpu" || other == "nic" || graph.composed_device(next.node) != graph.composed_device(id)) return 3;
    }
    return 5;
}

class Layout {
public:
    Layout(const Graph& graph, std::size_t most) : graph_(graph), most_(most) {}

    GraphLayout make()
    {
        find_devices();
        find_tiers();
        for (int level = 0; level < 4; ++level) {
            group(level);
            connect();
            arrange();
            if (level == 3 || (out_.nodes.size() <= most_ && lines_of_a_tier_ == 1)) break;
        }
        return std::move(out_);
    }

private:
    // A row of a box: places in out_.nodes.
    struct Box {
        std::string label;
        std::size_t count = 1;
        std::size_t tier = 0;
        bool framed = true;
        std::map<int, std::vector<std::size_t>> rows;
        double width = 0;
        double height = 0;
    };

    void find_devices()
    {
        std::map<std::string, std::size_t> places;
        device_of_.resize(graph_.node_count());
        for (NodeId id = 0; id < graph_.node_count(); ++id) {
            const std::string name(graph_.composed_device(id));
            const auto [place, fresh] = places.emplace(name.empty() ? graph_.node(id).name : name, devices_.size());
            if (fresh) devices_.push_back({place->first, std::string(graph_.device_name(id)), {}, false, 0});
            device_of_[id] = place->second;
            devices_[place->second].nodes.push_back(id);
        }
        for (Device& device : devices_)
            device.is_one_node = std::all_of(device.nodes.begin(), device.nodes.end(),
                                     [&](NodeId id) {
                                         const std::string type = graph_.type(id);
                                         return type == "switch" || type == "port";
                                     }) &&
                std::count_if(device.nodes.begin(), device.nodes.end(),
                    [&](NodeId id) { return graph_.type(id) == "switch"; }) <= 1;
    }

    // Endpoints are tier 0; another device is one above the nearest below it.
    void find_tiers()
    {
        constexpr std::size_t unknown = SIZE_MAX;
        std::queue<std::size_t> open;
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            Device& device = devices_[d];
            const bool below = std::any_of(device.nodes.begin(), device.nodes.end(),
                [&](NodeId id) { return graph_.type(id) == "xpu"; });
            device.tier = below ? 0 : unknown;
            if (below) open.push(d);
        }
        for (; !open.empty(); open.pop())
            for (const NodeId id : devices_[open.front()].nodes)
                for (const Neighbour& next : graph_.neighbours(id)) {
                    Device& other = devices_[device_of_[next.node]];
                    if (other.tier != unknown) continue;
                    other.tier = devices_[open.front()].tier + 1;
                    open.push(device_of_[next.node]);
                }
        for (Device& device : devices_)
            if (device.tier == unknown) device.tier = 0;
    }

    // Devices of the tier above that a device is linked to.
    std::set<std::size_t> above(const Device& device) const
    {
        std::set<std::size_t> out;
        for (const NodeId id : device.nodes)
            for (const Neighbour& next : graph_.neighbours(id))
                if (devices_[device_of_[next.node]].tier > device.tier) out.insert(device_of_[next.node]);
        return out;
    }

    // Level 0: every node; 1: alike nodes of a box are one; 2: alike boxes below the same switches, too; 3: all alike boxes of a tier.
    void group(int level)
    {
        out_ = GraphLayout();
        out_.place.resize(graph_.node_count());
        boxes_.clear();
        std::map<std::tuple<std::size_t, std::string, bool, std::set<std::size_t>>, std::size_t>
            alike;                                                               // tier, kind, above -> box
        std::map<std::tuple<std::size_t, int, std::string>, std::size_t> known;  // box, row, component -> node
        for (const Device& device : devices_) {
            std::size_t place = boxes_.size();
            const bool joined = level == 3 || (level == 2 && device.tier == 0);
            if (joined)
                place = alike
                            .emplace(std::tuple(device.tier, device.kind, device.is_one_node,
                                         level == 2 ? above(device) : std::set<std::size_t>()),
                                boxes_.size())
                            .first->second;
            if (place == boxes_.size()) {
                boxes_.push_back({device.name, 0, device.tier, !device.is_one_node, {}, 0, 0});
                if (joined) boxes_.back().label = device.kind;
            }
            Box& box = boxes_[place];
            ++box.count;
            for (const NodeId id : device.nodes) {
                const int row = device.is_one_node ? 0 : row_of(graph_, id);
                const std::string component = device.is_one_node ? "" : component_of(graph_, id);
                std::size_t node = out_.nodes.size();
                if (device.is_one_node || level > 0)
                    node = known.emplace(std::tuple(place, row, component), node).first->second;
                if (node == out_.nodes.size()) {
                    PictureNode fresh;
                    fresh.type = device.is_one_node ? "switch" : graph_.type(id);
                    fresh.label = device.is_one_node ? box.label : level > 0 ? component : own_name(graph_, id);
                    fresh.title = device.nodes.size() > 1 && device.is_one_node ? device.name : graph_.node(id).name;
                    fresh.count = 0;
                    out_.nodes.push_back(std::move(fresh));
                    box.rows[row].push_back(node);
                }
                out_.place[id] = node;
                if (!device.is_one_node || id == device.nodes.front()) ++out_.nodes[node].count;
            }
        }
        for (PictureNode& node : out_.nodes)
            if (node.count > 1) {
                out_.grouped = true;
                node.label = fmt::format("{} x {}", node.count, node.label);
                node.title += fmt::format(" and {} of the same kind", node.count - 1);
            }
    }

    void connect()
    {
        std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> known;
        for (EdgeId id = 0; id < graph_.edge_count(); ++id) {
            const Edge& edge = graph_.edge(id);
            const std::size_t a = std::min(out_.place[edge.a], out_.place[edge.b]);
            const std::size_t b = std::max(out_.place[edge.a], out_.place[edge.b]);
            const std::string& link = graph_.kind(edge).link;
            const auto [place, fresh] = known.emplace(std::tuple(a, b, link), out_.edges.size());
            if (fresh) out_.edges.push_back({a, b, link, {}});
            out_.edges[place->second].edges.push_back(id);
        }
    }

    // Rows that are too long are cut; each line of a row has a height of its own for the arcs between its nodes.
    void size(Box& box)
    {
        std::map<int, std::vector<std::size_t>> lines;
        int number = 0;
        for (const auto& [row, nodes] : box.rows)
            for (std::size_t at = 0; at < nodes.size(); at += longest_row, ++number)
                lines[number].assign(nodes.begin() + static_cast<std::ptrdiff_t>(at),
                    nodes.begin() + static_cast<std::ptrdiff_t>(std::min(nodes.size(), at + longest_row)));
        box.rows = std::move(lines);
        box.width = box.framed ? width_of(box.label) + 40 : 0;
        for (const auto& [row, nodes] : box.rows)
            box.width = std::max(box.width, row_width(nodes) + (box.framed ? 2 * box_pad : 0));
        double y = box.framed ? box_pad : 0;
        for (const auto& [row, nodes] : box.rows) {
            y += arc_height(nodes);
            double x = (box.width - row_width(nodes)) / 2;
            for (const std::size_t place : nodes) {
                PictureNode& node = out_.nodes[place];
                node.width = width_of(node.label);
                node.height = node_height;
                node.x = x;
                node.y = y;
                x += node.width + gap;
            }
            y += node_height + row_gap;
        }
        box.height = y - row_gap + (box.framed ? box_title + box_pad / 2 : 0);
    }

    double row_width(const std::vector<std::size_t>& nodes) const
    {
        double width = -gap;
        for (const std::size_t place : nodes) width += width_of(out_.nodes[place].label) + gap;
        return width;
    }

    // Room for edges between nodes of one row that are no neighbours in it.
    double arc_height(const std::vector<std::size_t>& nodes) const
    {
        const std::set<std::size_t> here(nodes.begin(), nodes.end());
        std::size_t furthest = 0;
        for (const PictureEdge& edge : out_.edges)
            if (here.count(edge.a) > 0 && here.count(edge.b) > 0 && edge.a != edge.b) {
                const auto place = [&](std::size_t node) {
                    return std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
                };
                furthest = std::max(furthest, static_cast<std::size_t>(std::abs(place(edge.a) - place(edge.b))));
            }
        return furthest < 2 ? 0 : std::min(110.0, 12.0 * static_cast<double>(furthest) + 10);
    }

    void arrange()
    {
        std::map<std::size_t, std::vector<std::size_t>, std::greater<>> tiers;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            size(boxes_[i]);
            tiers[boxes_[i].tier].push_back(i);
        }
        lines_of_a_tier_ = 1;
        std::vector<std::vector<std::size_t>> rows;
        std::vector<bool> begins;  // a tier, where the gap is wide
        for (const auto& [tier, boxes] : tiers) {
            double width = 0;
            begins.push_back(true);
            rows.emplace_back();
            std::size_t lines = 1;
            for (const std::size_t box : boxes) {
                if (!rows.back().empty() && width + boxes_[box].width > widest) {
                    rows.emplace_back();
                    begins.push_back(false);
                    width = 0;
                    lines_of_a_tier_ = std::max(lines_of_a_tier_, ++lines);
                }
                rows.back().push_back(box);
                width += boxes_[box].width + box_gap;
            }
        }
        for (const auto& row : rows) {
            double width = -box_gap;
            for (const std::size_t box : row) width += boxes_[box].width + box_gap;
            out_.width = std::max(out_.width, width);
        }
        double y = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (r > 0) y += begins[r] ? tier_gap : box_gap;
            double width = -box_gap;
            double height = 0;
            for (const std::size_t box : rows[r]) {
                width += boxes_[box].width + box_gap;
                height = std::max(height, boxes_[box].height);
            }
            double x = (out_.width - width) / 2;
            for (const std::size_t place : rows[r]) {
                const Box& box = boxes_[place];
                for (const auto& [row, nodes] : box.rows)
                    for (const std::size_t node : nodes) {
                        out_.nodes[node].x += x;
                        out_.nodes[node].y += y;
                    }
                if (box.framed) {
                    std::string label = box.count > 1 ? fmt::format("{} x {}", box.count, box.label) : box.label;
                    out_.grouped = out_.grouped || box.count > 1;
                    out_.boxes.push_back({std::move(label), box.count, x, y, box.width, box.height});
                }
                x += box.width + box_gap;
            }
            y += height;
        }
        out_.height = y;
    }

    const Graph& graph_;
    std::size_t most_;
    std::vector<Device> devices_;
    std::vector<std::size_t> device_of_;
    std::vector<Box> boxes_;
    std::size_t lines_of_a_tier_ = 1;  // of the tier that takes most
    GraphLayout out_;
};

}  // namespace

GraphLayout lay_out(const Graph& graph, std::size_t most_nodes) { return Layout(graph, most_nodes).make(); }

}  // namespace weft
