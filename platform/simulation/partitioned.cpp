#include "platform/simulation/partitioned.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/parallel/process_transport.h"

namespace weft {

namespace {

CutPlan checked_plan(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    const RunOptions& options, const std::vector<bool>* beyond)
{
    if (options.check_protocol && options.group != nullptr)
        throw InputError("", 0, "several processes with --check-protocol", "one process, or no --check-protocol");
    if (options.check_protocol)
        throw InputError("", 0, std::string(options.parts ? "--parts" : "--partitions") + " with --check-protocol",
            options.parts ? "no --parts" : "--partitions 1");
    return options.parts ? cut_plan(resolved, plan, registry, *options.parts, beyond)
                         : cut_plan(resolved, plan, registry, options.partitions, beyond);
}

}  // namespace

CutRun::CutRun(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    const RunOptions& options, const std::vector<bool>* beyond)
    : plan_(checked_plan(resolved, plan, registry, options, beyond))
{
    const std::vector<NodeId>& nodes = plan_.nodes;
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
        division_.part_of_node[nodes[i]] = plan_.partition.part[i];
        division_.device_of_node[nodes[i]] = devices[plan.fabric.nodes[nodes[i]].name];
        // The border acts for these.
        if (beyond != nullptr && (*beyond)[nodes[i]])
            division_.device_of_node[nodes[i]] = static_cast<std::uint32_t>(devices.size());
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
    for (const std::size_t edge : plan_.partition.cut) {
        const std::uint32_t a = plan_.partition.part[plan_.graph.edges[edge].a];
        const std::uint32_t b = plan_.partition.part[plan_.graph.edges[edge].b];
        cuts.insert({a, b});
        cuts.insert({b, a});
    }
    transport_ = std::make_unique<ProcessTransport>(group.processes(), std::move(process_of),
        std::vector<std::pair<std::uint32_t, std::uint32_t>>(cuts.begin(), cuts.end()));
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
    return std::make_unique<Conductor>(std::move(parts), system.fabric().cut_links(), *transport_,
        plan_.partition.lookahead, std::move(rules), threads, division_.first, division_.parts);
}

}  // namespace weft
