// CostGraphMaker: paths that end, or begin, where nodes are somebody else's.
#include "platform/choice/cost_graph_maker.h"

#include "base/line_size.h"
#include "collectives/synthesis/turned_path.h"
#include "platform/choice/latencies.h"
#include "tlm_interconnect/link/destination_lines.h"

namespace weft {

PartialPath CostGraphMaker::path_to(std::uint32_t from_rank, std::uint32_t to_rank, const std::vector<bool>& apart)
{
    const std::uint32_t from = endpoints_[from_rank];
    const std::uint32_t to = endpoints_[to_rank];
    const NodeId sender = plan_.members[from];
    const GpuSpec& gpu = system_.gpu(sender);
    PartialPath out;
    out.path.neighbours = true;
    walk(plan_.routing.node_of(from), from, to, out.path, &apart, &out.exits, {});
    PathPart there;
    for (const std::uint32_t node : plan_.routing.path(from, to, 0)) {
        there.nodes.push_back(node);
        if (apart[node]) break;
    }
    PathPart back;
    back.nodes.assign(there.nodes.rbegin() + 1, there.nodes.rend());
    latencies_of(there.nodes, gpu.unit_to_port, plan_.used.transit[sender], out.path);
    there.first_passes = plan_.used.transit[sender];
    there.to_wire = true;
    PathPart signal = there;
    out.signal_ps = gpu.unit_to_port + path_time(system_, signal, LineOp::atomic, signal_bytes, LineClass::request);
    out.path.put_ps = gpu.unit_to_port + path_time(system_, there, LineOp::write, line_bytes, LineClass::request);
    back.first_passes = back.nodes.size() > 1 || plan_.used.transit[sender];
    back.last_passes = back.nodes.size() > 1 && plan_.used.transit[sender];
    back.in_network = there.in_network;
    back.message = out.message = there.message && there.in_network;
    if (back.nodes.size() == 1 && back.first_passes) back.last_passes = true;
    out.path.answer_ps = path_time(system_, back, LineOp::write, line_bytes, LineClass::response) + gpu.port_to_unit;
    finish(out);
    return out;
}

PartialPath CostGraphMaker::path_from(NodeId before, NodeId node, std::uint32_t to_rank, const std::vector<bool>& apart)
{
    const std::uint32_t to = endpoints_[to_rank];
    const NodeId home = plan_.members[to];
    const GpuSpec& gpu = system_.gpu(home);
    const bool ends = !apart[home];
    PartialPath out;
    out.path.neighbours = true;
    walk(node, none_, to, out.path, &apart, &out.exits, {port_towards(node, before)});
    if (node != plan_.routing.node_of(to)) {
        const std::vector<std::uint16_t>& onward = plan_.routing.ports_to(node, to, 0);
        out.answers.assign(onward.begin(), onward.end());
    }
    PathPart there;
    for (NodeId at = node;;) {
        there.nodes.push_back(at);
        if (at == plan_.routing.node_of(to) || apart[at]) break;
        at = ports_[at][plan_.routing.ports_to(at, to, 0).front()].peer;
    }
    PathPart back;
    back.nodes.assign(there.nodes.rbegin() + (ends ? 0 : 1), there.nodes.rend());
    back.nodes.push_back(before);
    latencies_of(there.nodes, 0, true, out.path);
    const LinkSpec& border = system_.link(*system_.graph().find_edge(before, node));
    there.in_network = destination_lines(border) > 0;
    there.message = out.message = there.in_network && by_card_;
    there.first_passes = there.nodes.size() > 1;
    there.last_passes = ends && plan_.used.transit[home];
    there.to_wire = !ends;
    PathPart signal = there;
    out.signal_ps = path_time(system_, signal, LineOp::atomic, signal_bytes, LineClass::request);
    out.path.put_ps = path_time(system_, there, LineOp::write, line_bytes, LineClass::request);
    if (ends) out.path.put_ps += gpu.port_to_l2 + home_time(system_, home);
    if (ends) out.signal_ps += gpu.port_to_l2 + home_time(system_, home);
    back.first_passes = !ends || plan_.used.transit[home];
    back.to_wire = true;
    if (!ends) back.in_network = back.message = there.in_network;
    out.path.answer_ps =
        (ends ? gpu.l2_to_port : 0) + path_time(system_, back, LineOp::write, line_bytes, LineClass::response);
    finish(out);
    return out;
}

void CostGraphMaker::finish(PartialPath& out)
{
    if (out.path.stages.empty()) {
        if (nothing_ < 0) {
            nothing_ = static_cast<std::int64_t>(graph_.links.size());
            graph_.links.emplace_back();
        }
        out.path.stages.push_back({0, {{static_cast<std::uint32_t>(nothing_), 1.0}}});
    }
    out.back = turned(out.path, graph_.links);
}

}  // namespace weft
