// The role and kind of each node, and the ranks of endpoints.
#include <algorithm>

#include "platform/configuration/parameters/glob.h"
#include "platform/configuration/resolution/resolver.h"

namespace weft {

void Resolver::assign_roles()
{
    system_.nodes_.resize(graph_.node_count());
    row_of_.assign(graph_.node_count(), nullptr);
    bound_kind_.assign(graph_.node_count(), false);
    // Nodes of one component share the answer of the table.
    std::map<const Component*, const NodeRow*> rows;
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const Node& node = graph_.node(id);
        const auto [entry, fresh] = rows.try_emplace(node.component, nullptr);
        if (fresh) entry->second = NodeTable::built_in().find(graph_.type(id), description_of(node));
        row_of_[id] = entry->second;
        ResolvedSystem::NodeEntry& out = system_.nodes_[id];
        const bool passes = entry->second == nullptr || entry->second->forwards;
        if (node.component != nullptr && node.component->choice == Choice::xpu)
            out.role = NodeRole::endpoint;
        else if (node.component != nullptr && node.component->choice == Choice::memory &&
            graph_.neighbours(id).size() > 0)
            out.role = NodeRole::memory;
        else if (passes && graph_.neighbours(id).size() > 1)
            out.role = NodeRole::forwarder;
        if (out.role == NodeRole::passive) continue;
        if (out.role == NodeRole::memory) {
            system_.memories_.push_back(id);
            continue;
        }
        if (out.role == NodeRole::endpoint) system_.endpoints_.push_back(id);
        system_.slot(id, block_of<SwitchSpec>()) = pool(block_of<SwitchSpec>()).add(switch_defaults(entry->second));
    }
}

Variant Resolver::switch_defaults(const NodeRow* row)
{
    Variant variant = defaults(block_of<SwitchSpec>());
    if (row != nullptr) apply(variant, row->figures, "node table " + row->name + ": ");
    return variant;
}

// Kinds that annotations and bindings name.
void Resolver::choose_kinds()
{
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const Attribute* wish = Graph::find(graph_.node_attributes(id), "weft.kind");
        if (wish == nullptr) continue;
        const NodeRow* row = known_kind(wish->value, wish->file, wish->line);
        if (row == nullptr) continue;
        if (system_.slot(id, block_of<SwitchSpec>()) != no_variant)
            bind_kind(id, *row);
        else
            problem(wish->file, wish->line,
                "node " + graph_.node(id).name + " does not forward packets and has no kind",
                "a node that forwards, or an xpu");
    }
    for (const Binding& binding : description_.bindings) {
        if (binding.kind.empty()) continue;
        const NodeRow* row = known_kind(binding.kind, binding.file, binding.line);
        std::vector<NodeId> nodes;
        for (const NodeId id : selected(binding.nodes)) {
            if (system_.slot(id, block_of<SwitchSpec>()) == no_variant) continue;
            nodes.push_back(id);
            if (row != nullptr) bind_kind(id, *row);
        }
        if (const std::string none = unmatched(binding.nodes, nodes); !none.empty())
            problem(binding.file, binding.line, "no node that forwards matches " + in_quotes(none),
                "the name of a switch, a card, a processor or an xpu");
    }
}

const NodeRow* Resolver::known_kind(const std::string& name, const std::string& file, int line)
{
    const NodeRow* row = NodeTable::built_in().named(name);
    if (row != nullptr && row->forwards) return row;
    std::vector<std::string> names;
    std::string all;
    for (const NodeRow& known : NodeTable::built_in().rows()) {
        if (!known.forwards) continue;
        names.push_back(known.name);
        all += (all.empty() ? "" : ", ") + known.name;
    }
    problem(file, line, "unknown kind of node " + in_quotes(name), expected_name("one of " + all, name, names));
    return nullptr;
}

void Resolver::bind_kind(NodeId node, const NodeRow& row)
{
    row_of_[node] = &row;
    bound_kind_[node] = true;
    system_.slot(node, block_of<SwitchSpec>()) = pool(block_of<SwitchSpec>()).add(switch_defaults(&row));
}

std::vector<NodeId> Resolver::with_memory() const
{
    std::vector<NodeId> nodes = system_.endpoints_;
    nodes.insert(nodes.end(), system_.memories_.begin(), system_.memories_.end());
    return nodes;
}

void Resolver::assign_ranks()
{
    std::vector<std::pair<std::uint64_t, NodeId>> order;
    const Attribute* first = nullptr;
    std::vector<bool> taken(system_.endpoints_.size(), false);
    for (const NodeId node : system_.endpoints_) {
        const Attribute* rank = Graph::find(graph_.node_attributes(node), "rank");
        if (rank == nullptr) continue;
        if (first == nullptr) first = rank;
        const ParameterInfo info{"rank", Unit::count, 0, system_.endpoints_.size() - 1, "", {}};
        const auto value = parse_value(info, rank->value);
        if (!value || *value > info.high || taken[*value]) {
            problem(rank->file, rank->line,
                "rank " + in_quotes(rank->value) + " of " + graph_.node(node).name +
                    (value && *value <= info.high ? " is used twice" : " is not a rank"),
                "each number from 0 to " + std::to_string(info.high) + " once");
            return;
        }
        taken[*value] = true;
        order.emplace_back(*value, node);
    }
    if (first == nullptr) return;
    if (order.size() != system_.endpoints_.size()) {
        problem(first->file, first->line,
            "only " + std::to_string(order.size()) + " of " + std::to_string(system_.endpoints_.size()) +
                " xpu nodes have a rank",
            "a rank on each of them, or on none");
        return;
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) system_.endpoints_[i] = order[i].second;
}

// The description of the node's component; empty without one.
const std::string& Resolver::description_of(const Node& node)
{
    static const std::string none;
    return node.component == nullptr ? none : node.component->description;
}

bool Resolver::matches(NodeId id, const NodeSelector& selector) const
{
    const Node& node = graph_.node(id);
    const std::string component = node.component == nullptr ? "" : node.component->name;
    return (selector.glob.empty() || glob_matches(selector.glob, node.name)) &&
        (selector.component.empty() || selector.component == component) &&
        (selector.device.empty() || selector.device == graph_.device_name(id)) &&
        (selector.type.empty() || selector.type == graph_.type(id));
}

std::string Resolver::unmatched(const NodeSelector& selector, const std::vector<NodeId>& nodes) const
{
    if (nodes.empty()) return selector.text();
    NumberedGlob glob(selector.glob);
    for (const NodeId id : nodes) glob.matches(graph_.node(id).name);
    NodeSelector without = selector;
    without.glob = glob.missing();
    return without.glob.empty() ? "" : without.text();
}

std::vector<NodeId> Resolver::selected(const NodeSelector& selector) const
{
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < graph_.node_count(); ++id)
        if (system_.nodes_[id].role != NodeRole::passive && matches(id, selector)) nodes.push_back(id);
    return nodes;
}

}  // namespace weft
