#include "platform/assembly/fabric_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/diagnostic.h"
#include "platform/assembly/clocked_times.h"
#include "platform/assembly/narrow_paths.h"
#include "platform/assembly/unused_values.h"
#include "platform/configuration/parameters/glob.h"
#include "tlm_interconnect/protocol/line.h"

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
    for (std::uint32_t rank = 0; rank < members.size(); ++rank)
        fabric.nodes[members[rank]].endpoint = static_cast<int>(rank);
    for (EdgeId id = 0; id < graph.edge_count(); ++id)
        fabric.edges.push_back(
            {graph.edge(id).a, graph.edge(id).b, system.has_bandwidth(id) ? system.link(id).bandwidth : 0});
    return fabric;
}

// Policies for a regular structure look at the nodes that make it up: accelerators where these pass lines on, else
// switches where there are any. Hosts and adapters beside them would hide it.
void keep_structure(const ResolvedSystem& system, bool transit, Fabric& fabric)
{
    const RoutePolicy policy = system.routing().policy;
    if (policy == RoutePolicy::minimal || policy == RoutePolicy::up_down) return;
    const std::string type = transit ? "xpu" : "switch";
    const auto belongs = [&](NodeId id) { return system.graph().type(id) == type; };
    bool any = false;
    for (NodeId id = 0; id < fabric.nodes.size(); ++id) any = any || belongs(id);
    for (NodeId id = 0; any && id < fabric.nodes.size(); ++id)
        fabric.nodes[id].forwards = fabric.nodes[id].forwards && belongs(id);
}

// "routing.policy=up_down"
std::string policy_text(const RoutingSpec& spec)
{
    const auto* const policy = RoutingSpec::parameters().find("policy");
    return "routing.policy=" + format_value(policy->info, policy->get(spec));
}

// Where somebody has set the policy, or with `shape` the sizes or groups that it goes by; null: nowhere.
const ValueSource* routing_place(const ResolvedSystem& system, bool shape)
{
    const BlockInfo& info = info_of(block_of<RoutingSpec>());
    const Variant& values = system.values(block_of<RoutingSpec>(), system.system_variant(block_of<RoutingSpec>()));
    const bool grid = system.routing().policy == RoutePolicy::dimension_order;
    std::vector<const char*> names{"policy"};
    if (shape) names = grid ? std::vector{"size_x", "size_y", "size_z", "policy"} : std::vector{"group", "policy"};
    for (const char* name : names)
        if (const ValueSource& source = system.source(values.sources[*info.find(name)]); !source.file.empty())
            return &source;
    return nullptr;
}

RouteRules route_rules(const ResolvedSystem& system, const Fabric& fabric)
{
    const RoutingSpec& spec = system.routing();
    RouteRules rules;
    rules.policy = spec.policy;
    for (const std::uint64_t size : {spec.size_x, spec.size_y, spec.size_z}) {
        if (size == 0) break;
        rules.sizes.push_back(static_cast<std::uint32_t>(size));
    }
    rules.seed = system.seed;
    if (rules.policy != RoutePolicy::dragonfly_minimal && rules.policy != RoutePolicy::dragonfly_valiant) return rules;
    // The instance of "pod.3.router.0" is "pod.3".
    std::map<std::string, std::uint32_t> instances;
    std::uint32_t routers = 0;
    for (const FabricNode& node : fabric.nodes) {
        std::uint32_t group = 0;
        if (node.forwards && spec.group > 0) {
            group = routers++ / static_cast<std::uint32_t>(spec.group);
        } else if (node.forwards) {
            std::string instance = node.name.substr(0, node.name.rfind('.'));
            instance.resize(std::min(instance.size(), instance.rfind('.')));
            group = instances.emplace(instance, static_cast<std::uint32_t>(instances.size())).first->second;
        }
        rules.groups.push_back(group);
    }
    return rules;
}

// "3 link buffers wait for each other: a -> b, b -> c, c -> a, and again the first"; empty without a cycle.
std::string cycle_text(const std::vector<std::string>& cycle)
{
    if (cycle.empty()) return {};
    std::string text = std::to_string(cycle.size()) + " link buffers wait for each other: ";
    for (std::size_t i = 0; i < cycle.size(); ++i) text += (i == 0 ? "" : ", ") + cycle[i];
    return text + ", and again the first";
}

void check_vc_sets(const ResolvedSystem& system, const Fabric& fabric, const Routing& routing,
    const std::vector<bool>& used)
{
    for (EdgeId edge = 0; edge < fabric.edges.size(); ++edge) {
        const bool between_forwarders =
            fabric.nodes[fabric.edges[edge].a].forwards && fabric.nodes[fabric.edges[edge].b].forwards;
        if (!used[edge] || !between_forwarders || system.link(edge).vc_sets >= routing.vc_sets()) continue;
        const auto there = static_cast<unsigned>(system.link(edge).vc_sets);
        const std::string cycle = cycle_text(routing.dependency_cycle(there));
        throw InputError(system.infrastructure, 0,
            policy_text(system.routing()) + " needs " + std::to_string(routing.vc_sets()) + " VC sets, but " +
                edge_name(system.graph(), edge) + " has " + std::to_string(there) +
                (cycle.empty() ? "" : "; with these, " + cycle),
            "link.vc_sets=" + std::to_string(routing.vc_sets()) + " or more");
    }
}

// What the modules can be built for. A line notes the port it came in by at up to 32 modules, and 4096
// inputs of a module can be told apart.
constexpr std::uint64_t most_tables = std::uint64_t{1} << 25;  // nodes x ranks
constexpr std::uint64_t most_ports = 4095;                     // one more is the own GPU's in a torus
constexpr std::uint32_t most_hops = Line::max_depth;
constexpr std::uint64_t most_components = (std::uint64_t{1} << 20) - 1024;

void check_size(const ResolvedSystem& system, const std::vector<NodeId>& members)
{
    const std::uint64_t nodes = system.graph().node_count();
    if (nodes * members.size() > most_tables)
        throw InputError(system.infrastructure, 0,
            "routes from " + std::to_string(nodes) + " nodes to " + std::to_string(members.size()) + " ranks",
            "at most " + std::to_string(most_tables / nodes) + " ranks on a document of this size");
    std::uint64_t components = nodes;
    for (const NodeId node : members) components += system.l2(node).slices + 4;
    if (components > most_components)
        throw InputError(system.infrastructure, 0, std::to_string(members.size()) + " ranks with their cache slices",
            "at most " + std::to_string(most_components) + " modules on the paths of transactions");
}

// Modules that note a port: every forwarding node, and the GPU where the line ends.
void check_paths(const ResolvedSystem& system, const Fabric& fabric, const Routing& routing, bool transit)
{
    if (routing.phases() > 1) return;  // five links between routers at most
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    std::vector<std::uint32_t> hops(fabric.nodes.size());
    for (std::uint32_t to = 0; to < fabric.endpoints; ++to) {
        hops.assign(fabric.nodes.size(), 0);
        for (std::uint32_t from = 0; from < fabric.endpoints; ++from) {
            std::vector<std::uint32_t> walked;
            std::uint32_t node = routing.node_of(from);
            while (node != routing.node_of(to) && hops[node] == 0) {
                walked.push_back(node);
                node = ports[node][routing.ports_to(node, to).front()].peer;
            }
            std::uint32_t count = hops[node];
            for (auto passed = walked.rbegin(); passed != walked.rend(); ++passed) hops[*passed] = ++count;
            if (hops[routing.node_of(from)] + (transit ? 2 : 0) > most_hops)
                throw InputError(system.infrastructure, 0,
                    "the path from " + fabric.nodes[routing.node_of(from)].name + " to " +
                        fabric.nodes[routing.node_of(to)].name + " has " + std::to_string(hops[routing.node_of(from)]) +
                        " links",
                    "at most " + std::to_string(most_hops - (transit ? 2 : 0)));
        }
    }
}

void check_ports(const ResolvedSystem& system, const Fabric& fabric, const std::vector<bool>& used)
{
    std::vector<std::uint32_t> ports(fabric.nodes.size(), 0);
    for (EdgeId edge = 0; edge < fabric.edges.size(); ++edge) {
        if (!used.empty() && !used[edge]) continue;
        for (const std::uint32_t node : {fabric.edges[edge].a, fabric.edges[edge].b})
            if (++ports[node] > (used.empty() ? 65535 : most_ports))
                throw InputError(system.infrastructure, 0,
                    "more than " + std::to_string(ports[node] - 1) + " links at " + fabric.nodes[node].name,
                    used.empty() ? "at most 65535" : "at most " + std::to_string(most_ports) + ", or --fidelity flow");
    }
}

// Endpoints without a route between them, as "a and b"; empty when all reach each other.
std::string separated(const Routing& routing, const Fabric& fabric)
{
    for (std::uint32_t from = 0; from < fabric.endpoints; ++from)
        for (std::uint32_t to = 0; to < fabric.endpoints; ++to)
            if (!routing.reachable(from, to))
                return fabric.nodes[routing.node_of(from)].name + " and " + fabric.nodes[routing.node_of(to)].name;
    return {};
}

void check_count(const ResolvedSystem& system, std::size_t members)
{
    if (members > 65535)
        throw InputError(system.infrastructure, 0, std::to_string(members) + " ranks", "at most 65535");
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
            NumberedGlob glob(pattern);
            for (const NodeId node : system.endpoints())
                if (glob.matches(system.graph().node(node).name) && taken.insert(node).second) members.push_back(node);
            const std::string missing = members.size() == before ? pattern : glob.missing();
            if (!missing.empty())
                throw InputError(system.file, workload.line_of("ranks"),
                    "'" + missing + "' matches no further xpu node", "a pattern over the names of xpu nodes");
        }
    }
    const std::uint64_t count = wanted > 0 ? wanted : workload.rank_count;
    if (members.empty())
        throw InputError(system.infrastructure, 0, "the document has no xpu node", "endpoints to run something on");
    if (count > members.size())
        throw InputError(workload.file_of("ranks", system.file), workload.line_of("ranks"),
            "the workload has " + std::to_string(count) + " ranks, but the system has " +
                std::to_string(members.size()) + " xpu nodes for them",
            "at most as many ranks as xpu nodes");
    if (count > 0) members.resize(count);
    check_count(system, members.size());
    return members;
}

void add_replay_gpus(const ResolvedSystem& system, std::vector<NodeId>& members)
{
    const std::set<NodeId> there(members.begin(), members.end());
    for (const NodeId node : system.endpoints())
        if (system.model(node) == "replay" && there.count(node) == 0) members.push_back(node);
    check_count(system, members.size());
}

void add_memories(const ResolvedSystem& system, std::vector<NodeId>& members)
{
    const bool remote = system.engine().memory_nodes == MemoryNodes::remote;
    if (!remote || system.workload.kind != Workload::Kind::trace) return;
    if (system.memories().empty())
        throw InputError(system.infrastructure, 0,
            "engine.memory_nodes=remote, but the document has no memory with a link",
            "a component of type memory that an edge joins to the fabric");
    members.insert(members.end(), system.memories().begin(), system.memories().end());
    check_count(system, members.size());
}

Routing policy_routing(const ResolvedSystem& system, const Fabric& fabric)
{
    try {
        return Routing(fabric, route_rules(system, fabric));
    } catch (const RouteMismatch& mismatch) {
        const std::string what = mismatch.what();
        const ValueSource* place = routing_place(system, what.compare(0, 6, "not a ") == 0);
        throw InputError(place == nullptr ? system.infrastructure : place->file, place == nullptr ? 0 : place->line,
            policy_text(system.routing()) + ": " + what, "a fabric that the policy fits, or another policy");
    }
}

FabricPlan plan_fabric(const ResolvedSystem& system, std::vector<NodeId> members, RouteUse use)
{
    check_size(system, members);
    Fabric fabric = fabric_of(system, members, false);
    check_ports(system, fabric, {});
    std::vector<std::string> notices;
    // Whether endpoints have to pass lines on does not depend on the policy.
    Routing routing(fabric);
    const bool transit = !separated(routing, fabric).empty();
    if (transit) {
        fabric = fabric_of(system, members, true);
        notices.push_back("xpu nodes forward packets of other nodes: some pairs have no other path");
    }
    if (system.routing().policy == RoutePolicy::minimal)
        if (std::string notice = narrow_paths_notice(system, fabric); !notice.empty())
            notices.push_back(std::move(notice));
    keep_structure(system, transit, fabric);
    if (transit || system.routing().policy != RoutePolicy::minimal) routing = policy_routing(system, fabric);
    const std::string pair = separated(routing, fabric);
    if (!pair.empty()) throw InputError(system.infrastructure, 0, "no path between " + pair, "a connected fabric");

    UsedParts used;
    used.nodes = routing.used_nodes();
    used.edges = routing.used_edges();
    used.transit.assign(fabric.nodes.size(), false);
    if (use == RouteUse::transactions) {
        check_ports(system, fabric, used.edges);
        check_paths(system, fabric, routing, transit);
    }
    system.require_links(used.edges);
    check_vc_sets(system, fabric, routing, used.edges);

    if (system.routing().cycles == CyclePolicy::refuse) {
        const std::string cycle = cycle_text(routing.dependency_cycle());
        if (!cycle.empty())
            throw InputError(system.infrastructure, 0, "the routes can deadlock: " + cycle,
                "routes without a cycle of waiting buffers (or routing.cycles=allow)");
    } else if (use == RouteUse::transfers && !routing.dependency_cycle().empty()) {
        notices.emplace_back("the routes have a cycle of waiting buffers, at which a run by lines can deadlock: flow "
                             "fidelity lets transfers through, so this run does not end there");
    }
    FabricPlan plan{std::move(members), std::move(fabric), std::move(routing), std::move(used), std::move(notices)};
    if (transit)
        for (const NodeId member : plan.members)
            if (system.role(member) == NodeRole::endpoint) plan.used.transit[member] = true;
    if (transit)
        for (NodeId id = 0; id < plan.fabric.nodes.size(); ++id)
            if (plan.used.nodes[id] && system.role(id) == NodeRole::endpoint) plan.used.transit[id] = true;
    if (use == RouteUse::transactions) require_clocked_links(system, plan);
    for (std::string& notice : unused_value_notices(system, plan)) plan.notices.push_back(std::move(notice));
    for (std::string& notice : clocked_time_notices(system, plan)) plan.notices.push_back(std::move(notice));
    return plan;
}

bool is_card(const ResolvedSystem& system, NodeId node)
{
    return system.switch_of(node).message > 0 && system.model(node) != "crossbar";
}

bool has_cards(const ResolvedSystem& system, const FabricPlan& plan)
{
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node) {
        const bool forwards = plan.used.transit[node] || plan.fabric.nodes[node].endpoint < 0;
        if (plan.used.nodes[node] && forwards && is_card(system, node)) return true;
    }
    return false;
}

}  // namespace weft
