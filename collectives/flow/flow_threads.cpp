// FlowCore: waits and signals of threads. Barriers and dependencies are in flow_dependencies.cpp. Moves are in flow_moves.cpp.
#include <algorithm>
#include <array>

#include "base/line_size.h"
#include "collectives/flow/flow_windows.h"

namespace weft {

// The functions marked always_inline, here and in flow_moves.cpp, run for every operation. As calls they took a fifth of the
// instructions of a message.

// Until the next signal comes to the semaphore that it waits for.
[[gnu::always_inline]] inline void FlowCore::sleep(std::uint32_t index)
{
    Job& job = *threads_[index].job;
    Job::Semaphore& semaphore = job.semaphores[threads_[index].wait_semaphore];
    job.append(semaphore.first_sleeper, semaphore.last_sleeper, job.new_node(0, index));
}

[[gnu::always_inline]] inline void FlowCore::signal(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    if (thread.signal_to != op.peer || thread.signal_number != op.semaphore) find_signal(thread, op);
    Job& job = *thread.job;
    if (op.peer == 0)
        return arrive(job, thread.signal_semaphore, thread.time + thread.cost->own_flag_ps, now_,
            log_sent(index, thread.time, thread.cost->own_flag_ps));
    const std::uint32_t peer = thread.signal_rank;
    if (border_ != nullptr && outside_[job.what.members[peer]]) return signal_outside(index, op, peer);
    if (!profile_.signals_with_data || op.has(FlowOp::shared_flag)) return send_signal(index);
    thread.acknowledged = std::max(thread.acknowledged, thread.time);
    arrive(job, thread.signal_semaphore, thread.time, thread.time, log_sent(index, thread.time, 0));
}

// False: the thread has to wait for something.
[[gnu::always_inline]] inline bool FlowCore::may_move(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    if (!op.has(FlowOp::with_previous)) {
        if (!has_loaded(index)) return false;
        thread.time = std::max(thread.time, thread.loaded);
        spent(index, FlowCause::loads);
    }
    if (op.has(FlowOp::needs_fence) && (!thread.fenced || op.has(FlowOp::asks_fenced))) {
        if (!settle(index)) return false;
        if (!thread.fenced) thread.time += (op.has(FlowOp::fenced_twice) ? 2 : 1) * thread.cost->fence_ps;
        thread.fenced = true;
        spent(index, FlowCause::acknowledge);
        if (thread.packets != none) {
            packet_steps_[thread.packets].hold_until(thread.time, thread.next);
        }
    }
    if (op.has(FlowOp::loads_packets)) {
        if (!op.has(FlowOp::with_previous)) packet_steps_[thread.packets].hold_until(thread.time, thread.next);
        if (!packets_have_come(index, op)) return false;
    }
    if (thread.time > now_) {
        resume(index, thread.time);
        return false;
    }
    // A copy to its own place comes behind all stores that wait.
    if (thread.places > 0 && op.sources + op.destinations == 0 && windows_->waits(index, index)) return false;
    return thread.loading == 0 || finds_registers(index, op);
}

[[gnu::always_inline]] inline void FlowCore::move(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    thread.fenced = false;
    if (thread.job->what.step_bytes && bytes_of(thread, op) <= 0) return;
    const bool as_before = thread.shape == op.shape && !devices_;
    if (as_before && !op.has(FlowOp::loads_packets) && !op.has(FlowOp::stores_packets)) return move_own(index, op);
    move_anew(index, op);
}

// When a thread whose polls have known times finds a flag that is set at `time`. In a divided cache the flag is in either half: the mean, and of
// lists, whose engines lie in both halves, the later one.
template <class Thread>
static std::uint64_t found(const Thread& thread, std::uint64_t time)
{
    const CostRank& cost = *thread.cost;
    const bool list = thread.job->what.mover == FlowMover::copy;
    const std::uint64_t period = list ? cost.copy.poll_period_ps : cost.poll_period_ps;
    const std::uint64_t way = (list ? cost.copy_notice_ps : cost.notice_ps) - period / 2;
    if (period == 0) return std::max(thread.looked, time + way);
    const auto first_poll = [time](std::uint64_t looked, std::uint64_t between, std::uint64_t back) {
        return time + back <= looked ? looked : looked + (time + back - looked + between - 1) / between * between;
    };
    const std::uint64_t far = cost.poll_far_ps;
    if (far == 0) return first_poll(thread.looked, period, way);
    const std::uint64_t near_poll = first_poll(thread.looked - far, period - far, way - far / 2);
    const std::uint64_t far_poll = first_poll(thread.looked + far, period + far, way + far / 2);
    return list ? std::max(near_poll, far_poll) : (near_poll + far_poll) / 2;
}

// Whether one thread of the rank at most has something to do but signal: the rank has no others, or blocks have a line or less.
template <class Job>
static bool is_alone(const Job& job, std::uint32_t rank)
{
    return job.what.bytes <= std::uint64_t{line_bytes} * job.program().ranks() ||
        (job.what.threads_each == 1 && job.program().threads(rank) == 1);
}

// So many waits from here on are polled together.
void FlowCore::begin_waits(std::uint32_t index, std::uint32_t waits)
{
    Thread& thread = threads_[index];
    thread.waits_left = waits;
    thread.in_phase = thread.job->what.mover == FlowMover::copy ||
        (profile_.poll_phases && !devices_ && is_alone(*thread.job, thread.rank));
    thread.in_row = profile_.last_flags && waits > 1 && !thread.in_phase;
}

// It takes a look at least, at all flags that are still missing.
void FlowCore::look(std::uint32_t index, std::uint32_t flags, bool begins)
{
    Thread& thread = threads_[index];
    const CostRank& cost = *thread.cost;
    thread.looked = thread.time + cost.poll_ps + (flags - 1) * cost.poll_slot_ps + (begins ? longer_poll(index) : 0);
}

[[gnu::always_inline]] inline bool FlowCore::wait(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    Job& job = *thread.job;
    const CostRank& cost = *thread.cost;
    const bool list = job.what.mover == FlowMover::copy;
    const Ps notice = list ? cost.copy_notice_ps : cost.notice_ps;
    const bool begins = thread.waits_left == 0;
    if (begins) begin_waits(index, std::min<std::uint32_t>(op.waits, list ? 1U : std::max(1U, cost.poll_lanes)));
    if (begins && thread.in_phase) look(index, thread.waits_left, begins);
    Job::Semaphore& semaphore = job.semaphores[semaphore_of(thread, op)];
    if (semaphore.first == none) {
        thread.slept = true;
        blocked_for(index, FlowCause::flag);
        sleep(index);
        return false;
    }
    const Job::Node& next = job.nodes[semaphore.first];
    if (next.known > now_) {
        thread.slept = true;
        blocked_for(index, FlowCause::flag);
        resume(index, std::max(next.known, thread.in_phase ? found(thread, next.time) : next.time + notice));
        return false;
    }
    const Job::Node arrival = job.take_first(semaphore.first);
    if (!thread.in_phase && (begins || (thread.slept && !thread.in_row && !is_lone(thread))))
        look(index, thread.waits_left, begins);
    const Ps late = thread.in_row && thread.slept ? cost.poll_period_ps / 2 + longer_poll(index) : 0;
    thread.time = std::max(thread.time, thread.in_phase ? found(thread, arrival.time) : arrival.time + notice + late);
    thread.slept = false;
    if (--thread.waits_left == 0) thread.time = std::max(thread.time, thread.looked);
    spent(index, FlowCause::flag);
    if (logs()) log_->released(index, arrival.sent, arrival.time);
    return true;
}

void FlowCore::run_thread(std::uint32_t index)
{
    Thread& thread = threads_[index];
    thread.time = std::max(thread.time, now_);
    if (logs()) log_resumed(index);
    const FlowTemplate& program = *thread.program;
    while (thread.next < program.ops.size()) {
        const FlowOp& op = program.ops[thread.next];
        // What others do meanwhile takes its place at the links first.
        if (thread.time > now_) return resume(index, thread.time);
        if (logs()) log_operation(index);
        if (op.has(FlowOp::depends) && !dependencies_met(index)) return;
        // Its own flag may come before a dependency that is known to be met later.
        if (op.kind == FlowKind::wait && thread.waits_left > 0 && thread.time > now_) return resume(index, thread.time);
        switch (op.kind) {
        case FlowKind::move:
            if (is_copy(thread, op)) {
                if (!may_copy(index, op)) return;
                copy(index, op);
                break;
            }
            if (!may_move(index, op)) return;
            move(index, op);
            break;
        case FlowKind::signal:
            if (!settle(index)) return;
            if (thread.time > now_ && signals_at_once(index)) return;
            if (thread.time > now_) continue;
            fence(thread);
            spent(index, FlowCause::acknowledge);
            if (devices_) {
                thread.time += devices_->issue(index, thread.endpoint, 1, 0, now_).first;
                spent(index, FlowCause::outstanding);
            }
            signal(index, op);
            if (profile_.signal_slots && thread.next + 1 < program.ops.size() &&
                program.ops[thread.next + 1].kind == FlowKind::signal) {
                thread.time += thread.cost->poll_slot_ps;
                spent(index, FlowCause::busy);
            }
            break;
        case FlowKind::wait:
            if (!wait(index, op)) return;
            break;
        case FlowKind::barrier:
            if (!settle(index)) return;
            fence(thread);
            ++thread.next;
            if (!meet(index, op)) return;
            continue;
        case FlowKind::nop: break;
        }
        ++thread.next;
        if (op.has(FlowOp::published)) {
            Job& job = *thread.job;
            const StepId id{index - job.thread(thread.rank, 0), thread.next - 1};
            if (!publish(index, dependency_of(job, thread.rank, id))) return;
        }
    }
    if (logs()) log_operation(index);
    blocked_for(index, thread.loading > 0 ? FlowCause::loads : FlowCause::acknowledge);
    if (thread.in_flight == 0 && thread.loading == 0 && thread.unpublished == none) end_thread(index);
}

// False: the thread goes on when all that it loads is there; what it stores may be on its way.
bool FlowCore::has_loaded(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.loading == 0) return true;
    thread.blocked = thread.for_loads = true;
    blocked_for(index, FlowCause::loads);
    return false;
}

// Before a flag of its own or of a peer.
void FlowCore::fence(Thread& thread)
{
    if (thread.job->what.mover != FlowMover::copy) thread.time += thread.cost->fence_ps;
}

// False: the thread goes on when all it has under way has ended.
bool FlowCore::settle(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.in_flight > 0 || thread.loading > 0) {
        thread.blocked = true;
        thread.for_loads = false;
        blocked_for(index, thread.loading > 0 ? FlowCause::loads : FlowCause::acknowledge);
        return false;
    }
    thread.time = std::max(thread.time, thread.settled);
    if (logs()) log_settled(index);
    return true;
}

void FlowCore::unblock(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.loading > 0) return;
    if (thread.blocked && thread.for_loads) {
        thread.blocked = false;
        return resume(index, std::max(now_, thread.time));
    }
    if (thread.in_flight > 0) return;
    if (thread.blocked) {
        thread.blocked = false;
        if (signals_at_once(index)) return;
        return resume(index, std::max({now_, thread.time, thread.settled}));
    }
    if (thread.next >= thread.program->ops.size() && thread.unpublished == none) end_thread(index);
}

// A signal that comes with its data, and the wait behind it, need no events of their own where looking at a flag takes no
// time: when they are over is known as soon as the data's end is.
bool FlowCore::signals_at_once(std::uint32_t index)
{
    Thread& thread = threads_[index];
    const std::vector<FlowOp>& ops = thread.program->ops;
    if (!profile_.signals_with_data || thread.next >= ops.size()) return false;
    const FlowOp& op = ops[thread.next];
    constexpr unsigned others = FlowOp::depends | FlowOp::published | FlowOp::shared_flag;
    if (op.kind != FlowKind::signal || (op.flags & others) != 0 || op.peer == 0) return false;
    const CostRank& cost = *thread.cost;
    if (cost.poll_ps != 0 || cost.poll_slot_ps != 0 || cost.fence_ps != 0) return false;
    thread.time = std::max({now_, thread.time, thread.settled});
    if (logs()) log_settled(index);
    signal(index, op);
    ++thread.next;
    if (thread.next >= ops.size() || ops[thread.next].kind != FlowKind::wait ||
        (ops[thread.next].flags & others) != 0) {
        resume(index, thread.time);
        return true;
    }
    if (logs()) log_operation(index);
    blocked_for(index, FlowCause::flag);
    const Job::Semaphore& semaphore = thread.job->semaphores[semaphore_of(thread, ops[thread.next])];
    if (semaphore.first == none) {
        sleep(index);
    } else {
        const Job::Node& next = thread.job->nodes[semaphore.first];
        resume(index, std::max({thread.time, next.known, next.time + cost.notice_ps}));
    }
    return true;
}

void FlowCore::find_signal(Thread& thread, const FlowOp& op)
{
    Job& job = *thread.job;
    const RankGrid& grid = job.program().grid;
    const std::uint32_t peer = grid.peer(thread.rank, op.peer);
    // One rank for all: what it sends ahead comes to it from behind.
    const bool folded = job.what.one_for_all;
    const std::uint32_t from = folded ? grid.peer(thread.rank, grid.opposite(op.peer)) : thread.rank;
    thread.signal_rank = folded ? thread.rank : peer;
    thread.signal_to = op.peer;
    thread.signal_number = op.semaphore;
    thread.signal_semaphore = job.semaphore(thread.signal_rank, from, op.semaphore);
    thread.signal_path = op.peer == 0 ? none : book_.find(thread.endpoint, job.what.members[peer]);
}

void FlowCore::send_signal(std::uint32_t index)
{
    Thread& thread = threads_[index];
    const Job& job = *thread.job;
    const FlowPath& path = book_.path(thread.signal_path);
    const Ps answered = profile_.signals_with_data ? thread.time : thread.time + path.put_ps + path.answer_ps;
    thread.acknowledged = std::max(thread.acknowledged, answered);
    // It waits at no link, unless LinkRules::packets says that it takes the wire.
    std::uint32_t number = 0;
    Transfer& transfer = transfers_.open(number);
    transfer = Transfer{};
    transfer.flight = links_.put(thread.signal_path, thread.endpoint, 0, thread.time);
    transfer.flight.messages = short_signals_ ? 0 : job.what.threads_each;
    if (profile_.signals_with_data) transfer.flight.head_ps = transfer.earliest = thread.time;
    if (short_signals_ && !profile_.signals_with_data) {
        transfer.flight.stage = path.first + path.stages - 1;
        transfer.flight.passed = static_cast<std::uint16_t>(path.stages - 1);
        transfer.flight.head_ps = thread.time + path.head_ps;
    }
    transfer.use = Use::signal;
    transfer.thread = index;
    transfer.target = thread.signal_semaphore;
    transfer.job = job.id;
    transfer.sent = log_sent(index, thread.time, path.put_ps);
    push(transfer.flight.head_ps, Kind::hop, number);
}

// A signal that is there at `time` has reached its last link at `known`: until then nobody can find it.
void FlowCore::arrive(Job& job, std::uint32_t number, Ps time, Ps known, std::uint32_t sent)
{
    Job::Semaphore& semaphore = job.semaphores[number];
    job.append(semaphore.first, semaphore.last, job.new_node(time, known, sent));
    if (semaphore.first_sleeper == none) return;
    const auto sleeper = static_cast<std::uint32_t>(job.take_first(semaphore.first_sleeper).known);
    const Thread& thread = threads_[sleeper];
    const CostRank& cost = *thread.cost;
    const Ps notice =
        (job.what.mover == FlowMover::copy ? cost.copy_notice_ps : cost.notice_ps) + longer_poll(sleeper) / 2;
    resume(sleeper, std::max({known, thread.time, thread.in_phase ? found(thread, time) : time + notice}));
}

std::uint32_t FlowCore::find_semaphore(Thread& thread, const FlowOp& op)
{
    Job& job = *thread.job;
    thread.wait_for = op.peer;
    thread.wait_number = op.semaphore;
    thread.wait_semaphore = job.semaphore(thread.rank, job.program().grid.peer(thread.rank, op.peer), op.semaphore);
    return thread.wait_semaphore;
}

// Operations that wait for one of this thread are told when what it stored is acknowledged.
void FlowCore::finish_blocked(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.loading > 0) return;
    if (thread.in_flight > 0) {
        if (thread.blocked && thread.for_loads) unblock(index);
        return;
    }
    if (thread.unpublished != none) {
        const std::uint32_t number = thread.unpublished;
        thread.unpublished = none;
        thread.blocked = true;
        thread.for_loads = false;
        publish(index, number);
    }
    unblock(index);
}

}  // namespace weft
