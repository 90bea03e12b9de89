#include "collectives/engine/paths/critical_path.h"

#include <algorithm>
#include <map>

namespace weft {

namespace {

constexpr unsigned at(PathCause cause) { return static_cast<unsigned>(cause); }
constexpr unsigned at(StallCause cause) { return static_cast<unsigned>(cause); }

CauseTimes weights_of(const LineLives& lives, PathCause alone)
{
    CauseTimes out{};
    out[at(PathCause::serialisation)] = lives.serialisation;
    out[at(PathCause::credits)] = lives.credits;
    out[at(PathCause::memory)] = lives.memory;
    out[at(alone)] += lives.flight + lives.other;
    return out;
}

// What the wavefront waited for in [begin, end) of a record, with or without its looks at flags.
CauseTimes times_of(const OperationRecord& record, Time begin, Time end, bool looks = true)
{
    CauseTimes weights{};
    for (unsigned cause = 0; cause < stall_causes; ++cause) {
        const Time time = record.spent[cause];
        if (time == 0) continue;
        switch (static_cast<StallCause>(cause)) {
        case StallCause::none:
        case StallCause::issue:
        case StallCause::compute: weights[at(PathCause::compute_units)] += time; break;
        case StallCause::registers:
        case StallCause::outstanding:
            share_out(time, weights_of(record.lives, PathCause::compute_units), weights);
            break;
        case StallCause::fence: {
            const Time engine = std::min(time, record.engine);
            weights[at(PathCause::compute_units)] += engine;
            share_out(time - engine, weights_of(record.lives, PathCause::latency), weights);
            break;
        }
        case StallCause::loads:
        case StallCause::barrier: share_out(time, weights_of(record.lives, PathCause::latency), weights); break;
        case StallCause::flag: weights[at(PathCause::flag)] += looks ? time : 0; break;
        case StallCause::queued: weights[at(PathCause::launch)] += time; break;
        }
    }
    CauseTimes out{};
    share_out(end - begin, weights, out);
    return out;
}

class Walk {
public:
    Walk(const OperationLog& log, const LineExecutor& executor, Executor::JobId job)
        : records_(log.records()), lanes_(log.lanes()), executor_(executor), job_(job), of_work_(log.works() + 1)
    {
        for (std::uint32_t r = 0; r < records_.size(); ++r) {
            const OperationRecord& record = records_[r];
            if (executor.work(record.work).job != job) continue;
            if (record.kind == Operation::Kind::signal) signals_[record.address].push_back(r);
            of_work_[record.work].push_back(r);
            if (last_ == none || record.end > records_[last_].end) last_ = r;
        }
        const auto of_job = [&](std::uint32_t work) { return executor.work(work).job == job; };
        for (const PacketStore& store : log.stores())
            if (of_job(store.work)) stores_.push_back(store);
        std::stable_sort(stores_.begin(), stores_.end(), [](const PacketStore& a, const PacketStore& b) {
            return std::pair(a.line, a.home) < std::pair(b.line, b.home);
        });
        for (const PacketLook& look : log.looks())
            if (of_job(look.work)) looks_[look.work].push_back(look);
        // In the order in which they were performed at the flag.
        for (auto& [flag, signals] : signals_)
            std::stable_sort(signals.begin(), signals.end(), [this](std::uint32_t a, std::uint32_t b) {
                return records_[a].breakdown.home < records_[b].breakdown.home;
            });
    }

    std::vector<PathSegment> run()
    {
        if (last_ == none) return {};
        const JobRecord& record = executor_.records()[job_];
        std::uint32_t at_record = last_;
        std::uint32_t wavefront = none;  // whose packets count; none: of all
        Time until = record.end;
        while (true) {
            const OperationRecord& now = records_[at_record];
            if (now.kind != Operation::Kind::move) wavefront = none;
            std::uint32_t label = now.label;
            const std::uint32_t signal = now.kind == Operation::Kind::wait ? signal_of(now, label) : none;
            if (signal != none && until > now.begin) {
                const OperationRecord& sent = records_[signal];
                OperationRecord wait = now;
                wait.label = label;
                add(wait, std::min(until, sent.breakdown.home), until, only(PathCause::flag));
                add_signal(sent, now, std::min(until, sent.breakdown.home));
                until = std::min(until, sent.breakdown.start);
                at_record = signal;
                continue;
            }
            const PacketLook* look = look_of(now, wavefront, until);
            if (const PacketStore* store = look != nullptr ? store_of(*look) : nullptr) {
                add(now, look->seen, until, times_of(now, look->seen, until, false));
                add(now, store->home, look->seen, only(PathCause::flag));
                until = store->left;
                at_record = record_at(store->work, until);
                add_packets(*store, records_[at_record], now);
                wavefront = store->wavefront;
                continue;
            }
            if (until > now.begin) {
                const Time begin = std::min(now.begin, until);
                add(now, begin, until, times_of(now, begin, until));
                until = begin;
            }
            const std::vector<std::uint32_t>& work = of_work_[now.work];
            const auto place = std::find(work.begin(), work.end(), at_record);
            if (place == work.begin()) {
                const Time begin = std::min(record.start, until);
                const Time entered = std::clamp(executor_.work(now.work).entered, begin, until);
                add(now, entered, until, only(PathCause::launch));
                add(now, begin, entered, only(PathCause::entry));
                break;
            }
            at_record = place[-1];
        }
        std::reverse(segments_.begin(), segments_.end());
        return std::move(segments_);
    }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    static CauseTimes only(PathCause cause)
    {
        CauseTimes out{};
        out[at(cause)] = 1;
        return out;
    }

    void add(const OperationRecord& record, Time begin, Time end, const CauseTimes& weights)
    {
        if (end <= begin) return;
        const LineExecutor::Work& work = executor_.work(record.work);
        PathSegment segment;
        segment.rank = work.rank;
        segment.thread = work.thread;
        segment.step = record.label;
        segment.begin = begin;
        segment.end = end;
        share_out(end - begin, weights, segment.times);
        segments_.push_back(segment);
    }

    // From leaving to the flag.
    void add_signal(const OperationRecord& sent, const OperationRecord& waiter, Time end)
    {
        const std::size_t before = segments_.size();
        const LatencyBreakdown& breakdown = sent.breakdown;
        CauseTimes weights{};
        weights[at(PathCause::serialisation)] = breakdown.out.queued + breakdown.out.wire;
        weights[at(PathCause::credits)] = breakdown.out.credits;
        const Time waited = weights[at(PathCause::serialisation)] + weights[at(PathCause::credits)];
        weights[at(PathCause::latency)] =
            breakdown.home - breakdown.start - std::min(waited, breakdown.home - breakdown.start);
        add(sent, std::min(breakdown.start, end), end, weights);
        if (segments_.size() == before) return;
        segments_.back().signal = true;
        segments_.back().to = executor_.work(waiter.work).rank;
    }

    // From leaving to the slot.
    void add_packets(const PacketStore& store, const OperationRecord& sent, const OperationRecord& reader)
    {
        CauseTimes weights{};
        weights[at(PathCause::serialisation)] = store.serialisation;
        weights[at(PathCause::credits)] = store.credits;
        const Time all = store.home - store.left;
        weights[at(PathCause::latency)] = all - std::min(all, store.serialisation + store.credits);
        add(sent, store.left, store.home, weights);
        segments_.back().signal = true;
        segments_.back().to = executor_.work(reader.work).rank;
    }

    // The last packets that the record's workgroup, or one wavefront of it, saw come within the record, up to `until`.
    const PacketLook* look_of(const OperationRecord& record, std::uint32_t wavefront, Time until) const
    {
        const auto found = looks_.find(record.work);
        if (found == looks_.end()) return nullptr;
        const std::vector<PacketLook>& looks = found->second;
        auto after = std::upper_bound(looks.begin(), looks.end(), until,
            [](Time time, const PacketLook& look) { return time < look.seen; });
        while (after != looks.begin() && (--after)->seen > record.begin)
            if (wavefront == none || after->wavefront == wavefront) return &*after;
        return nullptr;
    }

    // Who stored the line that was seen; null where that is not known.
    const PacketStore* store_of(const PacketLook& look) const
    {
        auto after = std::upper_bound(stores_.begin(), stores_.end(), std::pair(look.line, look.seen),
            [](const auto& wanted, const PacketStore& store) { return wanted < std::pair(store.line, store.home); });
        if (after == stores_.begin() || (--after)->line != look.line || after->left >= after->home) return nullptr;
        return of_work_[after->work].empty() ? nullptr : &*after;
    }

    // The record that a workgroup was at.
    std::uint32_t record_at(std::uint32_t work, Time time) const
    {
        const std::vector<std::uint32_t>& all = of_work_[work];
        const auto after = std::upper_bound(all.begin(), all.end(), time,
            [this](Time wanted, std::uint32_t record) { return wanted < records_[record].begin; });
        return after == all.begin() ? all.front() : after[-1];
    }

    // The signal that a wait was waiting for: that which made the flag what it wanted, of several flags the last, if it came
    // behind the wait's begin and the waiter could see it.
    std::uint32_t signal_of(const OperationRecord& wait, std::uint32_t& label) const
    {
        if (wait.lanes == 0) return signal_to({wait.address, wait.value, wait.label}, wait);
        std::uint32_t last = none;
        for (std::uint32_t i = 0; i < wait.lanes; ++i) {
            const WaitLane& lane = lanes_[wait.first_lane + i];
            const std::uint32_t signal = signal_to(lane, wait);
            if (signal == none || (last != none && records_[signal].breakdown.home <= records_[last].breakdown.home))
                continue;
            last = signal;
            label = lane.label;
        }
        return last;
    }

    std::uint32_t signal_to(const WaitLane& lane, const OperationRecord& wait) const
    {
        const auto found = signals_.find(lane.address);
        if (found == signals_.end() || lane.value == 0 || found->second.size() < lane.value) return none;
        const std::uint32_t signal = found->second[lane.value - 1];
        const LatencyBreakdown& breakdown = records_[signal].breakdown;
        const bool held_up = breakdown.home > wait.begin && breakdown.home <= wait.end && breakdown.start > 0;
        return held_up ? signal : none;
    }

    const std::vector<OperationRecord>& records_;
    const std::vector<WaitLane>& lanes_;
    const LineExecutor& executor_;
    Executor::JobId job_;
    std::vector<std::vector<std::uint32_t>> of_work_;
    std::map<std::uint64_t, std::vector<std::uint32_t>> signals_;  // by flag
    std::vector<PacketStore> stores_;                              // by line and arrival
    std::map<std::uint32_t, std::vector<PacketLook>> looks_;       // by work, in the order of time
    std::uint32_t last_ = none;
    std::vector<PathSegment> segments_;
};

}  // namespace

void share_out(Time total, const CauseTimes& weights, CauseTimes& into)
{
    __extension__ typedef unsigned __int128 Wide;
    Time sum = 0;
    for (const Time weight : weights) sum += weight;
    if (sum == 0) {
        into[at(PathCause::latency)] += total;
        return;
    }
    Time left = total;
    unsigned largest = 0;
    for (unsigned cause = 0; cause < path_causes; ++cause) {
        const auto part = static_cast<Time>(Wide{total} * weights[cause] / sum);
        into[cause] += part;
        left -= part;
        if (weights[cause] > weights[largest]) largest = cause;
    }
    into[largest] += left;
}

const char* name_of(PathCause cause)
{
    switch (cause) {
    case PathCause::entry: return "entry";
    case PathCause::launch: return "launch";
    case PathCause::compute_units: return "compute_units";
    case PathCause::serialisation: return "serialisation";
    case PathCause::credits: return "credits";
    case PathCause::latency: return "latency";
    case PathCause::memory: return "memory";
    case PathCause::flag: return "flag";
    }
    return "?";
}

CriticalPath critical_path(const OperationLog& log, const LineExecutor& executor, Executor::JobId job)
{
    CriticalPath path;
    path.job = job;
    path.segments = Walk(log, executor, job).run();
    for (const PathSegment& segment : path.segments)
        for (unsigned cause = 0; cause < path_causes; ++cause) path.times[cause] += segment.times[cause];
    return path;
}

}  // namespace weft
