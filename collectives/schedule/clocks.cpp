#include "collectives/schedule/clocks.h"

#include <algorithm>
#include <functional>

#include <boost/pending/disjoint_sets.hpp>

namespace weft {

namespace {

void raise(Depth& depth, const Depth& other)
{
    depth.moves = std::max(depth.moves, other.moves);
    depth.signals = std::max(depth.signals, other.signals);
}

// Clocks of one thread that may have to be kept at the same time: its own, and one for each signal or
// named step that knows more than the one before.
std::uint64_t clocks_kept(const Thread& thread, const std::vector<std::uint32_t>& named_steps)
{
    std::uint64_t kept = 1;
    bool learnt = false;
    std::size_t next_named = 0;
    for (std::uint32_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        learnt = learnt || step.kind == StepKind::wait || step.kind == StepKind::barrier || !step.after.empty();
        const bool named = next_named < named_steps.size() && named_steps[next_named] == i;
        if (named) ++next_named;
        if (!learnt || (!named && step.kind != StepKind::signal)) continue;
        ++kept;
        learnt = false;
    }
    return kept;
}

}  // namespace

Clocks::Clocks(const Schedule& schedule, const Numbering& numbering)
    : threads_(numbering.threads()), semaphores_(numbering.semaphores()), first_of_rank_(numbering.threads())
{
    constexpr std::uint32_t none = UINT32_MAX;
    boost::disjoint_sets_with_storage<> groups(numbering.threads());
    std::vector<std::uint32_t> of_semaphore(numbering.semaphores(), none);
    std::vector<std::uint32_t> of_barrier(numbering.barriers(), none);
    const auto meet = [&groups](std::uint32_t& member, std::uint32_t thread) {
        if (member == none) member = thread;
        groups.union_set(member, thread);
    };
    for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
        const StepAt owner = numbering.owner(t);
        first_of_rank_[t] = t - owner.thread;
        const Thread& thread = schedule.ranks[owner.rank].threads[owner.thread];
        for (const Step& step : thread.steps) {
            for (const StepId& dependency : step.after) {
                const std::uint32_t other = first_of_rank_[t] + dependency.thread;
                groups.union_set(t, other);
                threads_[other].named_steps.push_back(dependency.step);
            }
            if (step.kind == StepKind::barrier) meet(of_barrier[numbering.barrier(owner.rank, step.semaphore)], t);
            if (step.kind == StepKind::wait) meet(of_semaphore[numbering.semaphore(owner.rank, step.semaphore)], t);
            if (step.kind != StepKind::signal) continue;
            const std::uint32_t number = numbering.semaphore(step.peer, step.semaphore);
            meet(of_semaphore[number], t);
            Semaphore& semaphore = semaphores_[number];
            // Threads come in order, so a known sender is the last one.
            if (semaphore.senders.empty() || semaphore.senders.back().thread != t) {
                semaphore.senders.emplace_back();
                semaphore.senders.back().thread = t;
            }
            ++semaphore.senders.back().total;
            ++semaphore.total;
        }
    }
    std::vector<std::uint32_t> members(numbering.threads(), 0);  // by component
    for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
        State& state = threads_[t];
        state.component = groups.find_set(t);
        state.place = members[state.component]++;
        std::sort(state.named_steps.begin(), state.named_steps.end());
        state.named_steps.erase(std::unique(state.named_steps.begin(), state.named_steps.end()),
            state.named_steps.end());
    }
    for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
        const StepAt owner = numbering.owner(t);
        const Thread& thread = schedule.ranks[owner.rank].threads[owner.thread];
        entries_ += std::uint64_t{members[threads_[t].component]} * clocks_kept(thread, threads_[t].named_steps);
    }
}

Clocks::Snapshot Clocks::snapshot(std::uint32_t thread) const
{
    const State& state = threads_[thread];
    return {state.known, thread, state.own + 1, state.done};
}

void Clocks::join(std::uint32_t thread, const Snapshot& earlier)
{
    State& state = threads_[thread];
    raise(state.begin, earlier.depth);
    raise(state.done, earlier.depth);
    if (earlier.thread == thread || ordered({earlier.thread, earlier.own}, thread)) return;
    if (!state.known && earlier.known) {
        state.known = std::make_shared<Clock>(*earlier.known);
    } else if (!state.known) {
        state.known = std::make_shared<Clock>(threads_[earlier.thread].place + 1);
    } else if (state.known.use_count() > 1) {
        state.known = std::make_shared<Clock>(*state.known);
    }
    Clock& known = *state.known;
    if (earlier.known) {
        if (known.size() < earlier.known->size()) known.resize(earlier.known->size());
        std::transform(earlier.known->begin(), earlier.known->end(), known.begin(), known.begin(),
            [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    }
    const std::uint32_t place = threads_[earlier.thread].place;
    if (known.size() <= place) known.resize(place + 1);
    known[place] = std::max(known[place], earlier.own);
}

bool Clocks::ordered(Epoch epoch, std::uint32_t thread) const
{
    const State& state = threads_[thread];
    if (epoch.count == 0) return true;
    if (epoch.thread == thread) return epoch.count <= state.own;
    const State& other = threads_[epoch.thread];
    return other.component == state.component && state.known && other.place < state.known->size() &&
        epoch.count <= (*state.known)[other.place];
}

void Clocks::start(std::uint32_t thread, const Step& step, std::uint32_t index)
{
    State& state = threads_[thread];
    if (!step.with_previous) {
        state.own = index;
        state.begin = state.done;
    }
    for (const StepId& dependency : step.after) {
        const State& other = threads_[first_of_rank_[thread] + dependency.thread];
        const auto named = std::lower_bound(other.named_steps.begin(), other.named_steps.end(), dependency.step);
        const auto position = static_cast<std::size_t>(named - other.named_steps.begin());
        join(thread, other.named[position]);
    }
}

bool Clocks::wait(std::uint32_t thread, std::uint32_t number)
{
    Semaphore& semaphore = semaphores_[number];
    const bool in_order = ordered(semaphore.last_wait, thread);
    semaphore.last_wait = {thread, threads_[thread].own + 1};
    ++semaphore.waits;
    // With several senders, the k-th wait proves only those signals without which k could not have come.
    for (Semaphore::Sender& sender : semaphore.senders) {
        const std::uint64_t others = semaphore.total - sender.total;
        if (semaphore.waits <= others) continue;
        const std::uint64_t certain = std::min<std::uint64_t>(semaphore.waits - others, sender.sent.size());
        if (certain == 0) continue;
        Depth depth = sender.sent[certain - 1].depth;
        join(thread, sender.sent[certain - 1]);
        // Waiters of one semaphore are ordered, so what one has joined reaches the next.
        for (; sender.joined < certain; ++sender.joined) sender.sent[sender.joined].known.reset();
        raise(threads_[thread].done, depth);
    }
    return in_order;
}

void Clocks::signal(std::uint32_t thread, std::uint32_t number)
{
    Semaphore& semaphore = semaphores_[number];
    const auto sender = std::find_if(semaphore.senders.begin(), semaphore.senders.end(),
        [thread](const Semaphore::Sender& s) { return s.thread == thread; });
    Snapshot now = snapshot(thread);
    ++now.depth.signals;
    sender->sent.push_back(std::move(now));
}

void Clocks::barrier(const std::vector<std::uint32_t>& threads)
{
    std::vector<Snapshot> arrived;
    for (std::uint32_t thread : threads) arrived.push_back(snapshot(thread));
    for (std::uint32_t thread : threads)
        for (const Snapshot& other : arrived) join(thread, other);
}

void Clocks::follow(std::uint32_t thread, const Depth& depth)
{
    raise(threads_[thread].begin, depth);
    raise(threads_[thread].done, depth);
}

Depth Clocks::depth_at(std::uint32_t thread, bool remote) const
{
    Depth end = threads_[thread].begin;
    if (remote) ++end.moves;
    return end;
}

void Clocks::finish(std::uint32_t thread, std::uint32_t index, bool remote)
{
    State& state = threads_[thread];
    raise(state.done, depth_at(thread, remote));
    if (state.named.size() == state.named_steps.size() || state.named_steps[state.named.size()] != index) return;
    // Naming a step in `after` waits for what precedes it too.
    state.named.push_back(snapshot(thread));
    state.named.back().own = index + 1;
}

}  // namespace weft
