#include "collectives/plans/relaxed.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace weft {

namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Key key(StepAt at) { return {at.rank, at.thread, at.step}; }

bool of_one_thread(const std::vector<StepAt>& steps)
{
    return std::all_of(steps.begin(), steps.end(),
        [&](StepAt at) { return at.rank == steps.front().rank && at.thread == steps.front().thread; });
}

}  // namespace

Schedule without_relaxed(const Schedule& schedule, const std::vector<StepAt>& relaxed)
{
    std::set<Key> named;
    for (const StepAt at : relaxed) named.insert(key(at));
    const Numbering numbering(schedule);
    struct Semaphore {
        std::vector<StepAt> signals;
        std::vector<StepAt> waits;
    };
    std::vector<Semaphore> semaphores(numbering.semaphores());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (std::uint32_t t = 0; t < schedule.ranks[rank].threads.size(); ++t)
            for (std::uint32_t s = 0; s < schedule.ranks[rank].threads[t].steps.size(); ++s) {
                const Step& step = schedule.ranks[rank].threads[t].steps[s];
                if (step.kind == StepKind::signal)
                    semaphores[numbering.semaphore(step.peer, step.semaphore)].signals.push_back({rank, t, s});
                if (step.kind == StepKind::wait)
                    semaphores[numbering.semaphore(rank, step.semaphore)].waits.push_back({rank, t, s});
            }
    Schedule out = schedule;
    const auto drop = [&](StepAt at) {
        Step& step = out.ranks[at.rank].threads[at.thread].steps[at.step];
        Step nop;
        nop.after = step.after;
        step = std::move(nop);
    };
    for (const Semaphore& semaphore : semaphores) {
        const auto is_relaxed = [&](StepAt at) { return named.count(key(at)) > 0; };
        const bool all = std::all_of(semaphore.signals.begin(), semaphore.signals.end(), is_relaxed) &&
            std::all_of(semaphore.waits.begin(), semaphore.waits.end(), is_relaxed);
        if (!all && !(of_one_thread(semaphore.signals) && of_one_thread(semaphore.waits))) continue;
        for (std::size_t k = 0; k < std::max(semaphore.signals.size(), semaphore.waits.size()); ++k) {
            const bool has_signal = k < semaphore.signals.size();
            const bool has_wait = k < semaphore.waits.size();
            if (!(has_signal && is_relaxed(semaphore.signals[k])) && !(has_wait && is_relaxed(semaphore.waits[k])))
                continue;
            if (has_signal) drop(semaphore.signals[k]);
            if (has_wait) drop(semaphore.waits[k]);
        }
    }
    return out;
}

}  // namespace weft
