#include "platform/plotting/graph_picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/plotting/colours.h"

namespace weft {

namespace {

constexpr double margin = 20;
constexpr double head = 34;
constexpr double legend_line = 22;
constexpr std::size_t most_parts = 8;  // that the legend lists: there are so many colours
const char* const cut_colour = "#d1242f";

const char* const styles = R"(<style>
svg{background:#fff;font-family:system-ui,"DejaVu Sans",Helvetica,Arial,sans-serif}
text{font-size:12px;fill:#1b1f24} .title{font-size:17px;font-weight:600} .small{font-size:11px;fill:#57606a}
.box{fill:#f6f8fa;stroke:#8c959f} .node{stroke:#57606a;stroke-width:1}
.t-xpu{fill:#cfe5f5} .t-switch{fill:#fde3c4} .t-nic{fill:#cdeee2} .t-cpu{fill:#e6e6e6} .t-memory{fill:#f3d9e8} .t-other{fill:#fff}
.edge{fill:none}
</style>
)";

std::string class_of(const std::string& type)
{
    for (const char* known : {"xpu", "switch", "nic", "cpu", "memory"})
        if (type == known) return std::string("t-") + known;
    return "t-other";
}

struct LinkKind {
    std::string name;
    std::size_t links = 0;
    bool drawn = false;  // else they are inside nodes of the picture
    std::string colour;
};

class Drawing {
public:
    Drawing(const Graph& graph, const GraphLayout& layout, const GraphPicture& picture)
        : graph_(graph), layout_(layout), picture_(picture)
    {
        for (const PictureEdge& edge : layout.edges) {
            kind_of(edge.link).links += edge.edges.size();
            kind_of(edge.link).drawn |= edge.a != edge.b;
        }
        std::size_t number = 0;
        for (LinkKind& kind : kinds_)
            if (kind.drawn) kind.colour = colour_of_kind(number++);
        for (const auto& [node, part] : picture.parts) parts_[layout.place[node]].insert(part);
        for (const PictureEdge& edge : layout.edges)
            if (const Arc arc = arc_of(edge); arc.height > 0)
                head_ = std::max(head_, head + margin / 2 + arc.height / 2 - arc.y);
    }

    std::string svg()
    {
        const double width = std::max(layout_.width, 560.0) + 2 * margin;
        shift_ = (width - layout_.width) / 2;
        const std::size_t legend_lines = kinds_.size() + (picture_.use.empty() ? 0 : 2) + (layout_.grouped ? 2 : 0) +
            (picture_.parts.empty() ? 0 : std::min(most_parts, picture_.part_texts.size()) + 3);
        const double height = layout_.height + head_ + margin + legend_line * static_cast<double>(legend_lines + 1);
        std::string out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
            "width=\"{:.0f}\" height=\"{:.0f}\">\n<title>{}</title>\n",
            width, height, width, height, xml_text(picture_.title));
        if (picture_.alone) out += styles;
        if (picture_.alone)
            out += fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"24\">{}</text>\n", margin,
                xml_text(picture_.title));
        out += "<g class=\"zoomable\">\n";
        for (const PictureBox& box : layout_.boxes) add_box(out, box);
        for (const PictureEdge& edge : layout_.edges) add_edge(out, edge);
        for (std::size_t place = 0; place < layout_.nodes.size(); ++place) add_node(out, place);
        out += "</g>\n";
        add_legend(out);
        return out + "</svg>\n";
    }

private:
    LinkKind& kind_of(const std::string& name)
    {
        const auto found =
            std::find_if(kinds_.begin(), kinds_.end(), [&](const LinkKind& kind) { return kind.name == name; });
        if (found != kinds_.end()) return *found;
        kinds_.push_back({name, 0, false, ""});
        return kinds_.back();
    }

    double x(double value) const { return value + shift_; }
    double y(double value) const { return value + head_; }

    // How an edge between nodes side by side is drawn: straight where nothing stands between them, else as an arc above.
    struct Arc {
        const PictureNode* left = nullptr;  // null: not side by side
        const PictureNode* right = nullptr;
        double y = 0;
        double height = 0;  // of the control point; 0: straight
    };

    Arc arc_of(const PictureEdge& edge) const
    {
        const PictureNode& a = layout_.nodes[edge.a];
        const PictureNode& b = layout_.nodes[edge.b];
        if (edge.a == edge.b || std::abs(a.y - b.y) >= 1) return {};
        Arc arc{a.x < b.x ? &a : &b, a.x < b.x ? &b : &a, a.y, 0};
        const bool between = std::any_of(layout_.nodes.begin(), layout_.nodes.end(), [&](const PictureNode& node) {
            return std::abs(node.y - a.y) < 1 && node.x > arc.left->x && node.x < arc.right->x;
        });
        if (between) arc.height = std::min(190.0, 0.36 * (arc.right->x - arc.left->x) + 8);
        return arc;
    }

    void add_box(std::string& out, const PictureBox& box) const
    {
        out +=
            fmt::format("<rect class=\"box\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"8\"/>\n",
                x(box.x), y(box.y), box.width, box.height);
        out += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x(box.x) + 10,
            y(box.y) + box.height - 9, xml_text(box.label));
    }

    // What is behind the type of a node in its title, and how it is filled.
    struct Look {
        std::string text;
        std::string fill;
    };
    Look look_of(std::size_t place) const
    {
        if (picture_.parts.empty()) return {"", fmt::format("class=\"node {}\"", class_of(layout_.nodes[place].type))};
        const auto found = parts_.find(place);
        if (found == parts_.end()) return {", not in the run", "class=\"node\" fill=\"#d8dbdf\""};
        const std::set<std::uint32_t>& parts = found->second;
        if (parts.size() > 1) return {fmt::format(", in {} parts", parts.size()), "class=\"node\" fill=\"#fff\""};
        return {fmt::format(", part {}", *parts.begin()), fmt::format("class=\"node\" {}", fill_of(*parts.begin()))};
    }
    static std::string fill_of(std::size_t part)
    {
        return fmt::format("fill=\"{}\" fill-opacity=\"0.4\"", colour_of_kind(part));
    }
    std::size_t cut_links(const PictureEdge& edge) const
    {
        return static_cast<std::size_t>(std::count_if(edge.edges.begin(), edge.edges.end(), [this](EdgeId id) {
            const auto a = picture_.parts.find(graph_.edge(id).a);
            const auto b = picture_.parts.find(graph_.edge(id).b);
            return a != picture_.parts.end() && b != picture_.parts.end() && a->second != b->second;
        }));
    }

    void add_node(std::string& out, std::size_t place) const
    {
        const PictureNode& node = layout_.nodes[place];
        const Look look = look_of(place);
        out += fmt::format("<g class=\"item\"><title>{} ({}){}</title><rect {} x=\"{:.1f}\" y=\"{:.1f}\" "
                           "width=\"{:.1f}\" height=\"{:.1f}\" "
                           "rx=\"4\"/><text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
            xml_text(node.title), xml_text(node.type), look.text, look.fill, x(node.x), y(node.y), node.width,
            node.height, x(node.x) + node.width / 2, y(node.y) + node.height / 2 + 4, xml_text(node.label));
    }

    // The links of one line, the busiest first.
    std::string edge_title(const PictureEdge& edge) const
    {
        constexpr std::size_t most = 6;
        std::string out = fmt::format("{}: {} link{}", edge.link, edge.edges.size(), edge.edges.size() == 1 ? "" : "s");
        std::vector<EdgeId> used;
        for (const EdgeId id : edge.edges)
            if (picture_.use.count(id) > 0) used.push_back(id);
        std::stable_sort(used.begin(), used.end(),
            [&](EdgeId a, EdgeId b) { return picture_.use.at(a).share > picture_.use.at(b).share; });
        for (std::size_t i = 0; i < std::min(most, used.size()); ++i) out += "\n" + picture_.use.at(used[i]).text;
        if (used.size() > most) out += fmt::format("\nand {} more", used.size() - most);
        if (const std::size_t cut = cut_links(edge); cut > 0) out += fmt::format("\n{} of them cut", cut);
        if (picture_.use.empty() || !used.empty()) return out;
        return out + "\nnot on any route of this run";
    }

    void add_edge(std::string& out, const PictureEdge& edge) const
    {
        if (edge.a == edge.b) return;
        const PictureNode* upper = &layout_.nodes[edge.a];
        const PictureNode* lower = &layout_.nodes[edge.b];
        if (upper->y > lower->y) std::swap(upper, lower);
        double share = -1;
        for (const EdgeId id : edge.edges)
            if (const auto found = picture_.use.find(id); found != picture_.use.end())
                share = std::max(share, found->second.share);
        const bool cut = cut_links(edge) > 0;
        const std::string colour = !picture_.parts.empty() ? cut ? cut_colour : "#8c959f"
            : picture_.use.empty()                         ? kind_colour(edge.link)
            : share < 0                                    ? "var(--unused,#c8ccd1)"
                                                           : colour_of_share(share);
        const double thick = 1.6 + std::min(3.0, std::log2(static_cast<double>(edge.edges.size())) * 0.7) +
            (share > 0 ? 1.2 * share : 0);
        const double ax = x(upper->x) + upper->width / 2;
        const double bx = x(lower->x) + lower->width / 2;
        std::string path;
        if (const Arc arc = arc_of(edge); arc.left != nullptr) {
            const double top = y(arc.y);
            path = arc.height == 0 ? fmt::format("M{:.1f} {:.1f}H{:.1f}", x(arc.left->x) + arc.left->width,
                                         top + arc.left->height / 2, x(arc.right->x))
                                   : fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", ax, top, (ax + bx) / 2,
                                         top - arc.height, bx, top);
        } else {
            path = fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", ax, y(upper->y) + upper->height, bx, y(lower->y));
        }
        out += fmt::format("<g class=\"item\"><title>{}</title><path class=\"edge\" stroke=\"{}\" "
                           "stroke-width=\"{:.1f}\"{} d=\"{}\"/></g>\n",
            xml_text(edge_title(edge)), colour, thick, cut ? " stroke-dasharray=\"5 4\"" : "", path);
    }

    std::string kind_colour(const std::string& name) const
    {
        for (const LinkKind& kind : kinds_)
            if (kind.name == name) return kind.colour;
        return "#57606a";
    }

    // Kinds of links with their bandwidths, once each; no number stands in the drawing.
    void add_legend(std::string& out) const
    {
        double at = layout_.height + head_ + margin;
        for (const LinkKind& kind : kinds_) {
            at += legend_line;
            if (picture_.use.empty() && picture_.parts.empty() && kind.drawn)
                out += fmt::format("<path stroke=\"{}\" stroke-width=\"3\" d=\"M{:.0f} {:.1f}h28\"/>", kind.colour,
                    margin, at - 4);
            const auto rate = picture_.rates.find(kind.name);
            out += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">{}: {} link{}{}{}</text>\n", margin + 38, at,
                xml_text(kind.name), kind.links, kind.links == 1 ? "" : "s", kind.drawn ? "" : " inside devices",
                rate == picture_.rates.end() ? "" : " of " + xml_text(rate->second) + " each way");
        }
        if (!picture_.use.empty()) {
            at += legend_line;
            out += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">busy:</text>", margin, at);
            for (int i = 0; i <= 10; ++i)
                out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"24\" height=\"12\" fill=\"{}\"/>",
                    margin + 44 + 24 * i, at - 11, colour_of_share(i / 10.0));
            out += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">0 to 100 % of the time</text>\n",
                margin + 44 + 24 * 11 + 8, at);
            at += legend_line;
            out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"24\" height=\"12\" "
                               "fill=\"var(--unused,#c8ccd1)\"/><text x=\"{:.0f}\" "
                               "y=\"{:.1f}\">not on any route of this run</text>\n",
                margin + 44, at - 11, margin + 76, at);
        }
        if (!picture_.parts.empty()) at = add_parts(out, at);
        if (layout_.grouped) {
            at += legend_line;
            const auto note = [&](const std::string& text) {
                out += fmt::format("<text class=\"small\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", margin, at, text);
                at += legend_line;
            };
            // In two lines: one would be wider than the picture of a small system.
            note("'8 x' means eight nodes or devices of the same kind; a thicker line means more links");
            note(fmt::format("{} nodes, {} links in all", graph_.node_count(), graph_.edge_count()));
        }
    }

    double add_parts(std::string& out, double at) const
    {
        const std::size_t parts = picture_.part_texts.size();
        const auto line = [&](const std::string& mark, const std::string& text) {
            out += fmt::format("{}<text x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", mark, margin + 38, at, xml_text(text));
        };
        for (std::size_t part = 0; part < std::min(most_parts, parts); ++part) {
            at += legend_line;
            line(fmt::format("<rect class=\"node\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"28\" height=\"12\" {}/>", margin,
                     at - 11, fill_of(part)),
                picture_.part_texts[part]);
        }
        at += legend_line;
        line("",
            parts > most_parts ? fmt::format("and {} more parts; colours repeat", parts - most_parts)
                               : "grey: not in the run; white: nodes of several parts");
        at += legend_line;
        line(fmt::format("<path stroke=\"{}\" stroke-width=\"3\" stroke-dasharray=\"5 4\" d=\"M{:.0f} {:.1f}h28\"/>",
                 cut_colour, margin, at - 4),
            picture_.cut_text);
        return at;
    }

    const Graph& graph_;
    const GraphLayout& layout_;
    const GraphPicture& picture_;
    std::vector<LinkKind> kinds_;
    std::map<std::size_t, std::set<std::uint32_t>> parts_;  // by place
    double shift_ = 0;
    double head_ = head;
};

}  // namespace

std::string xml_text(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (static_cast<unsigned char>(c) < ' ' && c != '\n') {
            out += '?';
        } else {
            out += c;
        }
    }
    return out;
}

std::string graph_picture_svg(const Graph& graph, const GraphLayout& layout, const GraphPicture& picture)
{
    return Drawing(graph, layout, picture).svg();
}

}  // namespace weft
