#include <algorithm>
#include <deque>
#include <limits>

#include "tlm_interconnect/route_policy.h"
#include "tlm_interconnect/routing.h"

namespace weft {

namespace {

void route_to(const Fabric& fabric, const std::vector<std::vector<Fabric::Port>>& ports, std::uint32_t target,
    std::uint32_t destination, RouteChoices& out)
{
    constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> hops(fabric.nodes.size(), far);
    std::vector<std::uint64_t> width(fabric.nodes.size(), 0);
    std::vector<std::uint32_t> order;
    std::deque<std::uint32_t> queue{target};
    hops[target] = 0;
    width[target] = std::numeric_limits<std::uint64_t>::max();
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        order.push_back(node);
        if (node != target && !fabric.nodes[node].forwards) continue;
        for (const Fabric::Port& port : ports[node]) {
            if (hops[port.peer] != far) continue;
            hops[port.peer] = hops[node] + 1;
            queue.push_back(port.peer);
        }
    }
    // In order of distance every next hop is settled before the nodes that use it.
    for (const std::uint32_t node : order) {
        if (node == target) continue;
        std::vector<std::uint16_t>& choice = out.ports[node][destination];
        for (std::uint32_t p = 0; p < ports[node].size(); ++p) {
            const Fabric::Port& port = ports[node][p];
            if (hops[port.peer] + 1 != hops[node]) continue;
            if (port.peer != target && !fabric.nodes[port.peer].forwards) continue;
            const std::uint64_t through = std::min(width[port.peer], fabric.edges[port.edge].bandwidth);
            if (through > width[node]) {
                width[node] = through;
                choice.clear();
            }
            if (through == width[node]) choice.push_back(static_cast<std::uint16_t>(p));
        }
    }
}

}  // namespace

void minimal_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of, RouteChoices& out)
{
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    for (std::uint32_t d = 0; d < fabric.endpoints; ++d) route_to(fabric, ports, node_of[d], d, out);
}

}  // namespace weft
