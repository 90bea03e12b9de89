#include "collectives/synthesis/ring_order.h"

#include <algorithm>
#include <cmath>

#include "collectives/synthesis/permute.h"

namespace weft {

namespace {

using RankOrder = std::vector<std::uint32_t>;

constexpr std::uint64_t most_trials = 100'000;  // of extending a path by a rank
constexpr double alike = 1e-9;

// Searches a cycle of neighbours over links that are not taken, from rank 0, nearest and least connected ranks first.
class CycleSearch {
public:
    CycleSearch(const CostGraph& graph, const std::vector<bool>& taken)
        : graph_(graph), next_(graph.size()), beside_(graph.size()), visited_(graph.size())
    {
        for (std::uint32_t from = 0; from < graph.size(); ++from) {
            for (std::uint32_t to = 0; to < graph.size(); ++to)
                if (to != from && open(graph.path(from, to), taken)) next_[from].push_back(to);
            std::stable_sort(next_[from].begin(), next_[from].end(),
                [&](std::uint32_t a, std::uint32_t b) { return step_ps(graph, from, a) < step_ps(graph, from, b); });
            for (std::uint32_t to = 0; to < graph.size(); ++to)
                if (to != from && (open(graph.path(from, to), taken) || open(graph.path(to, from), taken)))
                    beside_[from].push_back(to);
        }
    }

    // Empty: none was found.
    RankOrder find()
    {
        path_ = {0};
        visited_[0] = true;
        return extend() ? path_ : RankOrder();
    }

private:
    static bool open(const CostPath& path, const std::vector<bool>& taken)
    {
        if (!path.neighbours) return false;
        for (const PathStage& stage : path.stages)
            for (const LinkShare& part : stage.links)
                if (taken[part.link]) return false;
        return true;
    }

    std::size_t options_on(std::uint32_t rank) const
    {
        return static_cast<std::size_t>(
            std::count_if(next_[rank].begin(), next_[rank].end(), [&](std::uint32_t to) { return !visited_[to]; }));
    }

    // Whether a rank beside the path could no longer be both entered and left.
    bool cut_off(std::uint32_t at, const std::vector<std::uint32_t>& beside) const
    {
        return std::any_of(beside.begin(), beside.end(), [&](std::uint32_t rank) {
            std::size_t options = 0;
            for (const std::uint32_t to : beside_[rank]) options += !visited_[to] || to == at || to == 0 ? 1 : 0;
            return options < 2;
        });
    }

    // Whether what is not visited yet, and a way back, can be reached from the end of the path.
    bool whole(std::uint32_t at) const
    {
        std::vector<bool> seen = visited_;
        std::vector<std::uint32_t> reached{at};
        bool back = false;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const std::uint32_t to : next_[reached[i]]) {
                back = back || (to == 0 && reached[i] != at);
                if (seen[to]) continue;
                seen[to] = true;
                reached.push_back(to);
            }
        return back && reached.size() == graph_.size() - path_.size() + 1;
    }

    bool extend()
    {
        const std::uint32_t at = path_.back();
        if (path_.size() == graph_.size()) return std::find(next_[at].begin(), next_[at].end(), 0U) != next_[at].end();
        std::vector<std::uint32_t> choices;
        for (const std::uint32_t to : next_[at])
            if (!visited_[to]) choices.push_back(to);
        // Where all are neighbours of all the nearest comes first; else who could be cut off.
        std::vector<std::size_t> options(graph_.size());
        for (const std::uint32_t to : choices) options[to] = options_on(to);
        if (choices.size() + path_.size() < graph_.size())
            std::stable_sort(choices.begin(), choices.end(),
                [&](std::uint32_t a, std::uint32_t b) { return options[a] < options[b]; });
        if (cut_off(at, choices) || !whole(at)) return false;
        for (const std::uint32_t to : choices) {
            if (++trials_ > most_trials) return false;
            path_.push_back(to);
            visited_[to] = true;
            if (extend()) return true;
            visited_[to] = false;
            path_.pop_back();
        }
        return false;
    }

    const CostGraph& graph_;
    std::vector<std::vector<std::uint32_t>> next_;
    std::vector<std::vector<std::uint32_t>> beside_;  // either way
    std::vector<bool> visited_;
    RankOrder path_;
    std::uint64_t trials_ = 0;
};

RankOrder nearest_first(const CostGraph& graph)
{
    RankOrder order{0};
    std::vector<bool> visited(graph.size());
    visited[0] = true;
    while (order.size() < graph.size()) {
        std::uint32_t best = graph.size();
        for (std::uint32_t to = 0; to < graph.size(); ++to)
            if (!visited[to] &&
                (best == graph.size() || step_ps(graph, order.back(), to) < step_ps(graph, order.back(), best)))
                best = to;
        visited[best] = true;
        order.push_back(best);
    }
    return order;
}

// Turns parts of the ring round while that shortens it.
void untangle(const CostGraph& graph, RankOrder& order)
{
    const std::size_t n = order.size();
    const auto both = [&](std::size_t a, std::size_t b) { return step_ps(graph, order[a], order[b % n]); };
    for (bool better = true; better;) {
        better = false;
        for (std::size_t i = 0; i + 2 < n; ++i)
            for (std::size_t j = i + 2; j < n && !(i == 0 && j == n - 1); ++j)
                if (both(i, j) + both(i + 1, j + 1) < both(i, i + 1) + both(j, j + 1)) {
                    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i + 1),
                        order.begin() + static_cast<std::ptrdiff_t>(j + 1));
                    better = true;
                }
    }
}

}  // namespace

bool RingCost::operator<(const RingCost& other) const
{
    if (std::abs(ps_per_byte - other.ps_per_byte) > alike * other.ps_per_byte) return ps_per_byte < other.ps_per_byte;
    return latency_ps < other.latency_ps;
}

RingCost ring_cost(const CostGraph& graph, const RankOrder& order)
{
    RingCost cost;
    std::vector<double> load(graph.links.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t from = order[i];
        const std::uint32_t to = order[(i + 1) % order.size()];
        if (from == to) continue;
        cost.latency_ps += step_ps(graph, from, to);
        for (const PathStage& stage : graph.path(from, to).stages)
            for (const LinkShare& part : stage.links) {
                const CostLink& link = graph.links[part.link];
                load[part.link] += part.share * link.ps_per_byte;
                if (link.reverse >= 0)
                    load[static_cast<std::size_t>(link.reverse)] += part.share * link.back_ps_per_byte;
            }
    }
    for (const double busy : load) cost.ps_per_byte = std::max(cost.ps_per_byte, busy);
    return cost;
}

RankOrder ring_order(const CostGraph& graph)
{
    RankOrder best = rank_order(graph.size());
    if (graph.size() < 4) return best;
    std::vector<RankOrder> others{CycleSearch(graph, std::vector<bool>(graph.links.size())).find(),
        nearest_first(graph)};
    untangle(graph, others[1]);
    RingCost least = ring_cost(graph, best);
    for (const RankOrder& other : others) {
        if (other.empty()) continue;
        const RingCost cost = ring_cost(graph, other);
        if (!(cost < least)) continue;
        least = cost;
        best = other;
    }
    return best;
}

std::vector<RankOrder> ring_orders(const CostGraph& graph, std::uint32_t most)
{
    std::vector<RankOrder> rings{ring_order(graph)};
    std::vector<bool> taken(graph.links.size());
    while (rings.size() < most) {
        const RankOrder& last = rings.back();
        for (std::size_t i = 0; i < last.size(); ++i)
            for (const PathStage& stage : graph.path(last[i], last[(i + 1) % last.size()]).stages)
                for (const LinkShare& part : stage.links) taken[part.link] = true;
        RankOrder next = CycleSearch(graph, taken).find();
        if (next.empty()) break;
        rings.push_back(std::move(next));
    }
    return rings;
}

}  // namespace weft
