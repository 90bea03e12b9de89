#include "platform/choice/cost_graph_of.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "platform/choice/latencies.h"
#include "platform/choice/link_shares.h"
#include "platform/choice/split_links.h"
#include "sc_models/memory/hbm_timing.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

class Maker {
public:
    Maker(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& endpoints,
        CostGraph& graph)
        : system_(system), plan_(plan), ports_(plan.fabric.ports()), endpoints_(endpoints), graph_(graph),
          by_card_(has_cards(system, plan)), split_(system, plan, endpoints), takes_part_(plan.members.size())
    {
        for (const std::uint32_t endpoint : endpoints) takes_part_[endpoint] = true;
    }

    CostPath path(std::uint32_t from_rank, std::uint32_t to_rank)
    {
        const std::uint32_t from = endpoints_[from_rank];
        const std::uint32_t to = endpoints_[to_rank];
        const NodeId sender = plan_.members[from];
        const NodeId home = plan_.members[to];
        const GpuSpec& gpu = system_.gpu(sender);
        CostPath path;
        path.neighbours = true;
        stages(from, to, path);
        latencies(from, to, gpu.unit_to_port, path);
        path.put_ps = gpu.unit_to_port +
            path_time(system_, plan_, from, to, LineOp::write, line_bytes, LineClass::request) +
            system_.gpu(home).port_to_l2 + home_time(system_, home);
        path.answer_ps = system_.gpu(home).l2_to_port +
            path_time(system_, plan_, to, from, LineOp::write, line_bytes, LineClass::response) + gpu.port_to_unit;
        return path;
    }

    // The same links, from the last one on.
    CostPath back_of(const CostPath& path) const
    {
        CostPath back = path;
        std::reverse(back.stages.begin(), back.stages.end());
        std::uint64_t before = 0;
        for (PathStage& stage : back.stages) {
            std::swap(before, stage.before_ps);
            for (LinkShare& share : stage.links)
                if (graph_.links[share.link].reverse >= 0)
                    share.link = static_cast<std::uint32_t>(graph_.links[share.link].reverse);
        }
        return back;
    }

    PartialPath path_to(std::uint32_t from_rank, std::uint32_t to_rank, const std::vector<bool>& apart)
    {
        const std::uint32_t from = endpoints_[from_rank];
        const std::uint32_t to = endpoints_[to_rank];
        const NodeId sender = plan_.members[from];
        const GpuSpec& gpu = system_.gpu(sender);
        PartialPath out;
        out.path.neighbours = true;
        walk(plan_.routing.node_of(from), from, to, out.path, &apart, &out.exits);
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
        out.path.answer_ps =
            path_time(system_, back, LineOp::write, line_bytes, LineClass::response) + gpu.port_to_unit;
        finish(out);
        return out;
    }

    PartialPath path_from(NodeId before, NodeId node, std::uint32_t to_rank, const std::vector<bool>& apart)
    {
        const std::uint32_t to = endpoints_[to_rank];
        const NodeId home = plan_.members[to];
        const GpuSpec& gpu = system_.gpu(home);
        const bool ends = !apart[home];
        PartialPath out;
        out.path.neighbours = true;
        walk(node, none_, to, out.path, &apart, &out.exits);
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

    // Switches of the model that has groups, and the links of ranks that see them; `tiers`: also switches above these.
    void attach(std::uint32_t rank, bool tiers)
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

private:
    bool combines(NodeId node) const
    {
        return plan_.used.nodes[node] && !plan_.used.transit[node] && system_.role(node) == NodeRole::forwarder &&
            system_.model(node) == "switch" && system_.switch_of(node).multicast_groups > 0;
    }

    // The switches above a leaf: once, and all its members with them.
    void attach_above(NodeId leaf, NodeId member, std::uint32_t edge)
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

    static Time answer_time(const LinkSpec& wire)
    {
        return wire_time(wire, LineOp::write, line_bytes, LineClass::response) + wire.latency;
    }

    // `beyond`: to a leaf and back, where `edge` is below that.
    std::uint32_t switch_at(NodeId node, NodeId member, std::uint32_t edge, Time beyond = 0)
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
            // What is pushed holds one from its first contribution to the last.
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

    // A path without links has one that costs nothing.
    void finish(PartialPath& out)
    {
        if (out.path.stages.empty()) {
            if (nothing_ < 0) {
                nothing_ = static_cast<std::int64_t>(graph_.links.size());
                graph_.links.emplace_back();
            }
            out.path.stages.push_back({0, {{static_cast<std::uint32_t>(nothing_), 1.0}}});
        }
        out.back = back_of(out.path);
    }

    void stages(std::uint32_t from, std::uint32_t to, CostPath& path)
    {
        walk(plan_.routing.node_of(from), from, to, path, nullptr, nullptr);
    }

    // Equal routes spread lines evenly at every node, or one of them has all lines of the pair, by what selects among them. Links to
    // nodes that are `apart` are exits; a path with such nodes is known in part only, so it spreads.
    void walk(NodeId first, std::uint32_t from, std::uint32_t to, CostPath& path, const std::vector<bool>* apart,
        std::vector<PartialPath::Exit>* exits)
    {
        const PathSelection selection = selection_of(system_.routing());
        const bool one_path = !spreads(selection) && apart == nullptr;
        std::uint32_t hash = hash_of_pair(selection, from, to);
        std::map<std::pair<std::uint32_t, unsigned>, double> here{{{first, 0}, 1.0}};
        while (!here.empty()) {
            std::map<std::pair<std::uint32_t, unsigned>, double> next;
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
                        exits->push_back({node, exit.edge, part, set});
                        continue;
                    }
                    links[{link(exit.edge, plan_.fabric.edges[exit.edge].a == node), set}] += part;
                    const unsigned then = plan_.routing.phase_after(node, choice[i], set);
                    next[{exit.peer, then}] += part;
                }
            }
            if (links.empty()) break;
            path.stages.emplace_back();
            for (const auto& [place, share] : links)
                path.stages.back().links.push_back({place.first, share, place.second});
            here = std::move(next);
        }
    }

    void latencies(std::uint32_t from, std::uint32_t to, Time first, CostPath& path) const
    {
        const std::vector<std::uint32_t> nodes = slowest_path(system_, plan_, from, to);
        latencies_of(nodes, first, plan_.used.transit[nodes.front()], path);
    }

    void latencies_of(const std::vector<std::uint32_t>& nodes, Time first, bool first_passes, CostPath& path) const
    {
        Time before = first;
        for (std::size_t i = 0; i + 1 < nodes.size() && i < path.stages.size(); ++i) {
            if (i > 0 || first_passes) before += system_.switch_of(nodes[i]).latency;
            path.stages[i].before_ps = before;
            const LinkSpec& spec = system_.link(*system_.graph().find_edge(nodes[i], nodes[i + 1]));
            before = wire_time(spec, LineOp::write, line_bytes, LineClass::request) + spec.latency;
        }
    }

    std::uint32_t link(std::uint32_t edge, bool forward)
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

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
    const std::vector<std::uint32_t>& endpoints_;
    CostGraph& graph_;
    bool by_card_;
    SplitLinks split_;
    std::vector<bool> takes_part_;                    // by endpoint
    std::map<std::uint32_t, std::uint32_t> numbers_;  // of an edge's first direction
    std::map<NodeId, std::uint32_t> switches_;
    std::map<std::uint32_t, std::pair<Time, Time>> ways_;  // to each of them, of the nearest and the farthest member
    std::set<NodeId> tiered_;                              // leaves whose switches above are known
    std::int64_t nothing_ = -1;                            // the link of paths without links
    static constexpr std::uint32_t none_ = ~std::uint32_t{0};
};

}  // namespace

void require_priceable(const ResolvedSystem& system, std::size_t ranks)
{
    if (ranks > most_ranks_priced)
        throw InputError(system.file, system.workload.line,
            fmt::format("{} plays all transfers of every algorithm on the paths of all pairs of ranks, for up to {} "
                        "ranks, and this run has {}",
                system.workload.algorithm.empty() ? "auto" : system.workload.algorithm, most_ranks_priced, ranks),
            fmt::format("an algorithm by its name; with --ranks {} auto says which it takes there", most_ranks_priced));
}

struct CostPaths::Parts {
    const ResolvedSystem& system;
    const FabricPlan& plan;
    bool has_switches = false;

    Parts(const ResolvedSystem& system, const FabricPlan& plan, std::vector<std::uint32_t> of)
        : system(system), plan(plan), endpoints(std::move(of)), maker(system, plan, endpoints, graph)
    {
    }

    std::vector<std::uint32_t> endpoints;
    CostGraph graph;
    Maker maker;
};

CostPaths::CostPaths(const ResolvedSystem& system, const FabricPlan& plan, std::vector<std::uint32_t> endpoints)
    : parts_(std::make_unique<Parts>(system, plan, std::move(endpoints)))
{
}

CostPaths::~CostPaths() = default;

CostPath CostPaths::path(std::uint32_t from, std::uint32_t to) { return parts_->maker.path(from, to); }

PartialPath CostPaths::path_to(std::uint32_t from, std::uint32_t to, const std::vector<bool>& apart)
{
    return parts_->maker.path_to(from, to, apart);
}

PartialPath CostPaths::path_from(NodeId before, NodeId node, std::uint32_t to, const std::vector<bool>& apart)
{
    return parts_->maker.path_from(before, node, to, apart);
}

const std::vector<CostLink>& CostPaths::links() const { return parts_->graph.links; }

const CostGraph& CostPaths::with_switches()
{
    Parts& parts = *parts_;
    if (parts.has_switches) return parts.graph;
    parts.has_switches = true;
    const auto ranks = static_cast<std::uint32_t>(parts.endpoints.size());
    std::vector<std::uint32_t> gpus;  // beside them there are memories
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (parts.system.role(parts.plan.members[parts.endpoints[rank]]) == NodeRole::endpoint) gpus.push_back(rank);
    require_priceable(parts.system, gpus.size());
    parts.graph.ranks.resize(ranks);
    parts.graph.paths.resize(std::size_t{ranks} * ranks);
    for (const std::uint32_t from : gpus)
        for (const std::uint32_t to : gpus)
            if (from != to) parts.graph.path(from, to) = parts.maker.path(from, to);
    for (const std::uint32_t rank : gpus) parts.maker.attach(rank, true);
    return parts.graph;
}

CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan,
    const std::vector<std::uint32_t>& endpoints)
{
    const auto ranks = static_cast<std::uint32_t>(endpoints.size());
    require_priceable(system, ranks);
    CostGraph graph;
    for (const std::uint32_t endpoint : endpoints) {
        graph.ranks.push_back(rank_cost_of(system, plan.members[endpoint]));
        graph.ranks.back().name = plan.fabric.nodes[plan.members[endpoint]].name;
    }
    graph.paths.resize(std::size_t{ranks} * ranks);
    Maker maker(system, plan, endpoints, graph);
    for (std::uint32_t from = 0; from < ranks; ++from)
        for (std::uint32_t to = 0; to < ranks; ++to)
            if (from != to) graph.path(from, to) = maker.path(from, to);
    if (!spreads(selection_of(system.routing()))) {
        graph.answers.resize(graph.paths.size());
        for (std::uint32_t from = 0; from < ranks; ++from)
            for (std::uint32_t to = 0; to < ranks; ++to)
                if (from != to) graph.answers[std::size_t{from} * ranks + to] = maker.back_of(graph.path(to, from));
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) maker.attach(rank, false);
    return graph;
}

CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks)
{
    std::vector<std::uint32_t> endpoints;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) endpoints.push_back(rank);
    return cost_graph_of(system, plan, endpoints);
}

}  // namespace weft
