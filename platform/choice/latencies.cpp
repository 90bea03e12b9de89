#include "platform/choice/latencies.h"

#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

Time wire_time(const LinkSpec& link, LineOp op, std::uint32_t size, LineClass cls, bool by_card)
{
    return lone_bytes(link, op, size, cls, by_card) * ps_per_s / link.bandwidth;
}

Time pass_time(const ResolvedSystem& system, NodeId node)
{
    const SwitchSpec& spec = system.switch_of(node);
    if (system.model(node) != "crossbar") return spec.latency;
    return (spec.latency + spec.clock - 1) / spec.clock * spec.clock + spec.traversal;
}

Time path_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size, LineClass cls)
{
    const std::vector<std::uint32_t> nodes = plan.routing.path(from, to, 0);
    return path_time(system, nodes, {plan.used.transit[nodes.front()], plan.used.transit[nodes.back()]}, op, size, cls);
}

Time path_time(const ResolvedSystem& system, const std::vector<std::uint32_t>& nodes, std::pair<bool, bool> transit,
    LineOp op, std::uint32_t size, LineClass cls)
{
    PathPart whole;
    whole.nodes = nodes;
    whole.first_passes = transit.first;
    whole.last_passes = transit.second;
    return path_time(system, whole, op, size, cls);
}

Time path_time(const ResolvedSystem& system, PathPart& part, LineOp op, std::uint32_t size, LineClass cls)
{
    Time time = 0;
    const std::vector<std::uint32_t>& nodes = part.nodes;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const LinkSpec& link = system.link(*system.graph().find_edge(nodes[i], nodes[i + 1]));
        const bool enters = !part.in_network && destination_lines(link) > 0;
        part.in_network = destination_lines(link) > 0;
        if (i > 0 || part.first_passes) {
            time += pass_time(system, nodes[i]);
            // A line that leaves its node by a card is a message; so is, on its way back, the answer of one.
            if (enters && is_card(system, nodes[i])) {
                part.message = true;
                if (cls == LineClass::request) time += system.switch_of(nodes[i]).message_overhead;
            }
        }
        if (part.to_wire && i + 2 == nodes.size()) return time;
        time += wire_time(link, op, size, cls, part.message && part.in_network) + link.latency;
    }
    if (part.last_passes) time += pass_time(system, nodes.back());
    return time;
}

Time home_time(const ResolvedSystem& system, NodeId node)
{
    return system.l2(node).separate() ? system.memory_side(node).latency : system.l2(node).latency;
}

Time flag_time(const ResolvedSystem& system, NodeId node)
{
    const L2Spec& l2 = system.l2(node);
    const Time crossing = l2.separate() ? 2 * system.memory_side(node).hop : l2.mirrored() ? l2.far_latency : 0;
    return home_time(system, node) + crossing;
}

}  // namespace weft
