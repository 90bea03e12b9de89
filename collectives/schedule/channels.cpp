#include "collectives/schedule/channels.h"

namespace weft {

RankPlan with_channels(RankPlan plan, std::uint32_t channels)
{
    std::vector<Thread> written = std::move(plan.threads);
    plan.threads.clear();
    plan.threads.reserve(written.size() * channels);
    plan.semaphores *= channels;
    for (Thread& thread : written)
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            plan.threads.push_back(thread);
            for (Step& step : plan.threads.back().steps) {
                step.semaphore = is_data(step.kind) ? 0 : step.semaphore * channels + channel;
                for (StepId& other : step.after) other.thread = other.thread * channels + channel;
                if (!is_data(step.kind)) continue;
                step.part = channel;
                step.parts = channels;
            }
        }
    return plan;
}

RankPlan whole_plan(const Schedule& schedule, std::uint32_t rank)
{
    return schedule.channels == 1 ? schedule.ranks[rank] : with_channels(schedule.ranks[rank], schedule.channels);
}

Schedule whole(const Schedule& schedule)
{
    Schedule out = schedule;
    out.channels = 1;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) out.ranks[rank] = whole_plan(schedule, rank);
    return out;
}

std::size_t memory_bytes(const Schedule& schedule)
{
    std::size_t bytes = 0;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads) {
            bytes += thread.steps.capacity() * sizeof(Step);
            for (const Step& step : thread.steps)
                bytes += (step.sources.capacity() + step.destinations.capacity()) * sizeof(ChunkRef) +
                    step.after.capacity() * sizeof(StepId);
        }
    return bytes;
}

}  // namespace weft
