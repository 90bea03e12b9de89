#include "collectives/synthesis/estimate.h"

#include "collectives/synthesis/estimate_player.h"

namespace weft {

std::uint64_t data_steps(const Schedule& schedule)
{
    std::uint64_t steps = 0;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind)) steps += step.sources.size() + step.destinations.size() - 1;
    return steps;
}

Estimate estimate(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options)
{
    return EstimatePlayer(schedule, graph, options).play();
}

}  // namespace weft
