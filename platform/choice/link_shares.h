// Over which links what one endpoint sends to another goes: equal paths share evenly, or one of them has it all, by the rule that
// chooses among them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/parameters/routing_spec.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Valiant routes scatter lines whatever is selected.
inline PathSelection selection_of(const RoutingSpec& routing)
{
    return routing.policy == RoutePolicy::dragonfly_valiant ? PathSelection::lines : routing.path_selection;
}

inline bool spreads(PathSelection selection)
{
    return selection == PathSelection::lines || selection == PathSelection::round_robin;
}

// By which one path of a pair is chosen, where lines do not spread.
inline std::uint32_t hash_of_pair(PathSelection selection, std::uint32_t from, std::uint32_t to)
{
    return selection == PathSelection::pairs ? pair_hash(from, to) : 0;
}

class LinkShares {
public:
    LinkShares(const FabricPlan& plan, const RoutingSpec& routing)
        : plan_(plan), selection_(selection_of(routing)), ports_(plan.fabric.ports())
    {
    }

    // Calls visit(edge, forward, share) for every link direction on the way, once a hop; `share` of `amount` takes it, and what is
    // `forward` goes from the edge's a to its b. `get`: `to` asks for it, and what comes takes the way of its requests.
    template <typename Visit>
    void for_each(std::uint32_t from, std::uint32_t to, bool get, double amount, Visit&& visit) const
    {
        const auto reversed = [&visit](std::uint32_t edge, bool forward, double share) {
            visit(edge, !forward, share);
        };
        if (spreads(selection_)) {
            get ? spread(to, from, amount, reversed) : spread(from, to, amount, visit);
        } else {
            get ? follow(to, from, amount, reversed) : follow(from, to, amount, visit);
        }
    }

    // Directions: 2e from edge e's a to its b, 2e + 1 back.
    std::size_t directions() const { return 2 * plan_.fabric.edges.size(); }

private:
    template <typename Visit>
    void follow(std::uint32_t from, std::uint32_t to, double amount, const Visit& visit) const
    {
        std::uint32_t hash = hash_of_pair(selection_, from, to);
        unsigned phase = 0;
        for (std::uint32_t node = plan_.routing.node_of(from); node != plan_.routing.node_of(to);) {
            const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, to, phase);
            if (choice.empty()) return;
            const auto picked = static_cast<unsigned>(hash % choice.size());
            hash /= static_cast<std::uint32_t>(choice.size());
            const Fabric::Port& exit = ports_[node][choice[picked]];
            visit(exit.edge, plan_.fabric.edges[exit.edge].a == node, amount);
            phase = plan_.routing.phase_after(node, choice[picked], plan_.routing.vc_set(node, to, picked, phase));
            node = exit.peer;
        }
    }

    // Hop by hop: paths that meet again are one from there on.
    template <typename Visit>
    void spread(std::uint32_t from, std::uint32_t to, double amount, const Visit& visit) const
    {
        std::map<std::pair<std::uint32_t, unsigned>, double> here{
            {{plan_.routing.node_of(from), 0}, amount}};  // nodes and phases
        while (!here.empty()) {
            std::map<std::pair<std::uint32_t, unsigned>, double> next;
            std::map<std::pair<std::uint32_t, bool>, double> links;
            for (const auto& [place, all] : here) {
                const auto [node, phase] = place;
                if (node == plan_.routing.node_of(to)) continue;
                const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, to, phase);
                for (unsigned i = 0; i < choice.size(); ++i) {
                    const Fabric::Port& exit = ports_[node][choice[i]];
                    const double share = all / static_cast<double>(choice.size());
                    links[{exit.edge, plan_.fabric.edges[exit.edge].a == node}] += share;
                    next[{exit.peer,
                        plan_.routing.phase_after(node, choice[i], plan_.routing.vc_set(node, to, i, phase))}] += share;
                }
            }
            for (const auto& [link, share] : links) visit(link.first, link.second, share);
            here = std::move(next);
        }
    }

    const FabricPlan& plan_;
    const PathSelection selection_;
    std::vector<std::vector<Fabric::Port>> ports_;
};

}  // namespace weft
