#include "infragraph/graph_builder.h"

#include <utility>

#include "infragraph/findings.h"

namespace weft {

void convert_units(EdgeKind& kind)
{
    kind.bytes_per_second = kind.bandwidth ? bytes_per_second(*kind.bandwidth) : std::nullopt;
    kind.latency_ps = kind.latency ? picoseconds(*kind.latency) : std::nullopt;
}

GraphBuilder::GraphBuilder(std::shared_ptr<const Infrastructure> infrastructure)
{
    graph_.infrastructure_ = std::move(infrastructure);
    const Infrastructure& document = *graph_.infrastructure_;
    if (!document.name.empty()) graph_.graph_attributes_.push_back({"name", document.name, "", 0});
    if (!document.description.empty()) graph_.graph_attributes_.push_back({"description", document.description, "", 0});
}

NodeId GraphBuilder::add_node(Node node)
{
    const NodeId id = graph_.node_count();
    graph_.nodes_.push_back(std::move(node));
    graph_.index_node(id);
    return id;
}

NodeId GraphBuilder::node_named(const std::string& name)
{
    if (const auto found = graph_.find(name)) return *found;
    Node node;
    node.name = name;
    return add_node(std::move(node));
}

std::uint32_t GraphBuilder::add_kind(EdgeKind kind)
{
    convert_units(kind);
    graph_.kinds_.push_back(std::move(kind));
    return static_cast<std::uint32_t>(graph_.kinds_.size() - 1);
}

std::uint32_t GraphBuilder::kind_of(const LinkDeclaration& link)
{
    const auto found = declared_.find(&link);
    if (found != declared_.end()) return found->second;
    EdgeKind kind;
    kind.link = link.name;
    kind.declared = &link;
    kind.bandwidth = link.bandwidth;
    kind.latency = link.latency;
    return declared_[&link] = add_kind(std::move(kind));
}

std::uint32_t GraphBuilder::kind_of_undeclared(const std::string& name)
{
    const auto found = undeclared_.find(name);
    if (found != undeclared_.end()) return found->second;
    EdgeKind kind;
    kind.link = name;
    return undeclared_[name] = add_kind(std::move(kind));
}

std::uint32_t GraphBuilder::overwritten(std::uint32_t earlier, std::uint32_t later, int line)
{
    const EdgeKind& before = graph_.kinds_[earlier];
    const EdgeKind& after = graph_.kinds_[later];
    if (before.link != after.link) replaced_.try_emplace({before.link, after.link}, line);
    const bool keeps_bandwidth = before.bandwidth && !after.bandwidth;
    const bool keeps_latency = before.latency && !after.latency;
    if (earlier == later || !(keeps_bandwidth || keeps_latency)) return later;
    const auto found = overwritten_.find({earlier, later});
    if (found != overwritten_.end()) return found->second;
    EdgeKind merged = after;
    if (keeps_bandwidth) merged.bandwidth = before.bandwidth;
    if (keeps_latency) merged.latency = before.latency;
    return overwritten_[{earlier, later}] = add_kind(std::move(merged));
}

void GraphBuilder::repeated(std::uint32_t earlier, std::uint32_t later, int earlier_line, int line)
{
    const std::string& link = graph_.kinds_[later].link;
    if (earlier_line != line && graph_.kinds_[earlier].link == link) replaced_.try_emplace({link, link}, line);
}

std::vector<std::pair<int, std::string>> GraphBuilder::replaced_links() const
{
    std::vector<std::pair<int, std::string>> out;
    for (const auto& [links, line] : replaced_)
        out.emplace_back(line,
            links.first == links.second ? "edges of link " + in_quotes(links.first) +
                    " are defined twice, in the same direction: two nodes have one edge, and parallel links are not "
                    "added up"
                                        : "edges of link " + in_quotes(links.first) + " are defined again with link " +
                    in_quotes(links.second) +
                    ", which takes their place: two nodes have one edge, and parallel links are not added up");
    return out;
}

void GraphBuilder::add_edge(NodeId a, NodeId b, std::uint32_t kind, int line)
{
    if (a == b) return;
    bool added = false;
    const EdgeId id = graph_.edge_set_.insert(a, b, added);
    if (added) {
        graph_.edges_.push_back({std::min(a, b), std::max(a, b), kind, line});
        turned_.push_back(a > b);
        return;
    }
    Edge& edge = graph_.edges_[id];
    if (turned_[id] == (a > b)) repeated(edge.kind, kind, edge.line, line);
    edge.kind = overwritten(edge.kind, kind, line);
    edge.line = line;
}

Graph GraphBuilder::finish()
{
    std::vector<std::uint32_t>& first = graph_.first_neighbour_;
    first.assign(graph_.nodes_.size() + 2, 0);
    for (const Edge& edge : graph_.edges_) {
        ++first[edge.a + 2];
        ++first[edge.b + 2];
    }
    for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
    graph_.neighbours_.resize(2 * graph_.edges_.size());
    // first[n + 1] is the place of the next neighbour of n, and in the end the start of n + 1.
    for (EdgeId id = 0; id < graph_.edge_count(); ++id) {
        const Edge& edge = graph_.edges_[id];
        graph_.neighbours_[first[edge.a + 1]++] = {edge.b, id};
        graph_.neighbours_[first[edge.b + 1]++] = {edge.a, id};
    }
    return std::move(graph_);
}

}  // namespace weft
