#include "collectives/synthesis/slow_paths.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace weft {

namespace {

constexpr double as_fast = 1.05;        // times the time of the fastest of a speed
constexpr std::size_t most_graphs = 4;  // every one is synthesized for

struct Pair {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double ps_per_byte = 0;
    std::size_t speed = 0;  // the fastest is 0
};

std::vector<Pair> neighbours(const CostGraph& graph)
{
    std::vector<Pair> out;
    for (std::uint32_t from = 0; from < graph.size(); ++from)
        for (std::uint32_t to = 0; to < graph.size(); ++to)
            if (graph.path(from, to).neighbours)
                out.push_back({from, to, occupancy_ps(graph, graph.path(from, to), 1), 0});
    std::stable_sort(out.begin(), out.end(),
        [](const Pair& a, const Pair& b) { return a.ps_per_byte < b.ps_per_byte; });
    double fastest = out.empty() ? 0 : out.front().ps_per_byte;
    std::size_t speed = 0;
    for (Pair& pair : out) {
        if (pair.ps_per_byte > fastest * as_fast) {
            fastest = pair.ps_per_byte;
            ++speed;
        }
        pair.speed = speed;
    }
    return out;
}

// Disjoint sets of ranks; those of one set reach each other.
class Sets {
public:
    explicit Sets(std::uint32_t ranks) : above_(ranks) { std::iota(above_.begin(), above_.end(), 0U); }

    std::uint32_t of(std::uint32_t rank)
    {
        while (above_[rank] != rank) rank = above_[rank] = above_[above_[rank]];
        return rank;
    }
    void join(std::uint32_t a, std::uint32_t b) { above_[of(a)] = of(b); }

private:
    std::vector<std::uint32_t> above_;
};

std::vector<Pair> slow(const std::vector<Pair>& by_speed, std::uint32_t ranks)
{
    Sets joined(ranks);
    std::set<std::pair<std::uint32_t, std::uint32_t>> passed;
    std::vector<Pair> out;
    for (std::size_t begin = 0, end = 0; begin < by_speed.size(); begin = end) {
        while (end < by_speed.size() && by_speed[end].speed == by_speed[begin].speed) ++end;
        for (std::size_t i = begin; i < end; ++i)
            if (joined.of(by_speed[i].from) == joined.of(by_speed[i].to)) out.push_back(by_speed[i]);
        for (std::size_t i = begin; i < end; ++i) {
            passed.emplace(by_speed[i].from, by_speed[i].to);
            if (passed.count({by_speed[i].to, by_speed[i].from}) > 0) joined.join(by_speed[i].from, by_speed[i].to);
        }
    }
    return out;
}

}  // namespace

std::vector<ReducedGraph> without_slow_paths(const CostGraph& graph)
{
    const std::vector<Pair> paths = slow(neighbours(graph), graph.size());
    std::vector<ReducedGraph> out;
    for (std::size_t end = paths.size(), begin = end; end > 0; end = begin) {
        while (begin > 0 && paths[begin - 1].speed == paths[end - 1].speed) --begin;
        if (out.size() + 1 == most_graphs) begin = 0;
        ReducedGraph next{graph, static_cast<std::uint32_t>(paths.size() - begin)};
        for (std::size_t i = begin; i < paths.size(); ++i)
            next.graph.path(paths[i].from, paths[i].to).neighbours = false;
        out.push_back(std::move(next));
    }
    return out;
}

}  // namespace weft
