#include "collectives/synthesis/switch_planes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace weft {

namespace {

// Switches in the order of their nodes, as the simulation has them.
using Place = std::pair<std::uint32_t, std::uint32_t>;  // node, of CostGraph::switches
Place place_of(const CostGraph& graph, std::uint32_t at) { return {graph.switches[at].node, at}; }

// Ports of a rank by leaf.
std::map<Place, std::uint32_t> leaves_of(const CostGraph& graph, std::uint32_t rank)
{
    std::map<Place, std::uint32_t> out;
    for (const CostPort& port : graph.ranks[rank].ports) ++out[place_of(graph, port.at)];
    return out;
}

using Above = std::map<Place, std::set<Place>>;  // spines of each leaf

// By leaf the first one of those that belong together.
std::map<Place, Place> joined(const Above& above)
{
    std::map<Place, Place> first;
    std::map<Place, std::vector<Place>> below;
    for (const auto& [leaf, spines] : above) {
        first.emplace(leaf, leaf);
        for (const Place& spine : spines) below[spine].push_back(leaf);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [spine, leaves] : below)
            for (const Place& leaf : leaves) {
                const Place lower = std::min(first[leaf], first[leaves.front()]);
                changed = changed || first[leaf] != lower || first[leaves.front()] != lower;
                first[leaf] = first[leaves.front()] = lower;
            }
    }
    return first;
}

// The n-th leaf of every rank, for each n; empty where ranks have different numbers or a leaf would be in two planes.
std::vector<std::map<std::uint32_t, Place>> split(const std::map<std::uint32_t, std::vector<Place>>& leaves)
{
    const std::size_t count = leaves.begin()->second.size();
    std::vector<std::map<std::uint32_t, Place>> out(count);
    std::map<Place, std::size_t> turn;
    for (const auto& [rank, of] : leaves) {
        if (of.size() != count) return {};
        for (std::size_t n = 0; n < count; ++n) {
            if (turn.emplace(of[n], n).first->second != n) return {};
            out[n][rank] = of[n];
        }
    }
    return out;
}

}  // namespace

std::vector<SwitchPlane> planes_of(const CostGraph& graph, const std::vector<std::uint32_t>& users)
{
    Above above;
    for (const std::uint32_t rank : users)
        for (const auto& [leaf, ports] : leaves_of(graph, rank)) above[leaf];
    for (const CostTrunk& trunk : graph.trunks)
        if (const auto leaf = above.find(place_of(graph, trunk.leaf)); leaf != above.end())
            leaf->second.insert(place_of(graph, trunk.spine));
    const std::map<Place, Place> first = joined(above);
    std::map<Place, std::map<std::uint32_t, std::vector<Place>>> together;
    for (const std::uint32_t rank : users)
        for (const auto& [leaf, ports] : leaves_of(graph, rank)) together[first.at(leaf)][rank].push_back(leaf);
    const std::set<std::uint32_t> ranks(users.begin(), users.end());
    std::vector<SwitchPlane> out;
    for (const auto& [lowest, leaves] : together) {
        if (leaves.size() < ranks.size()) continue;  // some rank is attached to none of them
        const std::vector<std::map<std::uint32_t, Place>> found = split(leaves);
        for (std::size_t n = 0; n < found.size(); ++n) {
            std::set<Place> own;
            for (const auto& [rank, leaf] : found[n]) own.insert(leaf);
            SwitchPlane plane;
            std::size_t turn = 0;
            for (const Place& spine : above.at(*own.begin())) {
                const bool above_all = own.count(spine) == 0 &&
                    std::all_of(own.begin(), own.end(),
                        [&](const Place& leaf) { return above.at(leaf).count(spine) > 0; });
                if (above_all && turn++ % found.size() == n) plane.spines.push_back(spine.second);
            }
            if (plane.spines.empty()) continue;
            plane.ports = ~std::uint32_t{0};
            for (const auto& [rank, leaf] : found[n]) {
                plane.leaf[rank] = leaf.second;
                plane.ports = std::min(plane.ports, leaves_of(graph, rank).at(leaf));
            }
            out.push_back(std::move(plane));
        }
    }
    return out;
}

}  // namespace weft
