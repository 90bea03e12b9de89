#include "infragraph/graph.h"

#include <functional>

namespace weft {

namespace {

const Attributes no_attributes;

// FNV-1a: the same on every machine, though no order depends on it.
std::size_t hash(std::string_view text)
{
    std::uint64_t value = 0xcbf29ce484222325ULL;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return static_cast<std::size_t>(value ^ value >> 32);
}

}  // namespace

std::optional<NodeId> Graph::find(std::string_view name) const
{
    if (name_slots_.empty()) return std::nullopt;
    const std::size_t mask = name_slots_.size() - 1;
    for (std::size_t slot = hash(name) & mask; name_slots_[slot] != 0; slot = (slot + 1) & mask)
        if (nodes_[name_slots_[slot] - 1].name == name) return name_slots_[slot] - 1;
    return std::nullopt;
}

void Graph::index_node(NodeId id)
{
    if (2 * (nodes_.size() + 1) > name_slots_.size()) {
        std::size_t size = 64;
        while (size < 4 * (nodes_.size() + 1)) size *= 2;
        name_slots_.assign(size, 0);
        for (NodeId other = 0; other < id; ++other) index_node(other);
    }
    const std::size_t mask = name_slots_.size() - 1;
    std::size_t slot = hash(nodes_[id].name) & mask;
    while (name_slots_[slot] != 0) slot = (slot + 1) & mask;
    name_slots_[slot] = id + 1;
}

std::optional<EdgeId> Graph::find_edge(NodeId a, NodeId b) const
{
    const EdgeId found = edge_set_.find(a, b);
    if (found == EdgeSet::none) return std::nullopt;
    return found;
}

Neighbours Graph::neighbours(NodeId id) const
{
    return {neighbours_.data() + first_neighbour_[id], neighbours_.data() + first_neighbour_[id + 1]};
}

std::string Graph::type(NodeId id) const
{
    return nodes_[id].component != nullptr ? nodes_[id].component->type() : std::string();
}

std::string_view Graph::device_name(NodeId id) const
{
    return nodes_[id].device != nullptr ? std::string_view(nodes_[id].device->name) : std::string_view();
}

std::string_view Graph::composed_device(NodeId id) const
{
    return std::string_view(nodes_[id].name).substr(0, nodes_[id].prefix);
}

std::string_view Graph::instance(NodeId id) const
{
    const std::string_view whole = composed_device(id);
    return whole.substr(0, whole.empty() ? 0 : whole.rfind('.'));
}

std::string_view Graph::instance_index(NodeId id) const
{
    const std::string_view whole = composed_device(id);
    return whole.empty() ? whole : whole.substr(whole.rfind('.') + 1);
}

const Attributes& Graph::node_attributes(NodeId id) const
{
    const auto found = node_attributes_.find(id);
    return found == node_attributes_.end() ? no_attributes : found->second;
}

const Attributes& Graph::edge_attributes(EdgeId id) const
{
    const auto found = edge_attributes_.find(id);
    return found == edge_attributes_.end() ? no_attributes : found->second;
}

const Attribute* Graph::find(const Attributes& attributes, std::string_view name)
{
    for (const Attribute& attribute : attributes)
        if (attribute.name == name) return &attribute;
    return nullptr;
}

}  // namespace weft
