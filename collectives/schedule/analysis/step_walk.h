// The steps of a schedule in a legal order, with the clocks that say which of them are tied to each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/schedule/clocks.h"
#include "collectives/schedule/order.h"

namespace weft {

class StepWalk {
public:
    // `schedule` must pass verify(), and outlive it.
    explicit StepWalk(const Schedule& schedule)
        : schedule_(schedule), numbering_(schedule), clocks_(schedule, numbering_)
    {
    }

    // Once. Calls moves(*this, begin, end) for data steps that are carried out together: one, or those of a push_reduce.
    template <class Moves>
    void run(const Moves& moves)
    {
        const Order order = legal_order(schedule_, numbering_);
        for (std::size_t i = 0; i < order.steps.size();) {
            const Step& first = step_at(schedule_, order.steps[i]);
            const std::size_t together = first.kind == StepKind::barrier ? first.participants
                : first.kind == StepKind::push_reduce                    ? first.destinations.size()
                                                                         : 1;
            const StepAt* const begin = &order.steps[i];
            const StepAt* const end = begin + together;
            for (const StepAt* at = begin; at != end; ++at) start(*at);
            if (first.kind == StepKind::barrier) meet(begin, end);
            if (is_data(first.kind)) moves(*this, begin, end);
            for (const StepAt* at = begin; at != end; ++at) clocks_.finish(thread_of(*at), at->step, is_remote(*at));
            i += together;
        }
    }

    // How many data steps between ranks lie one behind the other before the step that its thread is at.
    std::uint32_t moves_before(StepAt at) const { return clocks_.depth_at(thread_of(at), false).moves; }
    // The epoch of the step that its thread is at.
    Epoch epoch(StepAt at) const { return {thread_of(at), at.step + 1}; }
    // Whether a step of that epoch is complete before this one begins.
    bool ordered(Epoch earlier, StepAt at) const { return clocks_.ordered(earlier, thread_of(at)); }

private:
    std::uint32_t thread_of(StepAt at) const { return numbering_.thread(at.rank, at.thread); }

    bool is_remote(StepAt at) const
    {
        const Step& step = step_at(schedule_, at);
        const auto elsewhere = [&](const ChunkRef& ref) { return ref.rank != at.rank; };
        return is_data(step.kind) &&
            (step.kind != StepKind::move || std::any_of(step.sources.begin(), step.sources.end(), elsewhere) ||
                std::any_of(step.destinations.begin(), step.destinations.end(), elsewhere));
    }

    void start(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        clocks_.start(thread_of(at), step, at.step);
        if (step.kind == StepKind::wait) clocks_.wait(thread_of(at), numbering_.semaphore(at.rank, step.semaphore));
        if (step.kind == StepKind::signal)
            clocks_.signal(thread_of(at), numbering_.semaphore(step.peer, step.semaphore));
    }

    void meet(const StepAt* begin, const StepAt* end)
    {
        std::vector<std::uint32_t> threads;
        for (const StepAt* at = begin; at != end; ++at) threads.push_back(thread_of(*at));
        clocks_.barrier(threads);
    }

    const Schedule& schedule_;
    Numbering numbering_;
    Clocks clocks_;
};

}  // namespace weft
