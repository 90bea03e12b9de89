#include "platform/run/dimension_rates_of.h"

#include "collectives/synthesis/dimension_rates.h"
#include "platform/choice/cost_graph_of.h"

namespace weft {

std::vector<Dimension> dimensions_with_rates(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks)
{
    const Workload& workload = system.workload;
    const bool levelled = workload.plan.empty() && (workload.algorithm == "multi_dim" || workload.algorithm == "auto");
    if (!levelled || ranks < 2 || ranks > most_ranks_priced) return workload.dimensions;
    std::uint64_t product = 1;
    for (const Dimension& dimension : workload.dimensions) product *= dimension.size;
    if (!workload.dimensions.empty() && product != ranks) return workload.dimensions;  // refused where they are used
    AlgorithmOptions options;
    options.dimensions = workload.dimensions;
    return with_rates(cost_graph_of(system, plan, ranks), dimensions_of(options, ranks));
}

}  // namespace weft
