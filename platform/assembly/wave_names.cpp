#include "platform/assembly/wave_names.h"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace weft {

void require_wave_names(const ModelRegistry& registry, const ResolvedSystem& system, const FabricPlan& plan)
{
    if (registry.waves.entries.empty()) return;
    std::set<std::pair<std::string, std::string>> without;
    for (const ModelRegistry::Entry& entry : registry.entries())
        if (!entry.declaration->has_rtl()) without.emplace(entry.kind, entry.declaration->name());
    const auto may = [&without](const std::string& kind, const std::string& model) {
        return without.count({kind, model}) == 0;
    };
    std::vector<std::string> paths;
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node) {
        if (!plan.used.nodes[node] && plan.fabric.nodes[node].endpoint < 0) continue;
        const std::string& path = plan.fabric.nodes[node].name;
        const bool member = plan.fabric.nodes[node].endpoint >= 0;
        if (!member && may("switch", system.model(node))) paths.push_back(path);
        if (!member || system.role(node) == NodeRole::memory || !may("slice", system.slice_model(node))) continue;
        for (std::uint64_t slice = 0; slice < system.l2(node).slices; ++slice)
            paths.push_back(fmt::format("{}.l2.{}", path, slice));
    }
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge] || !may("link", system.link_model(edge))) continue;
        const std::string path = edge_name(system.graph(), edge);
        for (const char* end : {"", ".0", ".1"}) paths.push_back(path + end);
    }
    registry.waves.require_names(paths);
}

}  // namespace weft
