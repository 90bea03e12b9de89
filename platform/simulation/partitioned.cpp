#include "platform/simulation/partitioned.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/parallel/process_transport.h"

namespace weft {

namespace {

[[noreturn]] void refuse(const std::string& file, int line, const std::string& what)
{
    throw InputError(file, line, "--partitions with " + what, "--partitions 1");
}

void check_options(const RunOptions& options)
{
    if (options.check_protocol) refuse("", 0, "--check-protocol");
}

void check_node(const ResolvedSystem& resolved, const FabricPlan& plan, NodeId node)
{
    const std::string& name = plan.fabric.nodes[node].name;
    const bool member = plan.fabric.nodes[node].endpoint >= 0;
    const std::string& model = resolved.model(node);
    if (member ? model != "gpu" && model != "replay"
               : !plan.used.transit[node] && model != "switch" && model != "crossbar")
        refuse(resolved.file, 0, "model " + model + " of " + name);
    if (member && !resolved.l2(node).ours())
        refuse(resolved.file, 0, "l2.model " + resolved.slice_model(node) + " of " + name);
    if (member && !resolved.hbm(node).ours())
        refuse(resolved.file, 0, "hbm.model " + resolved.memory_model(node) + " of " + name);
}

std::string why_uncut(const LinkSpec& link)
{
    if (link.pool_credits > 0) return "link.pool_credits, a pool that credits go back to when they are sent";
    if (link.retry != RetryKind::none) return "link.retry, whose packets refer to transactions at both ends";
    if (link.credit_bytes > 0) return "link.credit_bytes, messages that take the wire when they are sent";
    return {};
}

CutGraph graph_of(const ResolvedSystem& resolved, const FabricPlan& plan, const std::vector<NodeId>& nodes)
{
    CutGraph graph;
    std::vector<std::uint32_t> number(plan.fabric.nodes.size());
    for (const NodeId node : nodes) {
        const bool member = plan.fabric.nodes[node].endpoint >= 0;
        number[node] = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back({plan.fabric.nodes[node].name, member ? resolved.l2(node).slices : 0, member});
    }
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge]) continue;
        const std::string name = edge_name(resolved.graph(), edge);
        const LinkSpec& link = resolved.link(edge);
        if (resolved.link_model(edge) != "link")
            refuse(resolved.file, 0, "model " + resolved.link_model(edge) + " of " + name);
        const FabricEdge& ends = plan.fabric.edges[edge];
        std::string why = why_uncut(link);
        for (const NodeId end : {ends.a, ends.b})
            if (resolved.model(end) == "replay") why = "a replay GPU, which counts a response when it is sent to it";
        graph.edges.push_back({number[ends.a], number[ends.b], link.latency, link.bandwidth, std::move(why)});
        ++graph.nodes[number[ends.a]].weight;
        ++graph.nodes[number[ends.b]].weight;
    }
    return graph;
}

// Members in rank order, then others.
std::vector<NodeId> nodes_of(const FabricPlan& plan)
{
    std::vector<NodeId> nodes = plan.members;
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node)
        if (plan.used.nodes[node] && plan.fabric.nodes[node].endpoint < 0) nodes.push_back(node);
    return nodes;
}

}  // namespace

CutRun::CutRun(const ResolvedSystem& resolved, const FabricPlan& plan, const RunOptions& options)
{
    check_options(options);
    const std::vector<NodeId> nodes = nodes_of(plan);
    for (const NodeId node : nodes) check_node(resolved, plan, node);
    graph_ = graph_of(resolved, plan, nodes);
    partition_ = make_partition(graph_, options.partitions);

    division_.parts = options.partitions;
    division_.count = options.partitions;
    if (options.group == nullptr) {
        transport_ = std::make_unique<LocalTransport>(options.partitions);
    } else {
        share_parts(*options.group);
    }
    division_.transport = transport_.get();
    division_.part_of_node.assign(plan.fabric.nodes.size(), 0);
    division_.device_of_node.assign(plan.fabric.nodes.size(), 0);
    std::map<std::string, std::uint32_t> devices;
    for (const NodeId node : nodes) devices[plan.fabric.nodes[node].name] = 0;
    // A link that is timed acts by itself, at its place among the names.
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge)
        if (plan.used.edges[edge]) devices[edge_name(resolved.graph(), edge)] = 0;
    std::uint32_t next = 0;
    for (auto& [name, number] : devices) number = next++;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        division_.part_of_node[nodes[i]] = partition_.part[i];
        division_.device_of_node[nodes[i]] = devices[plan.fabric.nodes[nodes[i]].name];
    }
    // Components of a device are called as it or below it; what belongs to none comes last (the executor).
    division_.device_of = [devices](const std::string& path) {
        for (std::string name = path;; name.resize(name.rfind('.'))) {
            const auto found = devices.find(name);
            if (found != devices.end()) return found->second;
            if (name.find('.') == std::string::npos) return static_cast<std::uint32_t>(devices.size());
        }
    };
}

// Neighbouring parts go to the same process.
void CutRun::share_parts(ProcessGroup& group)
{
    const std::uint32_t parts = division_.parts;
    if (std::uint64_t{parts} * parts - 1 > group.processes().most_tag())
        throw InputError("", 0, fmt::format("--partitions {} over processes", parts),
            "fewer parts: MPI numbers messages up to " + std::to_string(group.processes().most_tag()));
    std::vector<std::uint32_t> process_of(parts);
    for (std::uint32_t process = 0; process < group.size(); ++process)
        for (std::uint32_t part = ProcessGroup::first_part(process, group.size(), parts);
             part < ProcessGroup::first_part(process + 1, group.size(), parts); ++part)
            process_of[part] = process;
    division_.first = ProcessGroup::first_part(group.rank(), group.size(), parts);
    division_.count = ProcessGroup::first_part(group.rank() + 1, group.size(), parts) - division_.first;
    std::set<std::pair<std::uint32_t, std::uint32_t>> cuts;
    for (const std::size_t edge : partition_.cut) {
        const std::uint32_t a = partition_.part[graph_.edges[edge].a];
        const std::uint32_t b = partition_.part[graph_.edges[edge].b];
        cuts.insert({a, b});
        cuts.insert({b, a});
    }
    transport_ = std::make_unique<ProcessTransport>(group.processes(), std::move(process_of),
        std::vector<std::pair<std::uint32_t, std::uint32_t>>(cuts.begin(), cuts.end()));
}

void CutRun::require_processes(const ResolvedSystem& resolved)
{
    const auto refuse_processes = [&](const std::string& what) {
        throw InputError(resolved.file, resolved.workload.line, "a run over processes with " + what,
            "one process (--partitions N cuts it there)");
    };
    // A report of who waits reads flags of ranks that other processes have.
    if (resolved.engine().flag_home == FlagHome::signaller) refuse_processes("engine.flag_home=signaller");
}

std::vector<LineExecutor::Site> CutRun::sites(const System& system, const FabricPlan& plan) const
{
    std::vector<LineExecutor::Site> out;
    for (const NodeId node : plan.members) {
        const std::uint32_t part = division_.part_of_node[node];
        if (!division_.here(part)) {
            out.push_back({nullptr, nullptr, division_.device_of_node[node]});
            continue;
        }
        System::Share& share = *system.shares()[part - division_.first];
        out.push_back({&share.event_queue, &share.progress, division_.device_of_node[node]});
    }
    return out;
}

std::vector<std::uint32_t> CutRun::devices(const FabricPlan& plan) const
{
    std::vector<std::uint32_t> out;
    for (const NodeId node : plan.members) out.push_back(division_.device_of_node[node]);
    return out;
}

std::unique_ptr<Conductor> CutRun::conductor(const System& system, std::size_t threads, Turns::Rules rules)
{
    std::vector<Conductor::Part> parts;
    for (const auto& share : system.shares()) parts.push_back({&share->event_queue, &share->progress});
    return std::make_unique<Conductor>(std::move(parts), system.fabric().cut_links(), *transport_, partition_.lookahead,
        std::move(rules), threads, division_.first, division_.parts);
}

}  // namespace weft
