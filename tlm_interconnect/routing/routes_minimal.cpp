#include <algorithm>

#include "tlm_interconnect/routing/route_distances.h"
#include "tlm_interconnect/routing/route_policy.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

namespace {

void route_to(const Fabric& fabric, const std::vector<std::vector<Fabric::Port>>& ports, std::uint32_t target,
    std::uint32_t destination, RouteChoices& out)
{
    const RouteDistances distances = distances_to(fabric, ports, target);
    for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node) {
        if (node == target || distances.hops[node] == RouteDistances::far) continue;
        for (std::uint32_t p = 0; p < ports[node].size(); ++p) {
            const Fabric::Port& port = ports[node][p];
            if (distances.hops[port.peer] == RouteDistances::far) continue;
            if (distances.hops[port.peer] + 1 != distances.hops[node]) continue;
            if (port.peer != target && !fabric.nodes[port.peer].forwards) continue;
            if (std::min(distances.width[port.peer], fabric.edges[port.edge].bandwidth) == distances.width[node])
                out.ports[node][destination].push_back(static_cast<std::uint16_t>(p));
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
