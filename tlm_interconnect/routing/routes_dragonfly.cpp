#include <algorithm>
#include <limits>
#include <map>

#include "tlm_interconnect/routing/route_policy.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

namespace {

constexpr std::uint32_t no_route = std::numeric_limits<std::uint32_t>::max();

class Dragonfly {
public:
    Dragonfly(const Fabric& fabric, const std::vector<std::uint32_t>& groups)
        : fabric_(fabric), groups_(groups), ports_(fabric.ports())
    {
    }

    // Links that the route from each router to `router` takes; within a group at most one at either end.
    std::vector<std::uint32_t> hops_to(std::uint32_t router) const
    {
        std::vector<std::uint32_t> hops(fabric_.nodes.size(), no_route);
        hops[router] = 0;
        const auto lower = [&](std::uint32_t node, std::uint32_t value) { hops[node] = std::min(hops[node], value); };
        for (const Fabric::Port& port : ports_[router])
            if (inside(router, port.peer)) lower(port.peer, 1);
        // Over the link between groups, then one link to where it begins.
        const std::uint32_t home = groups_[router];
        for (const FabricEdge& edge : fabric_.edges) {
            if (!between_routers(edge) || (groups_[edge.a] == home) == (groups_[edge.b] == home)) continue;
            const bool a_home = groups_[edge.a] == home;
            const std::uint32_t landing = a_home ? edge.a : edge.b;
            if (hops[landing] != no_route) lower(a_home ? edge.b : edge.a, hops[landing] + 1);
        }
        std::vector<std::uint32_t> out = hops;
        for (std::uint32_t node = 0; node < hops.size(); ++node) {
            if (hops[node] == no_route || groups_[node] == home) continue;
            for (const Fabric::Port& port : ports_[node])
                if (inside(node, port.peer)) out[port.peer] = std::min(out[port.peer], hops[node] + 1);
        }
        return out;
    }

    // The rest of the route, in `vc_set`; in the one after it within the destination's group.
    void route(std::uint32_t node, std::size_t row, std::uint32_t router, const std::vector<std::uint32_t>& hops,
        unsigned vc_set, RouteChoices& out) const
    {
        const bool arrived = groups_[node] == groups_[router];
        for (std::size_t p = 0; p < ports_[node].size(); ++p) {
            const std::uint32_t peer = ports_[node][p].peer;
            if (!fabric_.nodes[peer].forwards || hops[peer] == no_route || hops[peer] + 1 != hops[node]) continue;
            const bool local = groups_[peer] == groups_[node];
            if (!local && groups_[peer] != groups_[router]) continue;
            out.add(node, row, p, vc_set + (arrived && local ? 1 : 0));
        }
    }

    // By any link that leaves the group, all of them alike: from here, or one link within the group further on.
    void leave(std::uint32_t node, std::size_t row, bool from_here, RouteChoices& out) const
    {
        for (std::size_t p = 0; p < ports_[node].size(); ++p) {
            const std::uint32_t peer = ports_[node][p].peer;
            if (!fabric_.nodes[peer].forwards) continue;
            unsigned routes = 1;
            if (inside(node, peer)) routes = from_here ? 0 : exits(peer);
            for (; routes > 0; --routes) out.add(node, row, p, 0);
        }
    }

    // By where lines come in: 0 from endpoints, 1 after a first link within the group, 2 after any later one.
    std::vector<std::uint8_t> phases(std::uint32_t node) const
    {
        std::vector<std::uint8_t> out;
        for (const Fabric::Port& port : ports_[node])
            for (unsigned vc_set = 0; vc_set < max_vc_sets; ++vc_set)
                out.push_back(!fabric_.nodes[port.peer].forwards ? 0 : inside(node, port.peer) && vc_set == 0 ? 1 : 2);
        return out;
    }

    void check() const
    {
        std::map<std::uint32_t, std::vector<std::uint32_t>> members;
        for (std::uint32_t n = 0; n < fabric_.nodes.size(); ++n)
            if (fabric_.nodes[n].forwards) members[groups_[n]].push_back(n);
        if (members.size() < 2) throw RouteMismatch("not a dragonfly: all forwarding nodes are in one group");
        for (const auto& [group, nodes] : members) {
            for (const std::uint32_t node : nodes) {
                std::vector<bool> joined(fabric_.nodes.size(), false);
                for (const Fabric::Port& port : ports_[node]) joined[port.peer] = true;
                for (const std::uint32_t other : nodes)
                    if (other != node && !joined[other])
                        throw RouteMismatch("not a dragonfly: " + fabric_.nodes[node].name + " and " +
                            fabric_.nodes[other].name + " of one group are not joined");
            }
        }
    }

private:
    bool between_routers(const FabricEdge& edge) const
    {
        return fabric_.nodes[edge.a].forwards && fabric_.nodes[edge.b].forwards;
    }
    bool inside(std::uint32_t node, std::uint32_t peer) const
    {
        return fabric_.nodes[peer].forwards && groups_[node] == groups_[peer];
    }

    // Links from `node` to other groups.
    unsigned exits(std::uint32_t node) const
    {
        unsigned count = 0;
        for (const Fabric::Port& port : ports_[node])
            count += fabric_.nodes[port.peer].forwards && !inside(node, port.peer) ? 1 : 0;
        return count;
    }

    const Fabric& fabric_;
    const std::vector<std::uint32_t>& groups_;
    std::vector<std::vector<Fabric::Port>> ports_;
};

}  // namespace

void dragonfly_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of,
    const std::vector<std::uint32_t>& groups, bool valiant, RouteChoices& out)
{
    if (groups.size() != fabric.nodes.size()) throw RouteMismatch("not a dragonfly: the nodes are in no groups");
    const std::vector<std::uint32_t> router_of = routers_of(fabric, node_of);
    const Dragonfly dragonfly(fabric, groups);
    dragonfly.check();
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    if (valiant) out.phases = 3;
    if (valiant) out.phase_of.resize(fabric.nodes.size());
    out.vc_sets.resize(fabric.nodes.size());
    for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node) {
        const std::size_t rows = std::size_t{fabric.nodes[node].forwards ? out.phases : 1} * fabric.endpoints;
        out.ports[node].resize(rows);
        out.vc_sets[node].resize(rows);
        if (valiant && fabric.nodes[node].forwards) out.phase_of[node] = dragonfly.phases(node);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> hops_to;
    for (std::uint32_t d = 0; d < fabric.endpoints; ++d) {
        const std::uint32_t router = router_of[d];
        auto hops = hops_to.find(router);
        if (hops == hops_to.end()) hops = hops_to.emplace(router, dragonfly.hops_to(router)).first;
        for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node) {
            const int own = fabric.nodes[node].endpoint;
            if (node == node_of[d] || (!fabric.nodes[node].forwards && own < 0)) continue;
            if (fabric.nodes[node].forwards && node != router) {
                if (hops->second[node] == no_route)
                    throw RouteMismatch("not a dragonfly: no link joins the group of " + fabric.nodes[node].name +
                        " to that of " + fabric.nodes[router].name);
                for (unsigned phase = 0; phase < out.phases; ++phase) {
                    const std::size_t row = std::size_t{phase} * fabric.endpoints + d;
                    if (valiant && phase < 2 && groups[node] != groups[router])
                        dragonfly.leave(node, row, phase == 1, out);
                    else
                        dragonfly.route(node, row, router, hops->second, valiant ? 1 : 0, out);
                }
                continue;
            }
            const std::uint32_t next =
                fabric.nodes[node].forwards ? node_of[d] : router_of[static_cast<std::uint32_t>(own)];
            for (std::size_t p = 0; p < ports[node].size(); ++p)
                for (unsigned phase = 0;
                     ports[node][p].peer == next && phase < out.ports[node].size() / fabric.endpoints; ++phase)
                    out.add(node, std::size_t{phase} * fabric.endpoints + d, p, 0);
        }
    }
}

}  // namespace weft
