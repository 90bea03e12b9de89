#include <algorithm>

#include "platform/console/messages.h"
#include "platform/commands/texts/route_text.h"
#include "platform/commands/options/system_options.h"
#include "platform/workload/run_workload.h"

namespace weft {

namespace {

NodeId node_named(const Graph& graph, const std::string& option, const std::string& name)
{
    if (const auto node = graph.find(name)) return *node;
    std::vector<std::string> known;
    for (NodeId id = 0; id < graph.node_count(); ++id) known.push_back(graph.node(id).name);
    throw usage_error("unknown node " + quoted_word(name) + " of '" + option + "'",
        with_nearest("a node that 'weft graph' lists", name, known));
}

// The simulation plans for accelerators only; this is the same rule for any two nodes. Policies that need
// endpoints on forwarding nodes refuse what hangs elsewhere.
FabricPlan plan_between(const ResolvedSystem& system, NodeId from, NodeId to)
{
    const Graph& graph = system.graph();
    Fabric fabric;
    fabric.endpoints = 2;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        const int endpoint = id == from ? 0 : id == to ? 1 : -1;
        fabric.nodes.push_back({graph.node(id).name, endpoint, system.role(id) == NodeRole::forwarder});
    }
    for (EdgeId id = 0; id < graph.edge_count(); ++id)
        fabric.edges.push_back({graph.edge(id).a, graph.edge(id).b,
            system.has_bandwidth(id) ? system.link(id).bandwidth : std::uint64_t{0}});
    Routing routing = policy_routing(system, fabric);
    if (!routing.reachable(0, 1))
        throw InputError(system.infrastructure, 0,
            "no path between " + graph.node(from).name + " and " + graph.node(to).name, "a connected fabric");
    return {{from, to}, std::move(fabric), std::move(routing), {}, {}};
}

// Whether the run of this system sends to its memories.
bool uses_memories(const ResolvedSystem& system)
{
    return system.engine().memory_nodes == MemoryNodes::remote && system.workload.kind == Workload::Kind::trace;
}

// Whether packets of the run can start and end at the node.
bool is_endpoint(const ResolvedSystem& system, NodeId node)
{
    return system.role(node) == NodeRole::endpoint || (system.role(node) == NodeRole::memory && uses_memories(system));
}

// In the order of their numbers in the run. Those of memories follow the ranks of the trace.
std::vector<NodeId> members_of_run(const ResolvedSystem& system, bool with_memories)
{
    if (!with_memories) return members_of(system);
    std::vector<NodeId> members = members_of(system, RunWorkload(system).wanted());
    add_replay_gpus(system, members);
    add_memories(system, members);
    return members;
}

// The plan of the simulation where that is possible and small; else one for the two nodes alone, which
// takes the same way wherever accelerators do not pass lines on.
FabricPlan plan_for(const ResolvedSystem& system, NodeId from, NodeId to, bool with_memories)
{
    if (!is_endpoint(system, from) || !is_endpoint(system, to)) return plan_between(system, from, to);
    constexpr std::size_t most = 256;
    const auto contains = [](const std::vector<NodeId>& nodes, NodeId node) {
        for (const NodeId candidate : nodes)
            if (candidate == node) return true;
        return false;
    };
    try {
        std::vector<NodeId> members = members_of_run(system, with_memories);
        if (members.size() <= most && contains(members, from) && contains(members, to))
            return plan_fabric(system, std::move(members));
    } catch (const InputError& error) {
        FabricPlan plan = plan_fabric(system, {from, to});
        for (const Diagnostic& problem : error.diagnostics())
            plan.notices.push_back("weft run refuses the whole system: " + problem.text());
        return plan;
    }
    return plan_fabric(system, {from, to});
}

// Ranks are those of the simulation where both nodes have one.
RouteQuestion asked(const ResolvedSystem& system, const FabricPlan& plan, NodeId from, NodeId to, bool with_memories)
{
    RouteQuestion question;
    question.from = from;
    question.to = to;
    std::vector<NodeId> members = plan.members;
    try {
        members = members_of_run(system, with_memories);
    } catch (const InputError&) {
        // The plan has said so.
    }
    const auto rank = [&](NodeId node) { return std::find(members.begin(), members.end(), node) - members.begin(); };
    if (rank(from) == static_cast<long>(members.size()) || rank(to) == static_cast<long>(members.size()))
        members = plan.members;
    question.source = static_cast<std::uint32_t>(rank(from));
    question.destination = static_cast<std::uint32_t>(rank(to));
    return question;
}

}  // namespace

int route_command(const Arguments& arguments)
{
    CommandLine line("route",
        "Shows the path of packets from one node to another, hop by hop, with bandwidth and latency, and the number of "
        "equal paths. At each node it shows the path selection: the path hash, the equal ports, and the discarded "
        "ports with the reason. The routes are those of the simulation and follow routing.policy: by default the "
        "fewest hops, then the largest bandwidth of the narrowest link. routing.path_selection selects one "
        "of the equal paths.\n");
    SystemOptions options;
    std::string from;
    std::string to;
    std::string number;
    options.add_file(line, "FILE");
    line.value("--from", "NODE", from, "the full name of a node, such as dgx.0.xpu.0");
    line.value("--to", "NODE", to, "likewise");
    line.value("--line", "N", number,
        "show the path of line N (64 B each) of the destination's memory, or with routing.path_selection=round_robin "
        "of "
        "the "
        "N-th packet sent there; default 0");
    options.add_reading(line);
    options.add_parameters(line);
    if (!line.parse(arguments)) return exit_good;
    if (from.empty() || to.empty())
        throw usage_error(from.empty() ? "--from is missing" : "--to is missing", "--from NODE --to NODE");

    const SystemDescription description = options.description();
    const ResolvedSystem system = resolve_loaded(description, options.load(description), options.registry());
    const NodeId source = node_named(system.graph(), "--from", from);
    const NodeId destination = node_named(system.graph(), "--to", to);
    if (source == destination) throw usage_error("'--from' and '--to' are the same node", "two nodes");
    const bool with_memories = uses_memories(system) &&
        (system.role(source) == NodeRole::memory || system.role(destination) == NodeRole::memory);
    const FabricPlan plan = plan_for(system, source, destination, with_memories);
    std::vector<std::string> notices = system.notices;
    notices.insert(notices.end(), plan.notices.begin(), plan.notices.end());
    for (const NodeId node : {source, destination}) {
        const std::string& name = system.graph().node(node).name;
        if (system.role(node) == NodeRole::memory && !uses_memories(system))
            notices.push_back(name +
                " is a memory, which only traces with engine.memory_nodes=remote use: no packet of this system's run "
                "starts or ends there");
        else if (!is_endpoint(system, node))
            notices.push_back(name + " is not an xpu: no simulated packet starts or ends there");
    }
    RouteQuestion question = asked(system, plan, source, destination, with_memories);
    if (!number.empty()) question.line = number_option("--line", number, 0, 0xffffffffU);
    print(route_text(system, plan, question));
    print_notices(notices);
    return exit_good;
}

}  // namespace weft
