#include "collectives/schedule/order.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

namespace weft {

namespace {

std::uint64_t key(std::uint32_t rank, std::uint32_t index) { return std::uint64_t{rank} << 32 | index; }

void sort_unique(std::vector<std::uint64_t>& keys)
{
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint32_t position(const std::vector<std::uint64_t>& keys, std::uint64_t wanted)
{
    return static_cast<std::uint32_t>(std::lower_bound(keys.begin(), keys.end(), wanted) - keys.begin());
}

struct Waiter {
    std::uint32_t thread = 0;
    std::uint32_t step = 0;  // of the thread waited for
};

class Runner {
public:
    Runner(const Schedule& schedule, const Numbering& numbering)
        : schedule_(schedule),
          numbering_(numbering),
          next_(numbering.threads()),
          dependents_(numbering.threads()),
          sent_(numbering.semaphores()),
          taken_(numbering.semaphores()),
          sleepers_(numbering.semaphores()),
          arrived_(numbering.barriers())
    {
        for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
            owners_.push_back(numbering.owner(t));
            ready_.push_back(t);
        }
    }

    Order run()
    {
        while (!ready_.empty()) {
            const std::uint32_t thread = ready_.front();
            ready_.pop_front();
            while (advance(thread)) {
            }
        }
        if (order_.steps.size() < total_steps()) report_blocked();
        return std::move(order_);
    }

private:
    const std::vector<Step>& steps_of(std::uint32_t thread) const
    {
        return schedule_.ranks[owners_[thread].rank].threads[owners_[thread].thread].steps;
    }

    StepAt at(std::uint32_t thread) const
    {
        return {owners_[thread].rank, owners_[thread].thread, next_[thread]};
    }

    const StepId* unmet(std::uint32_t thread) const
    {
        for (const StepId& dependency : steps_of(thread)[next_[thread]].after)
            if (next_[numbering_.thread(owners_[thread].rank, dependency.thread)] <= dependency.step)
                return &dependency;
        return nullptr;
    }

    void complete(std::uint32_t thread)
    {
        order_.steps.push_back(at(thread));
        ++next_[thread];
        std::vector<Waiter>& dependents = dependents_[thread];
        for (std::size_t i = 0; i < dependents.size();) {
            if (next_[thread] <= dependents[i].step) {
                ++i;
                continue;
            }
            ready_.push_back(dependents[i].thread);
            dependents.erase(dependents.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    // Runs one step; false when the thread is at its end or has to wait.
    bool advance(std::uint32_t thread)
    {
        if (next_[thread] >= steps_of(thread).size()) return false;
        const Step& step = steps_of(thread)[next_[thread]];
        const std::uint32_t rank = owners_[thread].rank;
        if (const StepId* dependency = unmet(thread)) {
            dependents_[numbering_.thread(rank, dependency->thread)].push_back({thread, dependency->step});
            return false;
        }
        if (step.kind == StepKind::wait) {
            const std::uint32_t semaphore = numbering_.semaphore(rank, step.semaphore);
            if (taken_[semaphore] == sent_[semaphore]) {
                sleepers_[semaphore].push_back(thread);
                return false;
            }
            ++taken_[semaphore];
        } else if (step.kind == StepKind::barrier) {
            return join(thread, step);
        }
        complete(thread);
        if (step.kind == StepKind::signal) {
            const std::uint32_t semaphore = numbering_.semaphore(step.peer, step.semaphore);
            ++sent_[semaphore];
            if (!sleepers_[semaphore].empty()) {
                ready_.push_back(sleepers_[semaphore].front());
                sleepers_[semaphore].pop_front();
            }
        }
        return true;
    }

    bool join(std::uint32_t thread, const Step& step)
    {
        std::vector<std::uint32_t>& arrived =
            arrived_[numbering_.barrier(owners_[thread].rank, step.semaphore)];
        arrived.push_back(thread);
        if (arrived.size() < step.participants) return false;
        const std::vector<std::uint32_t> together = std::move(arrived);
        arrived.clear();
        for (std::uint32_t participant : together) {
            complete(participant);
            if (participant != thread) ready_.push_back(participant);
        }
        return true;
    }

    std::size_t total_steps() const
    {
        std::size_t total = 0;
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t) total += steps_of(t).size();
        return total;
    }

    void report_blocked()
    {
        // Per semaphore, the first signal that has not been sent.
        std::vector<std::string> senders(numbering_.semaphores());
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t)
            for (std::uint32_t s = next_[t]; s < steps_of(t).size(); ++s) {
                const Step& step = steps_of(t)[s];
                if (step.kind != StepKind::signal) continue;
                std::string& sender = senders[numbering_.semaphore(step.peer, step.semaphore)];
                if (sender.empty())
                    sender = fmt::format("which rank {} thread {} would send in step {}", owners_[t].rank,
                        owners_[t].thread, s);
            }
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t)
            if (next_[t] < steps_of(t).size()) order_.blocked.push_back({at(t), reason(t, senders)});
    }

    std::string reason(std::uint32_t thread, const std::vector<std::string>& senders) const
    {
        const Step& step = steps_of(thread)[next_[thread]];
        const std::uint32_t rank = owners_[thread].rank;
        if (const StepId* dependency = unmet(thread))
            return fmt::format("waits for step {} of thread {} of its rank", dependency->step,
                dependency->thread);
        if (step.kind == StepKind::barrier)
            return fmt::format("waits at barrier {} with {} of {} participants", step.semaphore,
                arrived_[numbering_.barrier(rank, step.semaphore)].size(), step.participants);
        const std::uint32_t semaphore = numbering_.semaphore(rank, step.semaphore);
        const std::string& sender = senders[semaphore];
        return fmt::format("waits for signal {} on semaphore {} from rank {}, {}", taken_[semaphore] + 1,
            step.semaphore, step.peer, sender.empty() ? "which nobody sends" : sender);
    }

    const Schedule& schedule_;
    const Numbering& numbering_;
    std::vector<StepAt> owners_;
    std::vector<std::uint32_t> next_;
    std::vector<std::vector<Waiter>> dependents_;
    std::vector<std::uint64_t> sent_;
    std::vector<std::uint64_t> taken_;
    std::vector<std::deque<std::uint32_t>> sleepers_;
    std::vector<std::vector<std::uint32_t>> arrived_;
    std::deque<std::uint32_t> ready_;
    Order order_;
};

}  // namespace

const Step& step_at(const Schedule& schedule, StepAt at)
{
    return schedule.ranks[at.rank].threads[at.thread].steps[at.step];
}

std::string describe(const Schedule& schedule, StepAt at)
{
    return fmt::format("rank {} thread {} step {} ({})", at.rank, at.thread, at.step,
        name_of(step_at(schedule, at).kind));
}

Numbering::Numbering(const Schedule& schedule)
{
    first_thread_.push_back(0);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const RankPlan& plan = schedule.ranks[rank];
        first_thread_.push_back(first_thread_.back() + static_cast<std::uint32_t>(plan.threads.size()));
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps) {
                if (step.kind == StepKind::signal) semaphores_.push_back(key(step.peer, step.semaphore));
                if (step.kind == StepKind::wait) semaphores_.push_back(key(rank, step.semaphore));
                if (step.kind == StepKind::barrier) barriers_.push_back(key(rank, step.semaphore));
            }
    }
    sort_unique(semaphores_);
    sort_unique(barriers_);
}

StepAt Numbering::owner(std::uint32_t thread) const
{
    const auto after = std::upper_bound(first_thread_.begin(), first_thread_.end(), thread);
    const auto rank = static_cast<std::uint32_t>(after - first_thread_.begin() - 1);
    return {rank, thread - first_thread_[rank], 0};
}

std::uint32_t Numbering::semaphore(std::uint32_t rank, std::uint32_t index) const
{
    return position(semaphores_, key(rank, index));
}

std::uint32_t Numbering::barrier(std::uint32_t rank, std::uint32_t index) const
{
    return position(barriers_, key(rank, index));
}

Order legal_order(const Schedule& schedule, const Numbering& numbering)
{
    return Runner(schedule, numbering).run();
}

}  // namespace weft
