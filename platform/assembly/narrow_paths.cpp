#include "platform/assembly/narrow_paths.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "tlm_interconnect/routing/route_distances.h"

namespace weft {

namespace {

constexpr std::uint32_t most_looked_at = 16;

// The links of a node by which a route with the fewest hops can begin.
struct FirstLinks {
    std::uint64_t taken = 0;  // B/s together
    std::uint64_t left = 0;
    EdgeId taken_edge = 0;
    EdgeId left_edge = 0;
};

FirstLinks first_links(const Fabric& fabric, const std::vector<Fabric::Port>& ports, const RouteDistances& distances,
    std::uint32_t node, std::uint32_t target)
{
    FirstLinks out;
    for (const Fabric::Port& port : ports) {
        if (distances.hops[port.peer] == RouteDistances::far || distances.hops[port.peer] + 1 != distances.hops[node])
            continue;
        if (port.peer != target && !fabric.nodes[port.peer].forwards) continue;
        const std::uint64_t width = std::min(distances.width[port.peer], fabric.edges[port.edge].bandwidth);
        const bool taken = width == distances.width[node];
        (taken ? out.taken : out.left) += width;
        (taken ? out.taken_edge : out.left_edge) = port.edge;
    }
    return out;
}

}  // namespace

std::string narrow_paths_notice(const ResolvedSystem& system, const Fabric& fabric)
{
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    std::vector<std::uint32_t> node_of(fabric.endpoints);
    for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node)
        if (fabric.nodes[node].endpoint >= 0) node_of[static_cast<std::size_t>(fabric.nodes[node].endpoint)] = node;
    for (std::uint32_t to = 0; to < std::min(fabric.endpoints, most_looked_at); ++to) {
        const RouteDistances distances = distances_to(fabric, ports, node_of[to]);
        for (const std::uint32_t from : node_of) {
            if (from == node_of[to] || distances.hops[from] == RouteDistances::far) continue;
            const FirstLinks links = first_links(fabric, ports[from], distances, from, node_of[to]);
            if (links.left <= links.taken) continue;
            return fmt::format(
                "{} reaches {} by `{}`, {} together, because a single link there is wider: `{}` has as few "
                "hops and {} together, and carries nothing between them (routing.policy)",
                fabric.nodes[from].name, fabric.nodes[node_of[to]].name, system.graph().kind(links.taken_edge).link,
                format_rate(links.taken), system.graph().kind(links.left_edge).link, format_rate(links.left));
        }
    }
    return {};
}

}  // namespace weft
