// FlowCore: moves that engines carry out in place of wavefronts (docs/models/copy_engine.md).
#include <algorithm>
#include <cmath>

#include "base/line_size.h"
#include "collectives/flow/flow_windows.h"

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

FlowCore::Engine& FlowCore::engine_of(std::uint32_t index)
{
    Thread& thread = threads_[index];
    const bool of_unit = thread.job->what.mover != FlowMover::copy && devices_;
    return engines_of(thread).all[of_unit ? devices_->unit_of(index) : thread.engine];
}

// A copy waits for what the thread has copied only if it touches that.
bool FlowCore::may_copy(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    if (op.has(FlowOp::needs_fence) && !thread.fenced) {
        if (!settle(index)) return false;
        thread.fenced = true;
    }
    if (thread.time > now_) {
        resume(index, thread.time);
        return false;
    }
    const std::uint32_t window = engine_of(index).window;
    return window == 0 || !windows_->waits(index, Windows::of_engine(window));
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

// Bytes of a copy by which its engine's rate and limit count it: a part of a line counts as a whole line.
double FlowCore::copied_bytes(const Thread& thread, const MoveLoad& load) const
{
    const FlowJob& job = thread.job->what;
    if (!job.copied_lines) return load.data;
    return static_cast<double>(job.copied_lines(thread.rank, number_in_rank(thread), thread.next) * line_bytes);
}

// Those of its rank that copy for a thread.
FlowCore::Engines& FlowCore::engines_of(const Thread& thread)
{
    const bool list = thread.job->what.mover == FlowMover::copy;
    std::vector<Engines>& all = engines_[list ? 0 : 1];
    if (all.size() <= thread.endpoint) all.resize(ranks_.size());
    Engines& own = all[thread.endpoint];
    if (own.all.empty()) own.all.resize((list ? thread.cost->copy : thread.cost->bulk).engines);
    return own;
}

// A command list goes to the next copy engine that has room for it. False: it waits, behind those that wait already.
bool FlowCore::finds_engine(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    Engines& own = engines_of(thread);
    const std::uint32_t places = thread.cost->copy.places();
    const bool full =
        std::all_of(own.all.begin(), own.all.end(), [places](const Engine& each) { return each.taken >= places; });
    if (own.queued.empty() && !full) {
        take_engine(index, true);
        return true;
    }
    own.queued.emplace_back(index, now_);
    return false;
}

// The next engine with room in turn, or for who has waited the one that has become free, which changes no turn. Where all are full, a
// workgroup that waits for no place (beyond 64 ranks) shares the one whose turn it is.
void FlowCore::take_engine(std::uint32_t index, bool in_turn)
{
    Thread& thread = threads_[index];
    Engines& own = engines_of(thread);
    const auto count = static_cast<std::uint32_t>(own.all.size());
    const bool list = thread.job->what.mover == FlowMover::copy;
    const std::uint32_t places = list ? thread.cost->copy.places() : std::max(1U, thread.cost->threads / count);
    std::uint32_t step = 0;
    while (step < count && own.all[(own.next + step) % count].taken >= places) ++step;
    thread.engine = (own.next + step % count) % count;
    if (in_turn) own.next = (thread.engine + 1) % count;
    ++own.all[thread.engine].taken;
}

void FlowCore::leave_engine(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.engine == none) return;
    Engines& own = engines_of(thread);
    --own.all[thread.engine].taken;
    thread.engine = none;
    if (own.queued.empty()) return;
    const auto [next, since] = own.queued.front();
    own.queued.pop_front();
    take_engine(next, false);
    launch_thread(next, since);
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
    Engine& engine = engine_of(index);
    spent(index, FlowCause::busy);
    const Ps head = std::max(thread.time, engine.free);
    const Ps first = head + by.start_ps;
    const double held = held_ps(thread, op, load);
    const double bytes = copied_bytes(thread, load);
    const CopyIssue issue = issue_copy(engine, by, bytes * op.copies(), held, first);
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
            engine.window = windows_->add_engine(by.in_flight);
        }
        record.window = engine.window;
        record.places = bytes / load.data;
        record.held_ps = static_cast<Ps>(std::llround(held));
        record.least_parts =
            static_cast<std::uint32_t>(std::ceil(std::min(most_parts, bytes * parts_of_window / by.in_flight)));
    }
    if (op.sources == 0) return store(record, first + load.load_ps, first + load.load_ps + span);
    ++thread.loading;
    ask(record, first);
}

}  // namespace weft
