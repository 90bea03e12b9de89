// FlowCore: moves that engines carry out in place of wavefronts (docs/models/copy_engine.md).
#include <algorithm>
#include <cmath>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

// Moves of one source.
bool FlowCore::is_copy(const Thread& thread, const FlowOp& op)
{
    constexpr unsigned by_units =
        FlowOp::loads_group | FlowOp::stores_group | FlowOp::loads_packets | FlowOp::stores_packets;
    return thread.job->what.mover != FlowMover::units && op.own_sources + op.sources == 1 && (op.flags & by_units) == 0;
}

// Whether the registers of a wavefront hold what a thread loads.
bool FlowCore::in_order(const Thread& thread) const
{
    return profile_.registers_in_order && thread.job->what.mover == FlowMover::units;
}

// A copy waits for what the thread has copied only if it touches that.
bool FlowCore::may_copy(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    if (op.has(FlowOp::needs_fence) && !thread.fenced) {
        if (!settle(index)) return false;
        thread.fenced = true;
    }
    if (thread.time <= now_) return true;
    resume(index, thread.time);
    return false;
}

// A line is in flight from its load to the acknowledges of its stores: for how long, the mean of what is stored.
double FlowCore::held_ps(const Thread& thread, const FlowOp& op, const MoveLoad& load)
{
    const auto loaded = static_cast<double>(load.load_ps);
    double stored = op.own_destinations * static_cast<double>(thread.cost->load_ps);
    for (std::uint32_t i = 0; i < op.destinations; ++i)
        stored += static_cast<double>(
            round_trip(thread.endpoint, endpoint_at(thread, thread.program->operands[op.first + op.sources + i].peer)));
    return (loaded + stored) / op.copies();
}

// When the last load of a copy is issued whose first one is at `first`. A byte goes when the one `in_flight` before it has been
// acknowledged.
FlowCore::CopyIssue FlowCore::issue_copy(Engine& engine, const CopyCost& by, double stored, double held, Ps first)
{
    constexpr double steps_of_window = 16;
    const double step = by.in_flight / steps_of_window;
    auto at = static_cast<double>(first);
    double waited = 0;
    for (double left = stored; left > 0; left -= step) {
        const double bytes = std::min(left, step);
        engine.issued += bytes;
        while (!engine.open.empty() && engine.open.front().first <= engine.issued - by.in_flight) {
            engine.done_ps = engine.open.front().second;
            engine.open.pop_front();
        }
        waited += std::max(0.0, engine.done_ps - at);
        at = std::max(at, engine.done_ps) + bytes * by.ps_per_byte;
        engine.open.emplace_back(engine.issued, at + held);
    }
    return {static_cast<Ps>(std::llround(at)), static_cast<Ps>(waited)};
}

// An engine takes copies one after the other, the next one when all loads of the one before are issued. The list of a copy engine
// goes on then, too; a unit that has handed a copy over goes on at once.
void FlowCore::copy(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    thread.fenced = false;
    const Job& job = *thread.job;
    const bool list = job.what.mover == FlowMover::copy;
    const CopyCost& by = list ? thread.cost->copy : thread.cost->bulk;
    const MoveLoad load = load_of(thread, op);
    if (load.data <= 0) return;
    std::vector<std::vector<Engine>>& all = engines_[list ? 0 : 1];
    if (all.size() <= thread.endpoint) all.resize(ranks_.size());
    std::vector<Engine>& own = all[thread.endpoint];
    if (own.empty()) own.resize(by.engines);
    Engine& engine = own[(index - job.thread(thread.rank, 0)) % by.engines];
    spent(index, FlowCause::busy);
    const Ps head = std::max(thread.time, engine.free);
    const Ps first = head + by.start_ps;
    const double held = held_ps(thread, op, load);
    const CopyIssue issue = issue_copy(engine, by, load.data * op.copies(), held, first);
    const Ps span = issue.end - first;
    engine.free = issue.end;
    if (list) {
        thread.time = issue.end;
        if (logs()) log_copy(index, head, issue);
    }
    Move record;
    record.op = thread.next;
    record.thread = index;
    if (logs()) record.record = log_->record_of(index);
    record.bytes = load.data;
    record.load_ps = load.load_ps;
    record.issue_ps = record.slots_ps = record.stride_ps = span;
    if (profile_.links.buffers && op.sources + op.destinations > 0) {
        constexpr double most_parts = 64;
        constexpr double parts_of_window = 8;
        if (engine.window == 0) {
            engine_windows_.emplace_back().most = by.in_flight;
            engine.window = static_cast<std::uint32_t>(engine_windows_.size());
        }
        record.window = engine.window;
        record.held_ps = static_cast<Ps>(std::llround(held));
        record.least_parts =
            static_cast<std::uint32_t>(std::ceil(std::min(most_parts, load.data * parts_of_window / by.in_flight)));
    }
    if (op.sources == 0) return store(record, first + load.load_ps, first + load.load_ps + span);
    ++thread.loading;
    ask(record, first);
}

}  // namespace weft
