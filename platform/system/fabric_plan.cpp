#include "platform/system/fabric_plan.h"

#include <algorithm>
#include <set>

#include "base/diagnostic.h"
#include "platform/config/glob.h"

namespace weft {

namespace {

Fabric fabric_of(const ResolvedSystem& system, const std::vector<NodeId>& members, bool transit)
{
    const Graph& graph = system.graph();
    Fabric fabric;
    fabric.endpoints = static_cast<std::uint32_t>(members.size());
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        FabricNode node;
        node.name = graph.node(id).name;
        node.forwards = system.role(id) == NodeRole::forwarder || (transit && system.role(id) == NodeRole::endpoint);
        fabric.nodes.push_back(std::move(node));
    }
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) fabric.nodes[members[rank]].endpoint = static_cast<int>(rank);
    for (EdgeId id = 0; id < graph.edge_count(); ++id)
        fabric.edges.push_back({graph.edge(id).a, graph.edge(id).b, system.has_bandwidth(id) ? system.link(id).bandwidth : 0});
    return fabric;
}

// Endpoints without a way between them, as "a and b"; empty when all reach each other.
std::string separated(const Routing& routing, const Fabric& fabric)
{
    for (std::uint32_t from = 0; from < fabric.endpoints; ++from)
        for (std::uint32_t to = 0; to < fabric.endpoints; ++to)
            if (!routing.reachable(from, to))
                return fabric.nodes[routing.node_of(from)].name + " and " + fabric.nodes[routing.node_of(to)].name;
    return {};
}

}  // namespace

std::vector<NodeId> members_of(const ResolvedSystem& system, std::uint64_t wanted)
{
    const Workload& workload = system.workload;
    std::vector<NodeId> members;
    if (workload.rank_nodes.empty()) {
        members = system.endpoints();
    } else {
        std::set<NodeId> taken;
        for (const std::string& pattern : workload.rank_nodes) {
            const std::size_t before = members.size();
            for (const NodeId node : system.endpoints())
                if (glob_matches(pattern, system.graph().node(node).name) && taken.insert(node).second)
                    members.push_back(node);
            if (members.size() == before)
                throw InputError(system.file, workload.line, "'" + pattern + "' names no further xpu node",
                    "a pattern over the names of xpu nodes");
        }
    }
    const std::uint64_t count = wanted > 0 ? wanted : workload.rank_count;
    if (members.empty())
        throw InputError(system.infrastructure, 0, "the document has no xpu node", "endpoints to run something on");
    if (count > members.size())
        throw InputError(system.infrastructure, 0,
            "the workload has " + std::to_string(count) + " ranks, the system " + std::to_string(members.size()) +
                " xpu nodes for them",
            "at most as many ranks as xpu nodes");
    if (count > 0) members.resize(count);
    if (members.size() > 65535)
        throw InputError(system.infrastructure, 0, std::to_string(members.size()) + " ranks", "at most 65535");
    return members;
}

FabricPlan plan_fabric(const ResolvedSystem& system, std::vector<NodeId> members)
{
    Fabric fabric = fabric_of(system, members, false);
    Routing routing(fabric);
    std::vector<std::string> notices;
    bool transit = false;
    if (!separated(routing, fabric).empty()) {
        fabric = fabric_of(system, members, true);
        routing = Routing(fabric);
        transit = true;
        const std::string pair = separated(routing, fabric);
        if (!pair.empty())
            throw InputError(system.infrastructure, 0, "no path between " + pair, "a connected fabric");
        notices.push_back("xpu nodes pass lines of others on: some pairs have no other path");
    }

    UsedParts used;
    used.nodes = routing.used_nodes();
    used.edges = routing.used_edges();
    used.transit.assign(fabric.nodes.size(), false);
    system.require_links(used.edges);

    if (static_cast<CyclePolicy>(system.routing().cycles) == CyclePolicy::refuse) {
        const std::vector<std::string> cycle = routing.dependency_cycle();
        if (!cycle.empty()) {
            std::string text = "the routes can deadlock: " + std::to_string(cycle.size()) +
                               " link buffers wait for each other: ";
            for (std::size_t i = 0; i < cycle.size(); ++i) text += (i == 0 ? "" : ", ") + cycle[i];
            throw InputError(system.infrastructure, 0, text + ", and again the first",
                "routes without a cycle of waiting buffers (or routing.cycles=allow)");
        }
    }
    FabricPlan plan{std::move(members), std::move(fabric), std::move(routing), std::move(used), std::move(notices)};
    if (transit)
        for (std::uint32_t rank = 0; rank < plan.members.size(); ++rank) plan.used.transit[plan.members[rank]] = true;
    if (transit)
        for (NodeId id = 0; id < plan.fabric.nodes.size(); ++id)
            if (plan.used.nodes[id] && system.role(id) == NodeRole::endpoint) plan.used.transit[id] = true;
    return plan;
}

}  // namespace weft
