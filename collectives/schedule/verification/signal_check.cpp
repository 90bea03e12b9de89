#include "collectives/schedule/verification/signal_check.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace weft {

namespace {

template <typename Visit>
void for_each_step(const Schedule& schedule, StepKind kind, Visit&& visit)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (std::uint32_t t = 0; t < schedule.ranks[rank].threads.size(); ++t) {
            const std::vector<Step>& steps = schedule.ranks[rank].threads[t].steps;
            for (std::uint32_t s = 0; s < steps.size(); ++s)
                if (steps[s].kind == kind) visit(StepAt{rank, t, s}, steps[s]);
        }
}

}  // namespace

void check_signals(const Schedule& schedule, const Numbering& numbering, VerifyLog& log)
{
    struct Use {
        std::uint64_t signals = 0;
        std::uint64_t waits = 0;
        std::uint32_t rank = 0;
        std::uint32_t index = 0;
        std::vector<std::uint32_t> senders;
    };
    std::vector<Use> uses(numbering.semaphores());
    for_each_step(schedule, StepKind::signal, [&](StepAt at, const Step& step) {
        Use& use = uses[numbering.semaphore(step.peer, step.semaphore)];
        use.rank = step.peer;
        use.index = step.semaphore;
        ++use.signals;
        // Ranks come in order, so a known sender is the last one.
        if (use.senders.empty() || use.senders.back() != at.rank) use.senders.push_back(at.rank);
    });
    for_each_step(schedule, StepKind::wait, [&](StepAt at, const Step& step) {
        Use& use = uses[numbering.semaphore(at.rank, step.semaphore)];
        ++use.waits;
        if (!use.senders.empty() && !std::binary_search(use.senders.begin(), use.senders.end(), step.peer))
            log.problem(fmt::format("{} expects a signal of rank {} on semaphore {}, but only rank {} signals it",
                describe(schedule, at), step.peer, step.semaphore, use.senders.front()));
    });
    for (const Use& use : uses)
        if (use.signals > use.waits) {
            const std::string text = fmt::format("rank {} semaphore {} gets {} signals, but {} waits", use.rank,
                use.index, use.signals, use.waits);
            if (schedule.spare_signals)
                log.remark(text);
            else
                log.problem(text);
        }
}

}  // namespace weft
