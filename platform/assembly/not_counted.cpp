#include "platform/assembly/not_counted.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/assembly/clocked_times.h"
#include "platform/assembly/models_of_weft.h"

namespace weft {

namespace {

void add(std::vector<std::string>& out, std::string text)
{
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
}

}  // namespace

NotCounted not_counted(const ResolvedSystem& system, const FabricPlan& plan)
{
    NotCounted out;
    std::vector<std::string> memories;
    std::vector<std::string> fences;
    for (const NodeId node : plan.members) {
        if (!system.l2(node).of_weft())
            add(out.in_formula,
                fmt::format("L2 slices of model '{}' (l2.latency stands for theirs)", system.slice_model(node)));
        if (!system.hbm(node).ours())
            add(memories, fmt::format("memory model '{}' (hbm.* stands for it)", system.memory_model(node)));
        const GpuSpec& gpu = system.gpu(node);
        if (gpu.barrier_latency > 0) add(out.in_formula, "gpu.barrier_latency");
        if (gpu.fence_latency > 0 && system.engine().protocol == Protocol::ll128 && system.engine().ll128_fence)
            add(fences, "the fences of engine.ll128_fence");
    }
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node)
        if (plan.used.nodes[node] && system.role(node) == NodeRole::forwarder && !of_weft("switch", system.model(node)))
            add(out.in_formula, fmt::format("switch model '{}' (switch.* stands for it)", system.model(node)));
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge]) continue;
        const std::string& model = system.link_model(edge);
        if (!of_weft("link", model)) add(out.in_formula, fmt::format("link model '{}' (link.* stands for it)", model));
        if (is_clocked_link(model))
            add(out.in_formula,
                fmt::format("the packets and the clock of link model '{}' (those of model 'link' stand for them)",
                    model));
    }
    out.in_estimate = out.in_formula;
    out.in_estimate.insert(out.in_estimate.end(), memories.begin(), memories.end());
    out.in_formula.insert(out.in_formula.end(), fences.begin(), fences.end());
    return out;
}

}  // namespace weft
