#include "infragraph/query.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include "infragraph/findings.h"

namespace weft {

namespace {

constexpr std::size_t longest_pattern = 1000;
constexpr std::uint32_t unreached = 0xffffffffU;

std::regex compiled(const std::string& pattern)
{
    if (pattern.size() > longest_pattern)
        throw InputError("", 0, "the regular expression is longer than " + std::to_string(longest_pattern),
            "a shorter one");
    try {
        // The polynomial matcher: no pattern can make it run away.
        return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
        throw InputError("", 0, "the regular expression " + in_quotes(pattern) + " is not understood: " + error.what(),
            "an ECMAScript expression without back references");
    }
}

std::vector<std::uint32_t> distances_from(const Graph& graph, NodeId start)
{
    std::vector<std::uint32_t> distance(graph.node_count(), unreached);
    std::vector<NodeId> queue{start};
    distance[start] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (const Neighbour& neighbour : graph.neighbours(queue[i]))
            if (distance[neighbour.node] == unreached) {
                distance[neighbour.node] = distance[queue[i]] + 1;
                queue.push_back(neighbour.node);
            }
    return distance;
}

NodeId known_node(const Graph& graph, const std::string& name)
{
    if (const auto found = graph.find(name)) return *found;
    std::vector<std::string> known;
    for (NodeId id = 0; id < graph.node_count() && id < 5000; ++id) known.push_back(graph.node(id).name);
    throw InputError("", 0, "unknown node " + in_quotes(name), expected_name("the full name of a node", name, known));
}

}  // namespace

std::optional<std::string> node_attribute(const Graph& graph, NodeId id, std::string_view name)
{
    const auto derived = [&](std::string_view value) -> std::optional<std::string> {
        if (graph.node(id).component == nullptr) return std::nullopt;
        return std::string(value);
    };
    if (name == "type") return derived(graph.type(id));
    if (name == "instance") return derived(graph.instance(id));
    if (name == "instance_idx") return derived(graph.instance_index(id));
    if (name == "device") return derived(graph.device_name(id));
    if (name == "composed_device") return derived(graph.composed_device(id));
    const Attribute* found = Graph::find(graph.node_attributes(id), name);
    if (found == nullptr) return std::nullopt;
    return found->value;
}

std::vector<NodeId> select_nodes(const Graph& graph, const std::vector<NodeFilter>& filters)
{
    std::vector<NodeId> selected(graph.node_count());
    for (NodeId id = 0; id < graph.node_count(); ++id) selected[id] = id;
    for (const NodeFilter& filter : filters) {
        const bool is_regex = filter.op == NodeFilter::Operator::regex;
        const std::regex pattern = is_regex ? compiled(filter.value) : std::regex();
        const auto fails = [&](NodeId id) {
            const std::optional<std::string> value =
                filter.attribute.empty() ? graph.node(id).name : node_attribute(graph, id, filter.attribute);
            if (!value) return true;
            if (filter.op == NodeFilter::Operator::equals) return *value != filter.value;
            if (filter.op == NodeFilter::Operator::contains) return value->find(filter.value) == std::string::npos;
            return !std::regex_search(*value, pattern, std::regex_constants::match_continuous);
        };
        selected.erase(std::remove_if(selected.begin(), selected.end(), fails), selected.end());
    }
    return selected;
}

std::optional<std::vector<NodeId>> shortest_path(const Graph& graph, NodeId from, NodeId to)
{
    const std::vector<std::uint32_t> distance = distances_from(graph, to);
    if (distance[from] == unreached) return std::nullopt;
    std::vector<NodeId> path{from};
    while (path.back() != to) {
        const NodeId here = path.back();
        NodeId next = graph.node_count();
        for (const Neighbour& neighbour : graph.neighbours(here))
            if (distance[neighbour.node] + 1 == distance[here]) next = std::min(next, neighbour.node);
        path.push_back(next);
    }
    return path;
}

std::vector<NodeId> shortest_path(const Graph& graph, const std::string& from, const std::string& to)
{
    auto path = shortest_path(graph, known_node(graph, from), known_node(graph, to));
    if (!path)
        throw InputError("", 0, "there is no path from " + in_quotes(from) + " to " + in_quotes(to),
            "two nodes of one connected component");
    return std::move(*path);
}

Connectivity connectivity(const Graph& graph)
{
    Connectivity result;
    result.component_of.assign(graph.node_count(), unreached);
    std::vector<NodeId> queue;
    for (NodeId start = 0; start < graph.node_count(); ++start) {
        if (graph.neighbours(start).size() == 0) result.isolated.push_back(start);
        if (result.component_of[start] != unreached) continue;
        const std::uint32_t component = result.components++;
        result.component_of[start] = component;
        queue.assign(1, start);
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (const Neighbour& neighbour : graph.neighbours(queue[i]))
                if (result.component_of[neighbour.node] == unreached) {
                    result.component_of[neighbour.node] = component;
                    queue.push_back(neighbour.node);
                }
    }
    return result;
}

std::vector<NodeId> endpoints_in_rank_order(const Graph& graph)
{
    std::vector<NodeId> endpoints;
    const Attribute* some_rank = nullptr;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        const Component* component = graph.node(id).component;
        if (component == nullptr || component->type() != "xpu") continue;
        endpoints.push_back(id);
        if (some_rank == nullptr) some_rank = Graph::find(graph.node_attributes(id), "rank");
    }
    if (some_rank == nullptr) return endpoints;

    const std::string expected = "each of the ranks 0 to " + std::to_string(endpoints.size() - 1) + " on one xpu";
    std::vector<NodeId> ordered(endpoints.size(), graph.node_count());
    for (const NodeId id : endpoints) {
        const Attribute* rank = Graph::find(graph.node_attributes(id), "rank");
        if (rank == nullptr)
            throw InputError(some_rank->file, some_rank->line,
                "some xpu nodes have a rank and " + in_quotes(graph.node(id).name) + " has none", expected);
        std::size_t number = 0;
        const char* last = rank->value.data() + rank->value.size();
        const auto result = std::from_chars(rank->value.data(), last, number);
        if (result.ec != std::errc() || result.ptr != last || number >= ordered.size())
            throw InputError(rank->file, rank->line,
                "the rank " + in_quotes(rank->value) + " of " + in_quotes(graph.node(id).name) + " does not fit",
                expected);
        if (ordered[number] != graph.node_count())
            throw InputError(rank->file, rank->line,
                "the rank " + rank->value + " is given to " + in_quotes(graph.node(ordered[number]).name) + " and to " +
                    in_quotes(graph.node(id).name),
                expected);
        ordered[number] = id;
    }
    return ordered;
}

}  // namespace weft
