#include "platform/parallel/partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <boost/pending/disjoint_sets.hpp>
#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

namespace {

// Nodes that stay together: the lowest number among them stands for all.
using Groups = boost::disjoint_sets_with_storage<>;

Groups groups_below(const CutGraph& graph, std::uint64_t lookahead)
{
    std::vector<std::uint32_t> nodes(graph.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0U);
    Groups groups(nodes.size());
    for (const CutGraph::Edge& edge : graph.edges)
        if (!edge.uncut.empty() || edge.latency < lookahead) groups.union_set(edge.a, edge.b);
    groups.normalize_sets(nodes.begin(), nodes.end());
    return groups;
}

struct Placed {
    std::vector<std::uint32_t> part;  // by node; unplaced: of a group without endpoints
    std::vector<std::uint64_t> weight;
};
constexpr std::uint32_t unplaced = ~std::uint32_t{0};

std::vector<std::uint32_t> endpoint_groups(const CutGraph& graph, Groups& groups)
{
    std::vector<std::uint32_t> order;
    std::set<std::uint32_t> seen;
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        if (graph.nodes[node].endpoint && seen.insert(groups.find_set(node)).second)
            order.push_back(groups.find_set(node));
    return order;
}

// Contiguous in `order`, each part with its share of the weight as nearly as whole groups allow, and none empty.
Placed place_endpoints(const CutGraph& graph, Groups& groups, const std::vector<std::uint32_t>& order,
    std::uint32_t parts)
{
    std::map<std::uint32_t, std::uint64_t> weight;
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        weight[groups.find_set(node)] += graph.nodes[node].weight;
    std::uint64_t total = 0;
    for (const std::uint32_t group : order) total += weight[group];
    Placed placed{std::vector<std::uint32_t>(graph.nodes.size(), unplaced), std::vector<std::uint64_t>(parts, 0)};
    std::map<std::uint32_t, std::uint32_t> part_of;
    std::uint64_t before = 0;
    std::uint32_t part = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint64_t middle = before + weight[order[i]] / 2;
        const std::size_t left = order.size() - i;
        const bool due = part + 1 < parts && placed.weight[part] > 0 && middle * parts >= total * (part + 1);
        if (due || (placed.weight[part] > 0 && left <= parts - 1 - part)) ++part;
        part_of[order[i]] = part;
        placed.weight[part] += weight[order[i]];
        before += weight[order[i]];
    }
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        if (const auto found = part_of.find(groups.find_set(node)); found != part_of.end())
            placed.part[node] = found->second;
    return placed;
}

// Groups without endpoints, those next to what is placed first.
void place_others(const CutGraph& graph, Groups& groups, std::uint32_t parts, Placed& placed)
{
    std::map<std::uint32_t, std::vector<std::uint32_t>> waiting;
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        if (placed.part[node] == unplaced) waiting[groups.find_set(node)].push_back(node);
    std::vector<std::uint64_t> others(parts, 0);
    while (!waiting.empty()) {
        std::map<std::uint32_t, std::vector<std::uint64_t>> pull;
        for (const CutGraph::Edge& edge : graph.edges)
            for (const auto& [from, to] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
                if (placed.part[from] != unplaced || placed.part[to] == unplaced) continue;
                std::vector<std::uint64_t>& rates = pull[groups.find_set(from)];
                rates.resize(parts);
                rates[placed.part[to]] += std::max<std::uint64_t>(1, edge.bandwidth);
            }
        if (pull.empty()) pull[waiting.begin()->first].resize(parts);  // nothing leads there
        for (const auto& [group, rates] : pull) {
            std::uint32_t best = 0;
            for (std::uint32_t part = 1; part < parts; ++part)
                if (rates[part] > rates[best] || (rates[part] == rates[best] && others[part] < others[best]))
                    best = part;
            for (const std::uint32_t node : waiting[group]) {
                placed.part[node] = best;
                others[best] += graph.nodes[node].weight;
            }
            waiting.erase(group);
        }
    }
}

bool balanced(const Placed& placed)
{
    std::uint64_t total = 0;
    for (const std::uint64_t weight : placed.weight) total += weight;
    return *std::max_element(placed.weight.begin(), placed.weight.end()) * placed.weight.size() * 2 <= 3 * total;
}

[[noreturn]] void refuse(const CutGraph& graph, std::uint32_t parts, std::size_t most)
{
    std::string why;
    for (const CutGraph::Edge& edge : graph.edges)
        if (why.empty() && !edge.uncut.empty())
            why = fmt::format(" ({}~{} cannot be cut: {})", graph.nodes[edge.a].name, graph.nodes[edge.b].name,
                edge.uncut);
    throw InputError("", 0,
        fmt::format("--partitions {}, but the run has {} group{} of GPUs that can be apart{}", parts, most,
            most == 1 ? "" : "s", why),
        most == 1 ? std::string("--partitions 1") : fmt::format("from 1 to {}", most));
}

}  // namespace

Partition make_partition(const CutGraph& graph, std::uint32_t parts)
{
    std::set<std::uint64_t> latencies;
    for (const CutGraph::Edge& edge : graph.edges)
        if (edge.uncut.empty()) latencies.insert(edge.latency);
    std::size_t most = 1;
    Partition out;
    out.parts = parts;
    for (auto latency = latencies.rbegin(); latency != latencies.rend(); ++latency) {
        Groups groups = groups_below(graph, *latency);
        const std::vector<std::uint32_t> order = endpoint_groups(graph, groups);
        most = std::max(most, order.size());
        if (order.size() < parts) continue;
        Placed placed = place_endpoints(graph, groups, order, parts);
        if (!balanced(placed) && std::next(latency) != latencies.rend()) continue;
        place_others(graph, groups, parts, placed);
        out.part = std::move(placed.part);
        break;
    }
    if (parts == 1) out.part.assign(graph.nodes.size(), 0);
    if (out.part.empty()) refuse(graph, parts, most);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const CutGraph::Edge& edge = graph.edges[e];
        if (out.part[edge.a] == out.part[edge.b]) continue;
        out.cut.push_back(e);
        out.lookahead = std::min(out.lookahead, edge.latency);
    }
    return out;
}

std::string partition_text(const CutGraph& graph, const Partition& partition)
{
    std::string out;
    for (std::uint32_t part = 0; part < partition.parts; ++part) {
        std::uint64_t weight = 0;
        std::size_t endpoints = 0;
        std::string names;
        std::size_t count = 0;
        for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
            if (partition.part[node] != part) continue;
            weight += graph.nodes[node].weight;
            endpoints += graph.nodes[node].endpoint ? 1 : 0;
            if (++count <= 8) names += (count == 1 ? "" : ", ") + graph.nodes[node].name;
        }
        if (count > 8) names += fmt::format(" and {} more", count - 8);
        out += fmt::format("part {}: {} GPU{}, {} other, weight {}: {}\n", part, endpoints, endpoints == 1 ? "" : "s",
            count - endpoints, weight, names);
    }
    const double share = graph.edges.empty()
        ? 0
        : 100.0 * static_cast<double>(partition.cut.size()) / static_cast<double>(graph.edges.size());
    out += fmt::format("lookahead {}, {} of {} links cut ({:.1f} %)\n", format_time_ps(partition.lookahead),
        partition.cut.size(), graph.edges.size(), share);
    return out;
}

}  // namespace weft
