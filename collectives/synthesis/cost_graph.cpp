#include "collectives/synthesis/cost_graph.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

bool costs_alike(const CostRank& a, const CostRank& b)
{
    const auto times = [](const CostRank& rank) {
        return std::tuple(rank.load_ps, rank.cold_ps, rank.cold_behind_ps, rank.own_flag_ps, rank.notice_ps,
            rank.poll_period_ps, rank.poll_far_ps, rank.poll_ps, rank.poll_slot_ps, rank.poll_lanes, rank.fence_ps,
            rank.launch_ps);
    };
    const auto pace = [](const CostRank& rank) {
        return std::tuple(rank.registers, rank.sets, rank.outstanding, rank.issue_ps_per_byte, rank.units,
            rank.threads);
    };
    return times(a) == times(b) && a.packets == b.packets && pace(a) == pace(b) && a.copy == b.copy &&
        a.bulk == b.bulk && a.copy_notice_ps == b.copy_notice_ps &&
        std::equal(a.ports.begin(), a.ports.end(), b.ports.begin(), b.ports.end(),
            [](const CostPort& x, const CostPort& y) {
                return x.at == y.at && x.up == y.up && x.down == y.down && x.answered_ps == y.answered_ps;
            });
}

bool costs_alike(const CostLink& a, const CostLink& b)
{
    return a.ps_per_byte == b.ps_per_byte && a.back_ps_per_byte == b.back_ps_per_byte && a.reverse == b.reverse &&
        a.buffer == b.buffer && a.group_ps_per_byte == b.group_ps_per_byte &&
        a.group_back_ps_per_byte == b.group_back_ps_per_byte && a.push_more_ps_per_byte == b.push_more_ps_per_byte &&
        a.at_once == b.at_once && a.cold_more_ps_per_byte == b.cold_more_ps_per_byte;
}

bool costs_alike(const CostSwitch& a, const CostSwitch& b)
{
    return a.adder == b.adder && a.contexts == b.contexts && a.groups == b.groups;
}

bool costs_alike(const CostTrunk& a, const CostTrunk& b)
{
    return a.leaf == b.leaf && a.spine == b.spine && a.up == b.up && a.down == b.down && a.answered_ps == b.answered_ps;
}

bool costs_alike(const PathStage& a, const PathStage& b)
{
    return a.before_ps == b.before_ps &&
        std::equal(a.links.begin(), a.links.end(), b.links.begin(), b.links.end(),
            [](const LinkShare& x, const LinkShare& y) { return x.link == y.link && x.share == y.share; });
}

bool costs_alike(const CostPath& a, const CostPath& b);

template <class T>
bool all_alike(const std::vector<T>& a, const std::vector<T>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return costs_alike(x, y); });
}

bool costs_alike(const CostPath& a, const CostPath& b)
{
    return a.put_ps == b.put_ps && a.answer_ps == b.answer_ps && a.neighbours == b.neighbours &&
        all_alike(a.stages, b.stages);
}

}  // namespace

bool same_costs(const CostGraph& a, const CostGraph& b)
{
    return all_alike(a.ranks, b.ranks) && all_alike(a.links, b.links) && all_alike(a.switches, b.switches) &&
        all_alike(a.trunks, b.trunks) && all_alike(a.paths, b.paths) && all_alike(a.answers, b.answers);
}

std::uint64_t step_ps(const CostGraph& graph, std::uint32_t from, std::uint32_t to)
{
    const CostPath& path = graph.path(from, to);
    return graph.ranks[from].load_ps + 2 * path.put_ps + path.answer_ps + graph.ranks[to].notice_ps;
}

double occupancy_ps(const CostGraph& graph, const CostPath& path, double bytes)
{
    double longest = 0;
    for (const PathStage& stage : path.stages)
        for (const LinkShare& part : stage.links)
            longest = std::max(longest, bytes * part.share * graph.links[part.link].ps_per_byte);
    return longest;
}

CostGraph reversed(const CostGraph& graph)
{
    CostGraph out = graph;
    for (std::uint32_t from = 0; from < graph.size(); ++from)
        for (std::uint32_t to = 0; to < graph.size(); ++to) {
            out.path(from, to) = graph.path(to, from);
            if (!graph.answers.empty()) out.answers[std::size_t{from} * graph.size() + to] = graph.answer(to, from);
        }
    return out;
}

void require_connected(const CostGraph& graph)
{
    const std::uint32_t n = graph.size();
    for (const bool back : {false, true}) {
        std::vector<bool> seen(n);
        std::vector<std::uint32_t> reached{0};
        if (n > 0) seen[0] = true;
        for (std::size_t i = 0; i < reached.size() && n > 0; ++i)
            for (std::uint32_t to = 0; to < n; ++to) {
                const CostPath& path = back ? graph.path(to, reached[i]) : graph.path(reached[i], to);
                if (seen[to] || !path.neighbours) continue;
                seen[to] = true;
                reached.push_back(to);
            }
        const auto lost = static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
        if (lost >= n) continue;
        const std::uint32_t from = back ? lost : 0;
        const std::uint32_t to = back ? 0 : lost;
        throw InputError("", 0,
            fmt::format("no path from rank {} ({}) to rank {} ({})", from, graph.ranks[from].name, to,
                graph.ranks[to].name),
            "ranks that reach each other");
    }
}

CostGraph plain_graph(std::uint32_t n)
{
    CostGraph graph;
    graph.ranks.resize(n);
    graph.paths.resize(std::size_t{n} * n);
    for (std::uint32_t rank = 0; rank < n; ++rank) graph.ranks[rank].name = fmt::format("rank{}", rank);
    return graph;
}

std::uint32_t add_switch(CostGraph& graph, const std::string& name, double adder_ps_per_byte,
    double context_ps_per_byte, std::uint32_t groups)
{
    const auto limit = [&](const char* what, double ps_per_byte) {
        CostLink link;
        link.name = what + (" of " + name);
        link.ps_per_byte = link.group_ps_per_byte = ps_per_byte;
        graph.links.push_back(std::move(link));
        return static_cast<std::uint32_t>(graph.links.size() - 1);
    };
    const std::uint32_t adder = limit("adder", adder_ps_per_byte);
    graph.switches.push_back({adder, limit("contexts", context_ps_per_byte), groups});
    return static_cast<std::uint32_t>(graph.switches.size() - 1);
}

void add_wire(CostGraph& graph, std::uint32_t a, std::uint32_t b, double ps_per_byte, std::uint64_t latency_ps)
{
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const auto link = static_cast<std::uint32_t>(graph.links.size());
        graph.links.push_back({graph.ranks[from].name + " -> " + graph.ranks[to].name, ps_per_byte, 0, -1});
        graph.path(from, to) = {{{0, {{link, 1}}}}, latency_ps, latency_ps, true};
    }
}

}  // namespace weft
