#include "collectives/synthesis/estimate_player.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// Slots in which a thread looks for packets at once; 1: one after the other.
std::size_t slots_at_once(const std::vector<Step>& steps)
{
    std::size_t slots = 0;
    bool before = false;
    bool together = false;
    for (const Step& step : steps) {
        const auto packets = std::count_if(step.sources.begin(), step.sources.end(),
            [](const ChunkRef& source) { return source.buffer == Buffer::packets; });
        together = together || packets > 1 || (packets > 0 && before && step.with_previous);
        before = packets > 0;
        slots += static_cast<std::size_t>(packets);
    }
    return together ? slots : 1;
}

}  // namespace

EstimatePlayer::EstimatePlayer(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options)
    : schedule_(schedule), graph_(graph), options_(options), numbering_(schedule), threads_(numbering_.threads()),
      semaphores_(numbering_.semaphores()), meetings_(numbering_.barriers()), clock_(graph), switch_routes_(graph),
      each_(std::max(1U, options.threads_each)),
      chunk_bytes_(schedule.chunks == 0 ? 0.0 : static_cast<double>(options.bytes) / schedule.chunks),
      has_packets_(std::any_of(schedule.ranks.begin(), schedule.ranks.end(),
          [](const RankPlan& plan) { return plan.packet_chunks > 0; }))
{
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
        const StepAt owner = numbering_.owner(t);
        threads_[t].rank = owner.rank;
        threads_[t].steps = &schedule.ranks[owner.rank].threads[owner.thread].steps;
        if (has_packets_) {
            const std::size_t slots = slots_at_once(*threads_[t].steps);
            threads_[t].packets =
                PacketSteps(0, slots > 1 ? slots * schedule.ranks[owner.rank].threads.size() * each_ : 1);
        }
        for (const Step& step : *threads_[t].steps)
            for (const StepId& id : step.after)
                depended_.try_emplace(key(numbering_.thread(owner.rank, id.thread), id.step));
    }
}

Estimate EstimatePlayer::play()
{
    // The first thread of every rank, then the second: lines of all of them mix.
    std::size_t most = 0;
    for (const RankPlan& plan : schedule_.ranks) most = std::max(most, plan.threads.size());
    for (std::uint32_t t = 0; t < most; ++t)
        for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
            if (t < schedule_.ranks[rank].threads.size()) resume(numbering_.thread(rank, t), 0);
    while (!events_.empty() && !unpriced_) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.time;
        if (options_.watch != nullptr && ++played_ % events_of_a_call == 0) (*options_.watch)();
        switch (event.kind) {
        case Kind::resume: run(event.index); break;
        case Kind::hop: hop(event.index); break;
        case Kind::loaded: loaded(event.index); break;
        }
    }
    return result();
}

// False: the thread goes on when all that it loads is there; what it stores may be on its way.
bool EstimatePlayer::has_loaded(Thread& thread)
{
    if (thread.loading == 0) return true;
    thread.blocked = thread.for_loads = true;
    return false;
}

// False: the thread goes on when all it has under way has ended.
bool EstimatePlayer::settle(Thread& thread)
{
    if (thread.in_flight > 0 || thread.loading > 0) {
        thread.blocked = true;
        thread.for_loads = false;
        return false;
    }
    thread.time = std::max(thread.time, thread.settled);
    return true;
}

void EstimatePlayer::unblock(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (!thread.blocked || thread.loading > 0) return;
    if (thread.in_flight > 0 && !thread.for_loads) return;
    thread.blocked = false;
    resume(index, thread.for_loads ? std::max(now_, thread.time) : std::max({now_, thread.time, thread.settled}));
}

void EstimatePlayer::run(std::uint32_t index)
{
    Thread& thread = threads_[index];
    thread.time = std::max(thread.time, now_);
    while (thread.next < thread.steps->size()) {
        const Step& step = (*thread.steps)[thread.next];
        // What others do meanwhile takes its place at the links first.
        if (thread.time > now_) return resume(index, thread.time);
        if (!dependencies_met(index, step)) return;
        const auto followers = depended_.empty() ? depended_.end() : depended_.find(key(index, thread.next));
        if (is_data(step.kind)) {
            const bool run_goes_on =
                thread.next + 1 < thread.steps->size() && (*thread.steps)[thread.next + 1].with_previous;
            if (!may_move(index, step)) return;
            move(index, step, run_goes_on);
            if (unpriced_) return;
        } else if (step.kind == StepKind::signal) {
            if (!settle(thread)) return;
            if (thread.time > now_) continue;
            thread.time += rank_of(thread).fence_ps;
            thread.open.fence();
            signal(index, step);
        } else if (step.kind == StepKind::wait) {
            if (!wait(index, step)) return;
            thread.open.barrier();
        } else if (step.kind == StepKind::barrier) {
            if (!settle(thread)) return;
            thread.time += rank_of(thread).fence_ps;
            ++thread.next;
            if (!meet(index, step)) return;
            continue;
        }
        ++thread.next;
        if (followers != depended_.end() && !publish(index, followers->second)) return;
    }
}

bool EstimatePlayer::dependencies_met(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    for (const StepId& id : step.after) {
        Dependency& dependency = depended_[key(numbering_.thread(thread.rank, id.thread), id.step)];
        if (!dependency.done) {
            dependency.sleepers.push_back(index);
            return false;
        }
        thread.time = std::max(thread.time, dependency.time);
        thread.base = std::max(thread.base, dependency.depth);
        thread.depth = std::max(thread.depth, thread.base);
    }
    return true;
}

// The step before thread.next is complete for those who wait for it, if all stores are acknowledged.
bool EstimatePlayer::publish(std::uint32_t index, Dependency& dependency)
{
    Thread& thread = threads_[index];
    const auto tell = [&](Ps at) {
        dependency.done = true;
        dependency.time = at + rank_of(thread).own_flag_ps + rank_of(thread).notice_ps;
        dependency.depth = thread.depth;
        for (const std::uint32_t sleeper : dependency.sleepers) resume(sleeper, dependency.time);
    };
    if (settle(thread)) {
        thread.time += rank_of(thread).fence_ps;  // it says so by a flag
        tell(thread.time);
        return true;
    }
    unpublished_.emplace(index, &dependency);
    return false;
}

void EstimatePlayer::signal(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    const std::uint32_t semaphore = numbering_.semaphore(step.peer, step.semaphore);
    if (step.peer == thread.rank)
        return arrive(semaphore, thread.rank, thread.time + rank_of(thread).own_flag_ps, thread.depth);
    const CostPath& path = graph_.path(thread.rank, step.peer);
    alpha_ = std::max(alpha_, path.put_ps + graph_.ranks[step.peer].notice_ps);
    Transfer transfer;
    transfer.flight = LinkClock::put(path, thread.rank, 0, thread.time);
    transfer.flight.messages = each_;
    transfer.use = Use::signal;
    transfer.thread = index;
    transfer.target = semaphore;
    transfer.depth = thread.depth;
    transfer.to = step.peer;
    launch(transfer);
    last_ = std::max(last_, thread.time + path.put_ps + path.answer_ps);
}

void EstimatePlayer::arrive(std::uint32_t number, std::uint32_t rank, Ps time, std::uint32_t depth)
{
    Semaphore& semaphore = semaphores_[number];
    semaphore.arrived.push_back({time, depth});
    if (semaphore.woken >= semaphore.sleepers.size()) return;
    resume(semaphore.sleepers[semaphore.woken++], std::max(now_, time + graph_.ranks[rank].notice_ps));
}

// Waits of a thread from its next step on that are one look: in a row, for different flags, with nothing between them.
std::uint32_t EstimatePlayer::waits_together(std::uint32_t index) const
{
    const Thread& thread = threads_[index];
    const std::vector<Step>& steps = *thread.steps;
    const std::size_t first = thread.next;
    const std::size_t end = std::min<std::size_t>(steps.size(), first + rank_of(thread).poll_lanes);
    const auto goes_on = [&](std::uint32_t at) {
        if (steps[at].kind != StepKind::wait || !steps[at].after.empty()) return false;
        if (depended_.count(key(index, at - 1)) != 0) return false;
        return std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.begin() + at,
            [&](const Step& step) { return step.semaphore == steps[at].semaphore; });
    };
    std::uint32_t at = thread.next + 1;
    while (at < end && goes_on(at)) ++at;
    return at - thread.next;
}

bool EstimatePlayer::wait(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    const bool begins = thread.waits_left == 0;
    if (begins) thread.waits_left = waits_together(index);
    Semaphore& semaphore = semaphores_[numbering_.semaphore(thread.rank, step.semaphore)];
    if (semaphore.taken == semaphore.arrived.size()) {
        semaphore.sleepers.push_back(index);
        thread.slept = true;
        return false;
    }
    const Arrival arrival = semaphore.arrived[semaphore.taken];
    const Ps noticed = arrival.time + rank_of(thread).notice_ps;
    ++semaphore.taken;
    // It takes a look at least, at all flags that are still missing.
    if (begins || thread.slept)
        thread.looked = thread.time + rank_of(thread).poll_ps + (thread.waits_left - 1) * rank_of(thread).poll_slot_ps;
    thread.slept = false;
    thread.time = std::max(thread.time, noticed);
    if (--thread.waits_left == 0) thread.time = std::max(thread.time, thread.looked);
    thread.base = std::max(thread.base, arrival.depth);
    thread.depth = std::max(thread.depth, thread.base);
    return true;
}

bool EstimatePlayer::meet(std::uint32_t index, const Step& step)
{
    const Thread& thread = threads_[index];
    std::vector<std::uint32_t>& there = meetings_[numbering_.barrier(thread.rank, step.semaphore)];
    there.push_back(index);
    if (there.size() < step.participants) return false;
    std::uint32_t depth = 0;
    for (const std::uint32_t other : there) depth = std::max(depth, threads_[other].depth);
    for (const std::uint32_t other : there) {
        threads_[other].base = threads_[other].depth = depth;
        resume(other, thread.time + rank_of(thread).own_flag_ps + rank_of(thread).notice_ps);
    }
    there.clear();
    return false;
}

// Steps that wait for a step of this thread are told when what it stored is acknowledged.
void EstimatePlayer::finish_blocked(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.loading > 0 || (thread.in_flight > 0 && !thread.for_loads)) return;
    if (thread.in_flight > 0) return unblock(index);
    const auto waiting = unpublished_.find(index);
    if (waiting != unpublished_.end()) {
        Dependency& dependency = *waiting->second;
        unpublished_.erase(waiting);
        thread.blocked = true;
        thread.for_loads = false;
        publish(index, dependency);
    }
    unblock(index);
}

Estimate EstimatePlayer::result()
{
    Estimate out;
    Ps end = last_;
    for (const Thread& thread : threads_) {
        if (thread.next < thread.steps->size()) out.runs = false;
        end = std::max({end, thread.time, thread.settled});
        out.steps = std::max(out.steps, thread.depth);
    }
    if (unpriced_) out.runs = false;
    out.switches = switch_routes_.most();
    Ps launch = 0;
    for (const CostRank& rank : graph_.ranks) launch = std::max(launch, rank.launch_ps);
    out.time_ps = end + launch;
    out.alpha_ps = alpha_;
    for (std::size_t link = 0; link < graph_.links.size(); ++link) {
        const double busy = clock_.least_ps(static_cast<std::uint32_t>(link));
        if (busy <= out.busiest_ps) continue;
        out.busiest = static_cast<std::int64_t>(link);
        out.busiest_ps = busy;
        out.busiest_bytes = clock_.payload()[link];
    }
    // Acknowledges of copies are booked when these leave; pushes that take the wire for longer have booked it ahead of them.
    if (out.busiest >= 0 && graph_.links[static_cast<std::size_t>(out.busiest)].push_more_ps_per_byte > 0)
        out.time_ps = std::max(out.time_ps, static_cast<Ps>(std::ceil(out.busiest_ps)) + push_way_ps_ + launch);
    return out;
}

}  // namespace weft
