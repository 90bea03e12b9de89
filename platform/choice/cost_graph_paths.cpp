// CostGraphMaker: the links and latencies of paths between two ranks.
#include "platform/choice/cost_graph_maker.h"

#include <algorithm>

#include "base/line_size.h"
#include "platform/choice/latencies.h"
#include "platform/choice/link_shares.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

CostGraphMaker::CostGraphMaker(const ResolvedSystem& system, const FabricPlan& plan,
    const std::vector<std::uint32_t>& endpoints, CostGraph& graph)
    : system_(system), plan_(plan), ports_(plan.fabric.ports()), endpoints_(endpoints), graph_(graph),
      by_card_(has_cards(system, plan)), split_(system, plan, endpoints), takes_part_(plan.members.size())
{
    for (const std::uint32_t endpoint : endpoints) takes_part_[endpoint] = true;
}

CostPath CostGraphMaker::path(std::uint32_t from_rank, std::uint32_t to_rank)
{
    const std::uint32_t from = endpoints_[from_rank];
    const std::uint32_t to = endpoints_[to_rank];
    const NodeId sender = plan_.members[from];
    const NodeId home = plan_.members[to];
    const GpuSpec& gpu = system_.gpu(sender);
    CostPath path;
    path.neighbours = true;
    stages(from, to, path);
    const std::vector<std::uint32_t> nodes = slowest_path(system_, plan_, from, to);
    latencies_of(nodes, gpu.unit_to_port, plan_.used.transit[nodes.front()], path);
    path.put_ps = gpu.unit_to_port + way_time(system_, plan_, nodes, LineOp::write, line_bytes, LineClass::request) +
        system_.gpu(home).port_to_l2 + home_time(system_, home);
    path.answer_ps = system_.gpu(home).l2_to_port +
        way_time(system_, plan_, {nodes.rbegin(), nodes.rend()}, LineOp::write, line_bytes, LineClass::response) +
        gpu.port_to_unit;
    return path;
}

void CostGraphMaker::stages(std::uint32_t from, std::uint32_t to, CostPath& path)
{
    walk(plan_.routing.node_of(from), from, to, path, nullptr, nullptr, {});
}

void CostGraphMaker::walk(NodeId first, std::uint32_t from, std::uint32_t to, CostPath& path,
    const std::vector<bool>* apart, std::vector<PartialPath::Exit>* exits, std::vector<unsigned> inputs)
{
    const PathSelection selection = selection_of(system_.routing());
    const bool one_path = !spreads(selection) && apart == nullptr;
    std::uint32_t hash = hash_of_pair(selection, from, to);
    using Place = std::pair<std::uint32_t, unsigned>;  // node and phase
    std::map<Place, double> here{{{first, 0}, 1.0}};
    std::map<Place, std::vector<unsigned>> inputs_here{{{first, 0}, std::move(inputs)}};  // only where there are exits
    while (!here.empty()) {
        std::map<Place, double> next;
        std::map<Place, std::vector<unsigned>> inputs_next;
        std::map<std::pair<std::uint32_t, unsigned>, double> links;  // and VC sets
        for (const auto& [place, share] : here) {
            const auto [node, phase] = place;
            if (node == plan_.routing.node_of(to)) continue;
            const int endpoint = plan_.fabric.nodes[node].endpoint;
            if (endpoint >= 0 && endpoint != static_cast<int>(from) &&
                takes_part_[static_cast<std::uint32_t>(endpoint)])
                path.neighbours = false;
            const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, to, phase);
            if (choice.empty()) continue;
            const auto count = static_cast<std::uint32_t>(choice.size());
            const unsigned begin = one_path ? hash % count : 0;
            const unsigned end = one_path ? begin + 1 : count;
            if (one_path) hash /= count;
            for (unsigned i = begin; i < end; ++i) {
                const Fabric::Port& exit = ports_[node][choice[i]];
                const double part = share / (end - begin);
                const unsigned set = plan_.routing.vc_set(node, to, i, phase);
                if (apart != nullptr && (*apart)[exit.peer]) {
                    exits->push_back({node, exit.edge, part, set, inputs_here[place]});
                    continue;
                }
                links[{link(exit.edge, plan_.fabric.edges[exit.edge].a == node), set}] += part;
                const unsigned then = plan_.routing.phase_after(node, choice[i], set);
                next[{exit.peer, then}] += part;
                if (exits != nullptr) inputs_next[{exit.peer, then}].push_back(port_towards(exit.peer, node));
            }
        }
        if (links.empty()) break;
        path.stages.emplace_back();
        for (const auto& [place, share] : links) path.stages.back().links.push_back({place.first, share, place.second});
        here = std::move(next);
        inputs_here = std::move(inputs_next);
    }
}

unsigned CostGraphMaker::port_towards(NodeId node, NodeId peer) const
{
    const auto found = std::find_if(ports_[node].begin(), ports_[node].end(),
        [&](const Fabric::Port& port) { return port.peer == peer; });
    return static_cast<unsigned>(found - ports_[node].begin());
}

void CostGraphMaker::latencies_of(const std::vector<std::uint32_t>& nodes, Time first, bool first_passes,
    CostPath& path) const
{
    Time before = first;
    for (std::size_t i = 0; i + 1 < nodes.size() && i < path.stages.size(); ++i) {
        if (i > 0 || first_passes) before += system_.switch_of(nodes[i]).latency;
        path.stages[i].before_ps = before;
        const LinkSpec& spec = system_.link(*system_.graph().find_edge(nodes[i], nodes[i + 1]));
        before = wire_time(spec, LineOp::write, line_bytes, LineClass::request) + spec.latency;
    }
}

std::uint32_t CostGraphMaker::link(std::uint32_t edge, bool forward)
{
    const auto found = numbers_.find(edge);
    if (found != numbers_.end()) return found->second + (forward ? 0 : 1);
    const auto number = static_cast<std::uint32_t>(graph_.links.size());
    numbers_.emplace(edge, number);
    const std::string& a = plan_.fabric.nodes[plan_.fabric.edges[edge].a].name;
    const std::string& b = plan_.fabric.nodes[plan_.fabric.edges[edge].b].name;
    for (const bool there : {true, false}) {
        CostLink out = link_cost_of(system_, edge, by_card_, split_.share(edge, there));
        const NodeId near = there ? plan_.fabric.edges[edge].a : plan_.fabric.edges[edge].b;
        if (system_.role(near) == NodeRole::forwarder || plan_.used.transit[near])
            out.answer_dwell_ps = static_cast<double>(system_.switch_of(near).latency);
        out.card = by_card_ && system_.role(near) == NodeRole::forwarder && out.packet_payload > 0 &&
            system_.switch_of(near).message > 0;
        if (out.card) out.message_interval_ps = static_cast<double>(system_.switch_of(near).message_interval);
        out.name = there ? a + " -> " + b : b + " -> " + a;
        out.from = static_cast<std::int32_t>(near);
        out.to = static_cast<std::int32_t>(there ? plan_.fabric.edges[edge].b : plan_.fabric.edges[edge].a);
        out.reverse = static_cast<std::int32_t>(number + (there ? 1 : 0));
        graph_.links.push_back(std::move(out));
    }
    return number + (forward ? 0 : 1);
}

}  // namespace weft
