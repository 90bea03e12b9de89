#include "platform/parallel/partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <boost/pending/disjoint_sets.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

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
        fmt::format("{} parts, but the run has {} group{} of GPUs that can be apart{}", parts, most,
            most == 1 ? "" : "s", why),
        most == 1 ? std::string("--partitions 1, or one process") : fmt::format("from 1 to {}", most));
}

// Two nodes of a group that are given to different parts.
[[noreturn]] void refuse_apart(const CutGraph& graph, Groups& groups, const GivenParts& given, std::uint32_t a,
    std::uint32_t b)
{
    const auto why = std::find_if(graph.edges.begin(), graph.edges.end(), [&](const CutGraph::Edge& edge) {
        return !edge.uncut.empty() && groups.find_set(edge.a) == groups.find_set(a);
    });
    throw InputError(given.file, given.line[b],
        fmt::format("{} in part {} and {} in part {} cannot be apart ({}~{} cannot be cut: {})", graph.nodes[a].name,
            given.part[a], graph.nodes[b].name, given.part[b], graph.nodes[why->a].name, graph.nodes[why->b].name,
            why->uncut),
        "both in one part");
}

void note_cut(const CutGraph& graph, Partition& partition)
{
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const CutGraph::Edge& edge = graph.edges[e];
        if (partition.part[edge.a] == partition.part[edge.b]) continue;
        partition.cut.push_back(e);
        partition.lookahead = std::min(partition.lookahead, edge.latency);
    }
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
    note_cut(graph, out);
    return out;
}

Partition given_partition(const CutGraph& graph, const GivenParts& given)
{
    Groups groups = groups_below(graph, 0);
    std::map<std::uint32_t, std::uint32_t> first;  // of each group, the first node that has a part
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
        if (given.part[node] == GivenParts::free) continue;
        const std::uint32_t other = first.emplace(groups.find_set(node), node).first->second;
        if (given.part[other] != given.part[node]) refuse_apart(graph, groups, given, other, node);
    }
    Placed placed{std::vector<std::uint32_t>(graph.nodes.size(), unplaced), std::vector<std::uint64_t>(given.parts, 0)};
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
        if (const auto found = first.find(groups.find_set(node)); found != first.end())
            placed.part[node] = given.part[found->second];
    place_others(graph, groups, given.parts, placed);
    Partition out;
    out.parts = given.parts;
    out.part = std::move(placed.part);
    note_cut(graph, out);
    return out;
}

std::vector<std::string> part_texts(const CutGraph& graph, const Partition& partition)
{
    struct Part {
        std::uint64_t weight = 0;
        std::size_t endpoints = 0;
        std::size_t others = 0;
    };
    std::vector<Part> parts(partition.parts);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        Part& part = parts[partition.part[node]];
        part.weight += graph.nodes[node].weight;
        ++(graph.nodes[node].endpoint ? part.endpoints : part.others);
    }
    std::vector<std::string> out;
    for (const Part& part : parts)
        out.push_back(fmt::format("part {}: {} GPU{}, {} other, weight {}", out.size(), part.endpoints,
            part.endpoints == 1 ? "" : "s", part.others, part.weight));
    return out;
}

std::string cut_text(const CutGraph& graph, const Partition& partition)
{
    const auto all =
        std::count_if(graph.edges.begin(), graph.edges.end(), [](const CutGraph::Edge& edge) { return edge.link; });
    const double share = all == 0 ? 0 : 100.0 * static_cast<double>(partition.cut.size()) / static_cast<double>(all);
    const std::string links = fmt::format("{} of {} links cut ({:.1f} %)", partition.cut.size(), all, share);
    return partition.cut.empty() ? links : fmt::format("lookahead {}, {}", format_time_ps(partition.lookahead), links);
}

std::string partition_text(const CutGraph& graph, const Partition& partition)
{
    constexpr std::size_t most = 8;
    std::vector<std::vector<std::string>> names(partition.parts);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        names[partition.part[node]].push_back(graph.nodes[node].name);
    std::string out;
    const std::vector<std::string> texts = part_texts(graph, partition);
    for (std::size_t part = 0; part < texts.size(); ++part) {
        const std::size_t count = std::min(most, names[part].size());
        out += texts[part] + ": " +
            fmt::format("{}",
                fmt::join(names[part].begin(), names[part].begin() + static_cast<std::ptrdiff_t>(count), ", "));
        out += names[part].size() > most ? fmt::format(" and {} more\n", names[part].size() - most) : "\n";
    }
    return out + cut_text(graph, partition) + "\n";
}

}  // namespace weft
