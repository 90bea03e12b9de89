#include "tlm_interconnect/routing/route_distances.h"

#include <algorithm>
#include <deque>

namespace weft {

RouteDistances distances_to(const Fabric& fabric, const std::vector<std::vector<Fabric::Port>>& ports,
    std::uint32_t target)
{
    RouteDistances out{std::vector<std::uint32_t>(fabric.nodes.size(), RouteDistances::far),
        std::vector<std::uint64_t>(fabric.nodes.size(), 0)};
    std::deque<std::uint32_t> queue{target};
    out.hops[target] = 0;
    out.width[target] = std::numeric_limits<std::uint64_t>::max();
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        if (node != target && !fabric.nodes[node].forwards) continue;
        // In order of distance a node's width is settled before the nodes behind it use it.
        for (const Fabric::Port& port : ports[node]) {
            if (out.hops[port.peer] == RouteDistances::far) {
                out.hops[port.peer] = out.hops[node] + 1;
                queue.push_back(port.peer);
            }
            if (out.hops[port.peer] != out.hops[node] + 1) continue;
            const std::uint64_t through = std::min(out.width[node], fabric.edges[port.edge].bandwidth);
            out.width[port.peer] = std::max(out.width[port.peer], through);
        }
    }
    return out;
}

}  // namespace weft
