#include "collectives/engine/paths/flow_paths.h"

#include <algorithm>

namespace weft {

namespace {

constexpr std::uint32_t no_record = ~std::uint32_t{0};

constexpr unsigned place(PathCause cause) { return static_cast<unsigned>(cause); }
constexpr unsigned place(FlowCause cause) { return static_cast<unsigned>(cause); }

CauseTimes nothing_but(PathCause cause)
{
    CauseTimes out{};
    out[place(cause)] = 1;
    return out;
}

// How the time of transfers is divided among causes; `alone` is the cause for the time that their paths take by themselves.
CauseTimes flow_weights(const FlowLives& lives, PathCause alone)
{
    CauseTimes out{};
    out[place(PathCause::serialisation)] = lives.serialisation;
    out[place(PathCause::memory)] = lives.memory;
    out[place(PathCause::compute_units)] = lives.issue;
    out[place(PathCause::flag)] = lives.packets;
    out[place(alone)] += lives.latency;
    return out;
}

// Of [begin, end) of a record, where it spent so much of its time for flags. `transfers`: all of its thread.
CauseTimes flow_times(const FlowRecord& record, const FlowLives& transfers, Time begin, Time end, Time flag)
{
    CauseTimes weights{};
    weights[place(PathCause::compute_units)] =
        record.spent[place(FlowCause::busy)] + record.spent[place(FlowCause::issue)];
    weights[place(PathCause::flag)] = flag;
    share_out(record.spent[place(FlowCause::outstanding)], flow_weights(transfers, PathCause::compute_units), weights);
    share_out(record.spent[place(FlowCause::registers)], flow_weights(record.loads, PathCause::compute_units), weights);
    share_out(record.spent[place(FlowCause::loads)], flow_weights(record.loads, PathCause::latency), weights);
    share_out(record.spent[place(FlowCause::acknowledge)], flow_weights(record.stores, PathCause::latency), weights);
    CauseTimes out{};
    share_out(end - begin, weights, out);
    return out;
}

// How lines call it.
StallCause stall_cause(FlowCause cause)
{
    switch (cause) {
    case FlowCause::busy: return StallCause::none;
    case FlowCause::registers: return StallCause::registers;
    case FlowCause::outstanding: return StallCause::outstanding;
    case FlowCause::loads: return StallCause::loads;
    case FlowCause::acknowledge: return StallCause::fence;
    case FlowCause::queued: return StallCause::queued;
    case FlowCause::issue: return StallCause::issue;
    case FlowCause::flag: break;
    }
    return StallCause::flag;
}

}  // namespace

FlowPaths::FlowPaths(const FlowLog& log)
    : log_(log), before_(log.records().size(), no_record), transfers_(log.works().size())
{
    std::vector<std::uint32_t> latest(log.works().size(), no_record);
    for (std::uint32_t r = 0; r < log.records().size(); ++r) {
        const FlowRecord& record = log.records()[r];
        transfers_[record.work].add(record.loads);
        transfers_[record.work].add(record.stores);
        before_[r] = latest[record.work];
        latest[record.work] = r;
        const std::uint32_t job = log.works()[record.work].job;
        if (last_.size() <= job) last_.resize(job + 1, no_record);
        if (last_[job] == no_record || record.end > log.records()[last_[job]].end) last_[job] = r;
    }
}

struct FlowPaths::Walk {
    const FlowLog& log;
    std::vector<PathSegment> segments{};

    void add(const FlowRecord& record, Time begin, Time end, const CauseTimes& weights)
    {
        if (end <= begin) return;
        const FlowLog::Work& work = log.works()[record.work];
        PathSegment segment;
        segment.rank = work.rank;
        segment.thread = work.thread;
        segment.step = record.operation;
        segment.begin = begin;
        segment.end = end;
        share_out(end - begin, weights, segment.times);
        segments.push_back(segment);
    }

    // The way of the signal that `waiter` waited for.
    void add_signal(const FlowSignal& signal, const FlowRecord& waiter, Time end)
    {
        if (end <= signal.left) return;
        const Time way = end - signal.left;
        CauseTimes weights{};
        weights[place(PathCause::latency)] = std::min(signal.alone, way);
        weights[place(PathCause::serialisation)] = way - std::min(signal.alone, way);
        add(log.records()[signal.record - 1], signal.left, end, weights);
        segments.back().signal = true;
        segments.back().to = log.works()[waiter.work].rank;
    }
};

CriticalPath FlowPaths::path(std::uint32_t job, const JobRecord& record) const
{
    CriticalPath out;
    out.job = job;
    if (job >= last_.size() || last_[job] == no_record) return out;
    Walk walk{log_};
    std::uint32_t at = last_[job];
    Time until = record.end;
    while (true) {
        const FlowRecord& now = log_.records()[at];
        const FlowLives& transfers = transfers_[now.work];
        Time flag = now.spent[place(FlowCause::flag)];
        // A signal that was there when the wait began delayed nobody.
        if (now.released > 0 && now.set > now.begin && now.set <= until) {
            const FlowSignal& signal = log_.signal(now.released);
            flag -= std::min(flag, now.set - now.begin);
            walk.add(now, now.set, until, flow_times(now, transfers, now.set, until, flag));
            walk.add_signal(signal, now, now.set);
            until = std::min(now.set, signal.left);
            at = signal.record - 1;
            continue;
        }
        const Time begin = std::min<Time>(now.begin, until);
        walk.add(now, begin, until, flow_times(now, transfers, begin, until, flag));
        until = begin;
        if (before_[at] == no_record) {
            const Time first = std::min<Time>(record.start, until);
            const Time entered = std::clamp<Time>(log_.works()[now.work].entered, first, until);
            walk.add(now, entered, until, nothing_but(PathCause::launch));
            walk.add(now, first, entered, nothing_but(PathCause::entry));
            break;
        }
        at = before_[at];
    }
    std::reverse(walk.segments.begin(), walk.segments.end());
    out.segments = std::move(walk.segments);
    for (const PathSegment& segment : out.segments)
        for (unsigned cause = 0; cause < path_causes; ++cause) out.times[cause] += segment.times[cause];
    return out;
}

Operation::Kind operation_kind(FlowRecord::Kind kind)
{
    switch (kind) {
    case FlowRecord::Kind::move: return Operation::Kind::move;
    case FlowRecord::Kind::signal: return Operation::Kind::signal;
    case FlowRecord::Kind::wait: return Operation::Kind::wait;
    case FlowRecord::Kind::barrier: return Operation::Kind::barrier;
    case FlowRecord::Kind::nop:
    case FlowRecord::Kind::end: break;
    }
    return Operation::Kind::fence;
}

StallTimes stall_times(const FlowTimes& times)
{
    StallTimes out{};
    for (unsigned cause = 0; cause < flow_causes; ++cause)
        out[static_cast<unsigned>(stall_cause(static_cast<FlowCause>(cause)))] += times[cause];
    return out;
}

}  // namespace weft
