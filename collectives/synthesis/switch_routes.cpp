#include "collectives/synthesis/switch_routes.h"

#include <algorithm>

namespace weft {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

// Links to each switch that all of them are attached to.
std::map<std::uint32_t, std::uint32_t> common_switches(const CostGraph& graph, const std::vector<std::uint32_t>& ranks)
{
    std::map<std::uint32_t, std::uint32_t> fewest;
    for (const std::uint32_t rank : ranks) {
        std::map<std::uint32_t, std::uint32_t> links;
        for (const CostPort& port : graph.ranks[rank].ports) ++links[port.at];
        if (rank == ranks.front()) {
            fewest = std::move(links);
            continue;
        }
        for (auto it = fewest.begin(); it != fewest.end();) {
            const auto found = links.find(it->first);
            if (found == links.end()) {
                it = fewest.erase(it);
            } else {
                it->second = std::min(it->second, found->second);
                ++it;
            }
        }
    }
    return fewest;
}

// An acknowledge from the farthest of the switches to the rank's unit.
std::uint64_t answered_ps(const CostGraph& graph, const std::map<std::uint32_t, std::uint32_t>& switches,
    std::uint32_t rank)
{
    std::uint64_t out = 0;
    for (const CostPort& port : graph.ranks[rank].ports)
        if (switches.count(port.at) > 0) out = std::max(out, port.answered_ps);
    return out;
}

}  // namespace

void SwitchRoute::take_latencies(const SwitchWay& way)
{
    asked_ps = way.up_ps();
    result_ps = way.result;
    copy_ps = way.to_rank + way.later_answer;
    answer_ps = way.nearest_answer + way.answered;
}

const SwitchGroupRoutes* SwitchRoutes::of(const std::vector<std::uint32_t>& members, std::uint32_t user)
{
    const bool outside = std::find(members.begin(), members.end(), user) == members.end();
    const auto [place, is_new] = made_.try_emplace({members, outside ? user : nobody});
    SwitchGroupRoutes& routes = place->second;
    if (is_new) {
        std::vector<std::uint32_t> users = members;
        if (outside) users.push_back(user);
        routes = make(users, members.size());
        if (routes.switches == 0) routes = make_trees(users, members.size());
        most_ = std::max(most_, routes.switches);
        if (routes.switches > 0 && groups_.insert(members).second)
            for (const std::uint32_t at : routes.at)
                if (++known_[at] > graph_.switches[at].groups) routes.switches = 0;
    }
    return routes.switches > 0 ? &routes : nullptr;
}

SwitchGroupRoutes SwitchRoutes::make(const std::vector<std::uint32_t>& users, std::size_t members) const
{
    SwitchGroupRoutes out;
    const std::map<std::uint32_t, std::uint32_t> switches = common_switches(graph_, users);
    double links = 0;
    for (const auto& [at, number] : switches) links += number;
    if (switches.empty()) return out;
    for (const auto& [rank, way] :
        switch_ways(graph_, users, members, 2, [&](std::uint32_t of) { return answered_ps(graph_, switches, of); })) {
        SwitchRoute& route = out.of[rank];
        const std::uint64_t second = way.up[1];
        PathStage up{way.up[0], {}};
        PathStage down;
        PathStage adders{second, {}};
        PathStage contexts{second, {}};
        PathStage pushed{second, {}};
        std::map<std::uint32_t, std::uint32_t> taken;
        for (const CostPort& port : graph_.ranks[rank].ports) {
            const auto found = switches.find(port.at);
            if (found == switches.end() || taken[port.at]++ >= found->second) continue;
            up.links.push_back({port.up, 1 / links});
            down.links.push_back({port.down, 1 / links});
        }
        for (const auto& [at, number] : switches) {
            const CostSwitch& served = graph_.switches[at];
            adders.links.push_back({served.adder, number / links});
            contexts.links.push_back({served.contexts, number / links});
            pushed.links.push_back({served.adder, number / links});
            // One context for all contributions: with that of the first member.
            if (rank == users.front()) pushed.links.push_back({served.contexts, number / links});
        }
        route.store.stages = {up, contexts};
        route.push.stages = {up, pushed};
        up.before_ps = way.nearest_there + way.later_operand;
        contexts.before_ps = 0;
        if (rank == users.front()) route.operand.stages.push_back(contexts);
        route.operand.stages.insert(route.operand.stages.end(), {up, adders});
        route.result.stages = {down};
        route.copy.stages = {down};
        for (CostPath* made : {&route.store, &route.push, &route.operand, &route.result, &route.copy})
            made->neighbours = true;
        route.take_latencies(way);
    }
    if (out.of.empty()) return out;
    out.switches = static_cast<std::uint32_t>(switches.size());
    for (const auto& [at, number] : switches) out.at.insert(at);
    return out;
}

}  // namespace weft
