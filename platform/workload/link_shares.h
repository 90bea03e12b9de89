// Over which links what one endpoint sends to another goes, equal paths sharing evenly.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/assembly/fabric_plan.h"

namespace weft {

class LinkShares {
public:
    explicit LinkShares(const FabricPlan& plan) : plan_(plan), ports_(plan.fabric.ports()) {}

    // Calls visit(edge, forward, share) for every link direction on the way; `share` of `amount` takes it, and what is
    // `forward` goes from the edge's a to its b.
    template <typename Visit>
    void for_each(std::uint32_t from, std::uint32_t to, double amount, Visit&& visit) const
    {
        walk(plan_.routing.node_of(from), 0, to, amount, visit);
    }

    // Directions: 2e from edge e's a to its b, 2e + 1 back.
    std::size_t directions() const { return 2 * plan_.fabric.edges.size(); }

private:
    template <typename Visit>
    void walk(std::uint32_t node, unsigned phase, std::uint32_t to, double amount, Visit& visit) const
    {
        if (node == plan_.routing.node_of(to)) return;
        const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, to, phase);
        for (unsigned i = 0; i < choice.size(); ++i) {
            const Fabric::Port& exit = ports_[node][choice[i]];
            const bool forward = plan_.fabric.edges[exit.edge].a == node;
            const double share = amount / static_cast<double>(choice.size());
            visit(exit.edge, forward, share);
            const unsigned then = plan_.routing.phase_after(node, choice[i], plan_.routing.vc_set(node, to, i, phase));
            walk(exit.peer, then, to, share, visit);
        }
    }

    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
};

}  // namespace weft
