#include "platform/simulation/cut_plan.h"

#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/configuration/parameters/glob.h"

namespace weft {

namespace {

constexpr const char* both_flow = "both are flow";

void check_model(const ResolvedSystem& resolved, const ModelRegistry& registry, const std::string& kind,
    const std::string& model, const std::string& of)
{
    if (registry.needs_kernel(kind, model))
        throw InputError(resolved.file, 0, fmt::format("a run in parts with model {} of {}", model, of),
            "a model that declares without_kernel(), --partitions 1, or one process");
}

void check_node(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry, NodeId node)
{
    const std::string& name = plan.fabric.nodes[node].name;
    const std::string& model = resolved.model(node);
    if (plan.fabric.nodes[node].endpoint < 0) {
        if (!plan.used.transit[node]) check_model(resolved, registry, "switch", model, name);
        return;
    }
    if (model != "gpu" && model != "replay" && model != "memory")
        throw InputError(resolved.file, 0, fmt::format("a run in parts with model {} of {}", model, name),
            "--partitions 1, or one process");
    check_model(resolved, registry, "slice", resolved.slice_model(node), name + ".l2");
    check_model(resolved, registry, "memory", resolved.memory_model(node), name + ".hbm");
}

std::string why_uncut(const ResolvedSystem& resolved, const FabricPlan& plan, EdgeId edge,
    const std::vector<bool>* beyond)
{
    const LinkSpec& link = resolved.link(edge);
    if (link.pool_credits > 0) return "link.pool_credits, a pool that credits go back to when they are sent";
    if (link.retry != RetryKind::none) return "link.retry, whose packets refer to transactions at both ends";
    if (link.credit_bytes > 0) return "link.credit_bytes, messages that take the wire when they are sent";
    if (const std::string& model = resolved.link_model(edge); model != "link") return "model " + model;
    for (const NodeId end : {plan.fabric.edges[edge].a, plan.fabric.edges[edge].b}) {
        if (beyond != nullptr && (*beyond)[end]) continue;
        const std::string& model = resolved.model(end);
        if (model == "replay") return "a replay GPU, which counts a response when it is sent to it";
        if (plan.fabric.nodes[end].endpoint < 0 && !plan.used.transit[end] && model != "switch" && model != "crossbar")
            return fmt::format("model {} of {}, which decides by the credits that it knows of", model,
                plan.fabric.nodes[end].name);
    }
    return {};
}

// Without a partition.
CutPlan graph_of(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    const std::vector<bool>* beyond)
{
    const auto is_beyond = [beyond](NodeId node) { return beyond != nullptr && (*beyond)[node]; };
    CutPlan out;
    out.nodes = plan.members;
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node)
        if (plan.used.nodes[node] && plan.fabric.nodes[node].endpoint < 0) out.nodes.push_back(node);
    std::vector<std::uint32_t> number(plan.fabric.nodes.size());
    CutGraph& graph = out.graph;
    std::optional<std::uint32_t> flow;  // the first node beyond
    for (const NodeId node : out.nodes) {
        const bool member = plan.fabric.nodes[node].endpoint >= 0;
        number[node] = static_cast<std::uint32_t>(graph.nodes.size());
        if (is_beyond(node)) {
            if (flow) graph.edges.push_back({*flow, number[node], 0, 0, both_flow, false});
            if (!flow) flow = number[node];
        } else {
            check_node(resolved, plan, registry, node);
        }
        const std::uint64_t weight = member && !is_beyond(node) ? resolved.l2(node).slices : 0;
        graph.nodes.push_back({plan.fabric.nodes[node].name, weight, member});
    }
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge]) continue;
        const FabricEdge& ends = plan.fabric.edges[edge];
        const LinkSpec& link = resolved.link(edge);
        if (is_beyond(ends.a) && is_beyond(ends.b)) {
            graph.edges.push_back({number[ends.a], number[ends.b], link.latency, link.bandwidth, both_flow});
            continue;
        }
        check_model(resolved, registry, "link", resolved.link_model(edge), edge_name(resolved.graph(), edge));
        graph.edges.push_back(
            {number[ends.a], number[ends.b], link.latency, link.bandwidth, why_uncut(resolved, plan, edge, beyond)});
        ++graph.nodes[number[ends.a]].weight;
        ++graph.nodes[number[ends.b]].weight;
    }
    return out;
}

GivenParts given_parts(const CutGraph& graph, const PartsFile& file)
{
    GivenParts out;
    out.file = file.file;
    out.parts = static_cast<std::uint32_t>(file.parts.size());
    out.part.assign(graph.nodes.size(), GivenParts::free);
    out.line.assign(graph.nodes.size(), 0);
    for (std::uint32_t part = 0; part < out.parts; ++part) {
        bool endpoints = false;
        for (const PartsFile::Pattern& pattern : file.parts[part]) {
            bool fits = false;
            NumberedGlob glob(pattern.glob);
            for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
                if (!glob.matches(graph.nodes[node].name)) continue;
                fits = true;
                endpoints |= graph.nodes[node].endpoint;
                if (out.part[node] != GivenParts::free && out.part[node] != part)
                    throw InputError(file.file, pattern.line,
                        fmt::format("{} is in part {} and, as '{}', in part {}", graph.nodes[node].name, out.part[node],
                            pattern.glob, part),
                        "each node in one part");
                out.part[node] = part;
                out.line[node] = pattern.line;
            }
            const std::string missing = fits ? glob.missing() : pattern.glob;
            if (!missing.empty())
                throw InputError(file.file, pattern.line, fmt::format("'{}' fits no node of the run", missing),
                    "names of nodes as 'weft graph' lists them, or patterns of them");
        }
        if (!endpoints)
            throw InputError(file.file, file.lines[part], fmt::format("part {} has no GPU", part),
                "at least one GPU in each part");
    }
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        if (graph.nodes[node].endpoint && out.part[node] == GivenParts::free)
            throw InputError(file.file, file.lines.back(), graph.nodes[node].name + " is in no part",
                "all GPUs of the run");
    return out;
}

}  // namespace

CutPlan cut_plan(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    std::uint32_t parts, const std::vector<bool>* beyond)
{
    CutPlan out = graph_of(resolved, plan, registry, beyond);
    out.partition = make_partition(out.graph, parts);
    return out;
}

CutPlan cut_plan(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    const PartsFile& parts, const std::vector<bool>* beyond)
{
    CutPlan out = graph_of(resolved, plan, registry, beyond);
    out.partition = given_partition(out.graph, given_parts(out.graph, parts));
    return out;
}

}  // namespace weft
