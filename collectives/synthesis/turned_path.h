// A path turned round: what answers a request comes back over the links that the request has taken, from the last one on, whatever
// path the other end would choose.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

// Whether the other direction of all its links is known.
inline bool turns(const CostPath& path, const std::vector<CostLink>& links)
{
    for (const PathStage& stage : path.stages)
        for (const LinkShare& share : stage.links)
            if (links[share.link].reverse < 0) return false;
    return true;
}

inline CostPath turned(const CostPath& path, const std::vector<CostLink>& links)
{
    CostPath back = path;
    std::reverse(back.stages.begin(), back.stages.end());
    std::uint64_t before = 0;
    for (PathStage& stage : back.stages) {
        std::swap(before, stage.before_ps);
        for (LinkShare& share : stage.links)
            if (links[share.link].reverse >= 0) share.link = static_cast<std::uint32_t>(links[share.link].reverse);
    }
    return back;
}

// Whether two paths have the same share on each link of each stage, sums of shares aside.
inline bool same_links(const CostPath& a, const CostPath& b)
{
    constexpr double exact = 1e-9;
    return std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(),
        [](const PathStage& one, const PathStage& other) {
            if (one.links.size() == 1 && other.links.size() == 1)
                return one.links.front().link == other.links.front().link;
            std::map<std::uint32_t, double> more;
            for (const LinkShare& share : one.links) more[share.link] += share.share;
            for (const LinkShare& share : other.links) more[share.link] -= share.share;
            for (const auto& [link, share] : more)
                if (share > exact || share < -exact) return false;
            return true;
        });
}

// CostGraph::answers, if those of any pair are not the links of its path.
inline void add_answers(CostGraph& graph)
{
    const std::uint32_t ranks = graph.size();
    for (std::uint32_t from = 0; from < ranks; ++from)
        for (std::uint32_t to = 0; to < ranks; ++to) {
            const CostPath& request = graph.path(to, from);
            if (from == to || !turns(request, graph.links)) continue;
            CostPath back = turned(request, graph.links);
            if (same_links(back, graph.path(from, to))) continue;
            if (graph.answers.empty()) graph.answers = graph.paths;
            graph.answers[std::size_t{from} * ranks + to] = std::move(back);
        }
}

}  // namespace weft
