#include "collectives/engine/lines/signal_flags.h"

#include "base/diagnostic.h"
#include "collectives/engine/lines/lowering.h"

namespace weft {

SignalFlags::SignalFlags(const Schedule& schedule, Mover mover) : numbers_(schedule.size())
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps)
                if (step.kind == StepKind::signal) numbers_[rank].emplace(std::pair(step.peer, step.semaphore), 0);
        std::uint32_t next = flags_of(schedule.ranks[rank], mover);
        for (auto& [pair, number] : numbers_[rank]) number = next++;
    }
}

std::uint32_t SignalFlags::count(std::uint32_t signaller) const
{
    return static_cast<std::uint32_t>(numbers_[signaller].size());
}

std::uint32_t SignalFlags::number(std::uint32_t signaller, std::uint32_t waiter, std::uint32_t semaphore) const
{
    const auto found = numbers_[signaller].find({waiter, semaphore});
    if (found == numbers_[signaller].end())
        throw InputError("", 0,
            "rank " + std::to_string(waiter) + " waits for a signal of rank " + std::to_string(signaller) +
                " to its semaphore " + std::to_string(semaphore) + ", which no rank sends",
            "a schedule whose waits name the rank that signals, or engine.flag_home=waiter");
    return found->second;
}

}  // namespace weft
