// FlowCore: what it tells its log (flow_log.h).
#include <algorithm>

#include "collectives/flow/flow_windows.h"

namespace weft {

namespace {

FlowRecord::Kind record_kind(FlowKind kind)
{
    switch (kind) {
    case FlowKind::move: return FlowRecord::Kind::move;
    case FlowKind::signal: return FlowRecord::Kind::signal;
    case FlowKind::wait: return FlowRecord::Kind::wait;
    case FlowKind::barrier: return FlowRecord::Kind::barrier;
    case FlowKind::nop: break;
    }
    return FlowRecord::Kind::nop;
}

}  // namespace

void FlowCore::log_spent(std::uint32_t index, FlowCause cause) { log_->spend(index, cause, threads_[index].time); }

void FlowCore::log_blocked(std::uint32_t index, FlowCause cause)
{
    if (!windows_->of_thread(index).waiting.empty()) {
        windows_->of_thread(index).blocked_for = cause;
        cause = FlowCause::outstanding;
    }
    log_->block(index, cause);
}

// Requests of it wait for the limit of its unit: from here on it waits for that, whatever it waits for then.
void FlowCore::log_full(std::uint32_t index)
{
    windows_->of_thread(index).blocked_for = log_->waits_for(index);
    log_->spend(index, log_->waits_for(index), now_);
    log_->block(index, FlowCause::outstanding);
}

void FlowCore::log_room(std::uint32_t index)
{
    log_->spend(index, FlowCause::outstanding, now_);
    log_->block(index, windows_->of_thread(index).blocked_for);
}

// Its time has gone on from `begin` over the issue of a move.
void FlowCore::log_issue(std::uint32_t index, Ps begin)
{
    log_->issue(index, log_->pace(index), begin, threads_[index].time);
}

// A list whose copy comes to the head of its engine at `head`.
void FlowCore::log_copy(std::uint32_t index, Ps head, const CopyIssue& issue)
{
    log_->spend(index, FlowCause::issue, head);
    log_->spend(index, FlowCause::busy, issue.end - issue.held);
    log_->spend(index, FlowCause::outstanding, issue.end);
}

// It goes on after a wait, whose time ends now.
void FlowCore::log_resumed(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    if (log_->waits_for(index) == FlowCause::acknowledge)
        log_->spend(index, FlowCause::loads, std::min(thread.loaded, thread.time));
    log_->resume(index, thread.time, now_);
}

// Its time is that at which all it had under way had ended: first what it loaded, then what it stored.
void FlowCore::log_settled(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    log_->spend(index, FlowCause::loads, std::min(thread.loaded, thread.time));
    log_->spend(index, FlowCause::acknowledge, thread.time);
}

void FlowCore::log_operation(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    const std::vector<FlowOp>& ops = thread.program->ops;
    log_->operation(index, thread.next,
        thread.next < ops.size() ? record_kind(ops[thread.next].kind) : FlowRecord::Kind::end);
}

void FlowCore::log_end(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    const Ps end = std::max({thread.time, thread.settled, thread.acknowledged});
    log_->spend(index, FlowCause::loads, std::min(thread.loaded, end));
    log_->end(index, end);
}

// Its time has gone on from `begin` over a move from the own memory.
void FlowCore::log_move(std::uint32_t index, const FlowOp& op, Ps begin)
{
    const Thread& thread = threads_[index];
    if (!op.has(FlowOp::goes_on)) {
        FlowLives life;
        life.memory = thread.load_ps;
        log_->live(index, life, true);
        begin += thread.load_ps;
        log_->spend(index, FlowCause::loads, begin);
    }
    log_issue(index, begin);
}

// It has loaded at `from` what goes on in packets, and stores it; the thread itself goes on meanwhile.
void FlowCore::log_packets(std::uint32_t index, Ps from, const MoveLoad& load, const ThreadPace& pace)
{
    FlowLives life;
    life.memory = load.load_ps;
    log_->live(index, life, true);
    log_->spend(index, FlowCause::loads, from);
    log_->issue(index, {pace.issue_parts(load).busy_ps, pace.issue_parts(load).outstanding}, from,
        from + pace.issue_ps(load));
}

// One of its moves has loaded. Behind the last one a thread that waits for all it has under way waits for stores.
void FlowCore::log_loads(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    if (!thread.blocked || thread.loading > 0 || log_->waits_for(index) != FlowCause::loads) return;
    log_->spend(index, FlowCause::loads, now_);
    log_->block(index, FlowCause::acknowledge);
}

// A store was there at `tail`, without the time in which its last lines were issued, and is acknowledged at `acknowledged`.
void FlowCore::log_stored(const Transfer& transfer, Ps tail, Ps acknowledged)
{
    const bool apart = transfer.use == Use::acknowledge;  // `began` and `answer` are of both ways
    const Ps behind = apart ? 0 : transfer.answer + transfer.fetch_ps;
    const Ps alone = apart ? transfer.answer : behind + book_.path(transfer.flight.path).put_ps;
    const Ps whole = acknowledged - std::min(acknowledged, transfer.began);
    FlowLives life;
    life.latency = std::min(alone, whole);
    const Ps issued = acknowledged - std::min(acknowledged, tail + behind);
    life.issue = std::min(issued, whole - life.latency);
    life.serialisation = whole - life.latency - life.issue;
    if (!apart && log_->was_released(transfer.sent)) std::swap(life.issue, life.packets);
    log_->live(transfer.thread, life, false);
}

// A store that was there at `tail` is acknowledged by a transfer of its own.
void FlowCore::log_stored_at(const Transfer& stored, Ps tail, Transfer& acknowledge)
{
    const Ps alone = book_.path(stored.flight.path).put_ps + stored.answer + stored.fetch_ps;
    const Ps arrived = stored.flight.tail_ps + stored.fetch_ps;
    FlowLives life;
    life.issue = std::min(tail - std::min(tail, arrived), tail - std::min(tail, stored.began));
    acknowledge.began = stored.began + life.issue;
    if (log_->was_released(stored.sent)) std::swap(life.issue, life.packets);
    log_->live(stored.thread, life, false);
    acknowledge.answer = alone;
}

// Loads that a switch answers for a group count as latency.
void FlowCore::log_loaded(const Transfer& transfer, Ps tail)
{
    if (transfer.flight.of_group) return;
    const FlowPath& path = book_.path(transfer.flight.path);
    const Ps alone = round_trip(path.to, path.from);
    const Ps whole = tail - std::min(tail, transfer.began);
    FlowLives life;
    life.latency = std::min(alone, whole);
    life.memory = std::min(transfer.answer, whole - life.latency);
    const Ps issued = tail - std::min(tail, transfer.flight.tail_ps + life.memory);
    life.issue = std::min(issued, whole - life.latency - life.memory);
    life.serialisation = whole - life.latency - life.memory - life.issue;
    log_->live(transfer.thread, life, true);
}

}  // namespace weft
