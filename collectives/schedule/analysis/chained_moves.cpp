#include "collectives/schedule/analysis/chained_moves.h"

#include <algorithm>

namespace weft {

namespace {

constexpr std::uint32_t ranks_counted = 8;

bool carries_more(const Step& step, const Schedule& schedule, std::uint64_t bytes, std::uint64_t least)
{
    if (step.kind != StepKind::move || step.destinations.empty()) return false;
    const double share = static_cast<double>(step.destinations.front().count) /
        (static_cast<double>(schedule.chunks) * static_cast<double>(step.parts));
    return static_cast<double>(bytes) * share > static_cast<double>(least);
}

}  // namespace

std::uint32_t most_chained_moves(const Schedule& schedule, std::uint64_t bytes, std::uint64_t least)
{
    if (bytes <= least) return 0;
    std::uint32_t most = 0;
    const auto ranks = static_cast<std::uint32_t>(schedule.ranks.size());
    const std::uint32_t stride = std::max(1U, (ranks + ranks_counted - 1) / ranks_counted);
    for (std::uint32_t rank = 0; rank < ranks; rank += stride)
        for (const Thread& thread : schedule.ranks[rank].threads) {
            std::uint32_t moves = 0;
            bool waited = false;
            for (const Step& step : thread.steps) {
                waited = waited || step.kind == StepKind::wait;
                if (!waited || !carries_more(step, schedule, bytes, least)) continue;
                ++moves;
                waited = false;
            }
            most = std::max(most, moves);
        }
    return most;
}

}  // namespace weft
