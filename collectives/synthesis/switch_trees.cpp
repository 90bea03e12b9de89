// SwitchRoutes of groups over two tiers of switches.
#include <algorithm>

#include "collectives/synthesis/switch_routes.h"

namespace weft {

namespace {

// A leaf below the spines of a group: links to each of them, and the members that it stands for there.
struct Leaf {
    std::map<std::uint32_t, std::vector<const CostTrunk*>> trunks;  // by spine
    std::uint32_t members = 0;
};

}  // namespace

std::uint32_t SwitchGroupRoutes::parts(std::size_t members) const
{
    return static_cast<std::uint32_t>(leaves.empty() ? members : leaves.size());
}

SwitchGroupRoutes SwitchRoutes::make_trees(const std::vector<std::uint32_t>& users, std::size_t members) const
{
    const std::vector<SwitchPlane> planes = planes_of(graph_, users);
    if (planes.empty() || (planes.size() > 1 && !several_planes_)) return {};
    if (planes.size() == 1) return make_tree(planes.front(), users, members);
    SwitchGroupRoutes out;
    double ports = 0;
    for (const SwitchPlane& plane : planes) ports += plane.ports;
    for (const SwitchPlane& plane : planes) {
        out.planes.push_back(make_tree(plane, users, members));
        if (out.planes.back().switches == 0) return {};
        out.planes.back().share = plane.ports / ports;
        out.at.insert(out.planes.back().at.begin(), out.planes.back().at.end());
    }
    out.switches = static_cast<std::uint32_t>(out.at.size());
    return out;
}

SwitchGroupRoutes SwitchRoutes::make_tree(const SwitchPlane& plane, const std::vector<std::uint32_t>& users,
    std::size_t members) const
{
    SwitchGroupRoutes out;
    std::map<std::uint32_t, Leaf> leaves;
    for (std::size_t i = 0; i < users.size(); ++i) leaves[plane.leaf.at(users[i])].members += i < members ? 1 : 0;
    for (const CostTrunk& trunk : graph_.trunks) {
        const auto leaf = leaves.find(trunk.leaf);
        if (leaf != leaves.end()) leaf->second.trunks[trunk.spine].push_back(&trunk);
    }
    std::map<std::uint32_t, std::size_t> spines;  // links of the leaf with the fewest
    for (const std::uint32_t spine : plane.spines) {
        std::size_t fewest = ~std::size_t{0};
        for (const auto& [at, leaf] : leaves) fewest = std::min(fewest, leaf.trunks.at(spine).size());
        spines[spine] = fewest;
    }
    double trunks = 0;
    for (const auto& [spine, links] : spines) trunks += static_cast<double>(links);

    // Over the links between a leaf and the spines, and to what limits the spines.
    const auto over_trunks = [&](std::uint64_t before, const Leaf& leaf, bool upward) {
        PathStage stage{before, {}};
        for (const auto& [spine, links] : spines)
            for (std::size_t i = 0; i < links; ++i) {
                const CostTrunk& trunk = *leaf.trunks.at(spine)[i];
                stage.links.push_back({upward ? trunk.up : trunk.down, 1 / trunks});
            }
        return stage;
    };
    const auto at_spines = [&](std::uint64_t before, bool adds, bool opens) {
        PathStage stage{before, {}};
        for (const auto& [spine, links] : spines) {
            const double share = static_cast<double>(links) / trunks;
            if (adds) stage.links.push_back({graph_.switches[spine].adder, share});
            if (opens) stage.links.push_back({graph_.switches[spine].contexts, share});
        }
        return stage;
    };

    std::map<std::uint32_t, std::uint32_t> numbers;  // of leaves with members
    for (const auto& [at, leaf] : leaves) {
        if (leaf.members == 0) continue;
        numbers[at] = static_cast<std::uint32_t>(out.leaves.size());
        out.leaves.emplace_back();
        out.leaves.back().members = leaf.members;
    }
    const auto answered = [&](std::uint32_t rank) {
        const std::uint32_t at = plane.leaf.at(rank);
        std::uint64_t to_leaf = 0;
        std::uint64_t to_unit = 0;
        for (const auto& [spine, links] : leaves.at(at).trunks)
            for (const CostTrunk* trunk : links) to_leaf = std::max(to_leaf, trunk->answered_ps);
        for (const CostPort& port : graph_.ranks[rank].ports)
            if (port.at == at) to_unit = std::max(to_unit, port.answered_ps);
        return to_leaf + to_unit;
    };
    const std::map<std::uint32_t, SwitchWay> ways = switch_ways(graph_, users, members, 4, answered);
    if (ways.empty()) return {};
    std::set<std::uint32_t> seen;  // leaves
    for (std::size_t i = 0; i < users.size(); ++i) {
        const std::uint32_t rank = users[i];
        const SwitchWay& way = ways.at(rank);
        const std::uint32_t at = plane.leaf.at(rank);
        const Leaf& leaf = leaves.at(at);
        const CostSwitch& own = graph_.switches[at];
        const std::uint64_t to_leaf = way.up[1];
        const std::uint64_t to_spine = way.up[2];
        PathStage up{way.up[0], {}};
        PathStage down{way.to_leaf, {}};
        for (const CostPort& port : graph_.ranks[rank].ports) {
            if (port.at != at || up.links.size() == plane.ports) continue;
            up.links.push_back({port.up, 1.0 / plane.ports});
            down.links.push_back({port.down, 1.0 / plane.ports});
        }
        SwitchRoute& route = out.of[rank];
        const bool of_first = i < members && seen.insert(at).second;  // whose context is that of the others, too
        route.push.stages = {up, {to_leaf, {{own.adder, 1}}}};
        route.store.stages = {up, over_trunks(to_leaf, leaf, true), at_spines(to_spine, false, true)};
        up.before_ps = way.nearest_there + way.later_operand;
        if (i == 0) route.operand.stages.push_back(at_spines(0, false, true));
        if (of_first) route.operand.stages.push_back({0, {{own.contexts, 1}}});
        route.operand.stages.insert(route.operand.stages.end(), {up, {to_leaf, {{own.adder, 1}}}});
        route.result.stages = {over_trunks(0, leaf, false), down};
        route.copy.stages = {down};
        route.take_latencies(way);
        for (CostPath* made : {&route.store, &route.push, &route.operand, &route.result, &route.copy})
            made->neighbours = true;
        if (i >= members) continue;
        route.leaf = numbers.at(at);
        SwitchLeaf& above = out.leaves[route.leaf];
        above.raised.stages = {over_trunks(0, leaf, true), at_spines(to_spine, true, route.leaf == 0)};
        above.brought.stages = {over_trunks(0, leaf, true), at_spines(to_spine, true, false)};
        above.lowered.stages = {over_trunks(0, leaf, false)};
        above.stored.stages = {over_trunks(0, leaf, false), {0, {{own.contexts, 1}}}};
        for (CostPath* made : {&above.raised, &above.brought, &above.lowered, &above.stored}) made->neighbours = true;
    }
    for (const auto& [at, leaf] : leaves) out.at.insert(at);
    for (const auto& [spine, links] : spines) out.at.insert(spine);
    out.switches = static_cast<std::uint32_t>(out.at.size());
    return out;
}

}  // namespace weft
