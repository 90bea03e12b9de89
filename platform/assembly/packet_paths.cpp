#include "platform/assembly/packet_paths.h"

#include <algorithm>

#include "base/line_size.h"
#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/link/destination_lines.h"

namespace weft {

bool carries_messages(const LinkSpec& link) { return destination_lines(link) > 0 && link.message_header > 0; }

std::uint32_t path_lines_of_network(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::uint32_t out = ~std::uint32_t{0};
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge)
        if (is_used(plan.used.edges, edge) && carries_messages(system.link(edge)))
            out = std::min(out, destination_lines(system.link(edge)));
    return out;
}

PacketPaths packet_paths(const ResolvedSystem& system, std::uint32_t path_lines)
{
    const RoutingSpec& routing = system.routing();
    PacketPaths out;
    out.below = MemoryImage::flag_base;
    out.turns = routing.path_selection == PathSelection::round_robin;
    if (out.turns || routing.path_selection == PathSelection::lines)
        out.stripe = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(path_lines / (routing.stripe / line_bytes)));
    return out;
}

std::vector<std::vector<std::uint32_t>> stripes_of_packets(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint32_t stripes = packet_paths(system, path_lines_of_network(system, plan)).stripe;
    const std::vector<std::vector<Fabric::Port>> ports = plan.fabric.ports();
    std::vector<std::vector<std::uint32_t>> out(ports.size());
    for (NodeId node = 0; node < ports.size(); ++node)
        for (const Fabric::Port& port : ports[node]) {
            const bool forwards =
                plan.fabric.nodes[node].endpoint < 0 || (!plan.used.transit.empty() && plan.used.transit[node]);
            const bool packets = is_used(plan.used.nodes, node) && forwards && is_card(system, node);
            out[node].push_back(packets && carries_messages(system.link(port.edge)) ? stripes : 1);
        }
    return out;
}

}  // namespace weft
