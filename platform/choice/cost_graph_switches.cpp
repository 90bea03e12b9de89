// CostGraphMaker: switches with groups, and what they take from a rank.
#include "platform/choice/cost_graph_maker.h"

#include <algorithm>

#include "base/line_size.h"
#include "platform/choice/latencies.h"
#include "sc_models/memory/hbm_timing.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

void CostGraphMaker::attach(std::uint32_t rank, bool tiers)
{
    const NodeId node = plan_.members[endpoints_[rank]];
    if (plan_.used.transit[node]) return;
    for (const Fabric::Port& port : ports_[node]) {
        if (!plan_.used.edges[port.edge] || !plan_.used.nodes[port.peer] || plan_.used.transit[port.peer]) continue;
        if (system_.role(port.peer) != NodeRole::forwarder || system_.model(port.peer) != "switch") continue;
        if (system_.switch_of(port.peer).multicast_groups == 0) continue;
        const bool forward = plan_.fabric.edges[port.edge].a == node;
        const LinkSpec& wire = system_.link(port.edge);
        graph_.ranks[rank].ports.push_back({switch_at(port.peer, node, port.edge), link(port.edge, forward),
            link(port.edge, !forward), answer_time(wire) + system_.gpu(node).port_to_unit});
        if (tiers) attach_above(port.peer, node, port.edge);
    }
}

bool CostGraphMaker::combines(NodeId node) const
{
    return plan_.used.nodes[node] && !plan_.used.transit[node] && system_.role(node) == NodeRole::forwarder &&
        system_.model(node) == "switch" && system_.switch_of(node).multicast_groups > 0;
}

void CostGraphMaker::attach_above(NodeId leaf, NodeId member, std::uint32_t edge)
{
    const bool is_new = tiered_.insert(leaf).second;
    for (const Fabric::Port& port : ports_[leaf]) {
        if (!plan_.used.edges[port.edge] || !combines(port.peer)) continue;
        const bool forward = plan_.fabric.edges[port.edge].a == leaf;
        const LinkSpec& trunk = system_.link(port.edge);
        const Time more = wire_time(trunk, LineOp::write, line_bytes, LineClass::request) +
            wire_time(trunk, LineOp::write, line_bytes, LineClass::response) + 2 * trunk.latency +
            2 * system_.switch_of(leaf).latency;
        const std::uint32_t spine = switch_at(port.peer, member, edge, more);
        if (is_new)
            graph_.trunks.push_back({switches_.at(leaf), spine, link(port.edge, forward), link(port.edge, !forward),
                answer_time(trunk) + system_.switch_of(leaf).latency});
    }
}

Time CostGraphMaker::answer_time(const LinkSpec& wire)
{
    return wire_time(wire, LineOp::write, line_bytes, LineClass::response) + wire.latency;
}

std::uint32_t CostGraphMaker::switch_at(NodeId node, NodeId member, std::uint32_t edge, Time beyond)
{
    const SwitchSpec& spec = system_.switch_of(node);
    const GpuSpec& gpu = system_.gpu(member);
    const LinkSpec& wire = system_.link(edge);
    // While an operation is in progress a member is asked or stored to, and answers.
    const Time open = beyond + wire_time(wire, LineOp::write, line_bytes, LineClass::request) + wire.latency +
        gpu.port_to_l2 + home_time(system_, member) + gpu.l2_to_port +
        wire_time(wire, LineOp::write, line_bytes, LineClass::response) + wire.latency + spec.latency;
    const auto at_once = static_cast<double>(spec.group_contexts * line_bytes);
    const double by_contexts = static_cast<double>(open) / at_once;
    const double cold = static_cast<double>(idle_read(system_.hbm(member))) / at_once;
    const auto limit = [&](std::uint32_t number) {  // it is over when the slowest member has answered
        CostLink& contexts = graph_.links[graph_.switches[number].contexts];
        contexts.at_once = at_once;
        contexts.ps_per_byte = contexts.group_ps_per_byte = std::max(contexts.ps_per_byte, by_contexts);
        contexts.cold_more_ps_per_byte = std::max(contexts.cold_more_ps_per_byte, cold);
        // A pushed operation holds a context from its first contribution to its last.
        const Time way = gpu.unit_to_port + answer_time(wire) + beyond / 2;
        const auto [first, last] = ways_.try_emplace(number, way, way).first->second;
        ways_[number] = {std::min(first, way), std::max(last, way)};
        contexts.push_more_ps_per_byte = static_cast<double>(std::max(last, way) - std::min(first, way)) / at_once;
    };
    if (const auto found = switches_.find(node); found != switches_.end()) {
        limit(found->second);
        return found->second;
    }
    const std::uint32_t made = add_switch(graph_, plan_.fabric.nodes[node].name,
        static_cast<double>(ps_per_s) / static_cast<double>(spec.reduce_rate), by_contexts,
        static_cast<std::uint32_t>(spec.multicast_groups));
    graph_.switches[made].node = node;
    limit(made);
    switches_.emplace(node, made);
    return made;
}

}  // namespace weft
