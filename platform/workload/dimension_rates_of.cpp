#include "platform/workload/dimension_rates_of.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "collectives/synthesis/dimension_rates.h"
#include "platform/choice/cost_graph_of.h"

namespace weft {

namespace {

// "dgx.0" of "dgx.0.xpu.3".
std::string device_of(const std::string& node)
{
    const std::size_t component = node.rfind('.', node.rfind('.') - 1);
    return component == std::string::npos ? "" : node.substr(0, component);
}

}  // namespace

std::vector<Dimension> device_dimensions(const std::vector<std::string>& nodes)
{
    std::vector<std::uint32_t> sizes;
    std::set<std::string> seen;
    std::string last;
    for (const std::string& node : nodes) {
        const std::string device = device_of(node);
        if (sizes.empty() || device != last) {
            if (!seen.insert(device).second) return {};
            sizes.push_back(0);
        }
        ++sizes.back();
        last = device;
    }
    const bool alike =
        std::all_of(sizes.begin(), sizes.end(), [&](std::uint32_t size) { return size == sizes.front(); });
    if (sizes.size() < 2 || sizes.front() < 2 || !alike) return {};
    return {{"device", sizes.front(), "ring"}, {"between", static_cast<std::uint32_t>(sizes.size()), "ring"}};
}

std::vector<Dimension> dimensions_with_rates(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks)
{
    Workload workload = system.workload;
    if (workload.plan.empty() && workload.dimensions.empty()) {
        std::vector<std::string> nodes;
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            nodes.push_back(system.graph().node(plan.members[rank]).name);
        workload.dimensions = device_dimensions(nodes);
    }
    const bool levelled = workload.plan.empty() && (workload.algorithm == "multi_dim" || workload.algorithm == "auto");
    if (!levelled || ranks < 2) return workload.dimensions;
    std::uint64_t product = 1;
    for (const Dimension& dimension : workload.dimensions) product *= dimension.size;
    if (!workload.dimensions.empty() && product != ranks) return workload.dimensions;  // refused where they are used
    AlgorithmOptions options;
    options.dimensions = workload.dimensions;
    if (workload.algorithm == "auto" && ranks > most_ranks_priced) return workload.dimensions;  // refused later
    std::vector<std::uint32_t> all(ranks);
    std::iota(all.begin(), all.end(), 0U);
    CostPaths paths(system, plan, std::move(all));
    return with_rates(
        paths.links(), [&paths](std::uint32_t from, std::uint32_t to) { return paths.path(from, to); }, ranks,
        dimensions_of(options, ranks));
}

}  // namespace weft
