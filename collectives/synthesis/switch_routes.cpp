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

// The rank's shortest route to another rank that passes one switch; null where there is none.
const CostPath* through_switch(const CostGraph& graph, const std::vector<std::uint32_t>& ranks, std::uint32_t rank)
{
    for (const std::uint32_t other : ranks)
        if (other != rank && graph.path(rank, other).stages.size() == 2) return &graph.path(rank, other);
    return nullptr;
}

}  // namespace

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
    for (const std::uint32_t rank : users) {
        const CostPath* path = through_switch(graph_, users, rank);
        if (path == nullptr) return out;
        SwitchRoute& route = out.of[rank];
        const std::uint64_t first = path->stages[0].before_ps;
        const std::uint64_t second = path->stages[1].before_ps;
        PathStage up{first, {}};
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
            pushed.links.push_back({served.contexts, number / links / static_cast<double>(members)});
        }
        route.store.stages = {up, contexts};
        route.push.stages = {up, pushed};
        up.before_ps = contexts.before_ps = 0;
        route.operand.stages = {up, adders};
        route.result.stages = {contexts, down};
        route.copy.stages = {down};
        for (CostPath* made : {&route.store, &route.push, &route.operand, &route.result, &route.copy})
            made->neighbours = true;
        route.asked_ps = path->put_ps;
        route.result_ps = path->answer_ps - std::min(path->answer_ps, second);
        route.copy_ps = path->put_ps - std::min(path->put_ps, first + second);
        route.answer_ps = path->answer_ps;
    }
    out.switches = static_cast<std::uint32_t>(switches.size());
    for (const auto& [at, number] : switches) out.at.insert(at);
    return out;
}

}  // namespace weft
