#include "platform/result/energy_links.h"

#include <map>
#include <string>

#include "platform/configuration/tables/link_table.h"
#include "platform/configuration/tables/node_table.h"

namespace weft {

namespace {

// The switches of a document, with the ports that it draws beside their chips.
class Switches {
public:
    explicit Switches(const ResolvedSystem& resolved) : resolved_(resolved), graph_(resolved.graph()) {}

    bool has_end_at(NodeId node) const { return is_chip(node) || is_port(node); }

    // Between a chip and its port.
    bool hold(const Edge& edge) const
    {
        return (is_port(edge.a) && is_chip(edge.b) && in_one_device(edge.a, edge.b)) ||
            (is_port(edge.b) && is_chip(edge.a) && in_one_device(edge.a, edge.b));
    }

private:
    bool is_a(NodeId node, const char* row) const
    {
        return resolved_.row(node) != nullptr && resolved_.row(node)->name == row;
    }

    bool is_chip(NodeId node) const
    {
        return resolved_.role(node) == NodeRole::forwarder && resolved_.row(node) != nullptr &&
            resolved_.row(node)->is_switch;
    }

    // A port of a network card joins the card's chip.
    bool is_port(NodeId node) const
    {
        if (resolved_.role(node) != NodeRole::forwarder || !is_a(node, "port")) return false;
        bool of_switch = false;
        for (const Neighbour& next : graph_.neighbours(node)) {
            if (!in_one_device(node, next.node)) continue;
            if (is_a(next.node, "nic_asic")) return false;
            of_switch = of_switch || is_chip(next.node);
        }
        return of_switch;
    }

    bool in_one_device(NodeId a, NodeId b) const { return graph_.composed_device(a) == graph_.composed_device(b); }

    const ResolvedSystem& resolved_;
    const Graph& graph_;
};

}  // namespace

void count_links(const RunResult& result, const ResolvedSystem& resolved, const EnergyTable& table,
    std::vector<EnergyCount>& out)
{
    if (result.links_left_out) {
        out.push_back({EnergyEvent::link_bit, "of all kinds", std::nullopt, "links are not listed one by one"});
        return;
    }
    const Graph& graph = resolved.graph();
    const Switches switches(resolved);
    std::map<std::string, EdgeId> edges;
    for (EdgeId edge = 0; edge < graph.edge_count(); ++edge) edges.emplace(edge_name(graph, edge), edge);
    std::map<std::string, double> wires;
    std::map<std::string, double> switched;
    for (const LinkResult& link : result.link_results) {
        const auto found = edges.find(link.name);
        if (found == edges.end()) {
            out.push_back({EnergyEvent::link_bit, link.name, std::nullopt, "no link of the document"});
            continue;
        }
        const Edge& edge = graph.edge(found->second);
        if (switches.hold(edge)) continue;
        const std::string& kind = resolved.link_kind(found->second).name;
        const double bits = static_cast<double>(link.wire_bytes) * 8;
        // The figure of a switch includes the ends of its links.
        double halves = 2;
        for (const NodeId node : {edge.a, edge.b})
            if (switches.has_end_at(node) && table.find(EnergyEvent::switch_bit, kind) != nullptr) --halves;
        wires[kind] += bits * halves / 2;
        const NodeId to = graph.node(edge.a).name == link.to ? edge.a : edge.b;
        if (switches.has_end_at(to)) switched[kind] += bits;
    }
    for (const auto& [kind, bits] : wires) out.push_back({EnergyEvent::link_bit, kind, bits, ""});
    for (const auto& [kind, bits] : switched) out.push_back({EnergyEvent::switch_bit, kind, bits, ""});
}

}  // namespace weft
