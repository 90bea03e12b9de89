#include "platform/simulation/path_views.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace weft {

namespace {

// Tracks of workgroups are counted from here, in numbers that no event has.
constexpr std::uint32_t first_key = 1'000'000;
constexpr std::uint32_t tracks_of_thread = 100;
// Lists of copy engines have tracks apart, numbered behind those of workgroups.
constexpr std::uint32_t first_list_key = 500'000'000;
constexpr std::uint32_t first_list_track = 10'000'000;

const char* kind_text(Operation::Kind kind)
{
    switch (kind) {
    case Operation::Kind::move: return "move";
    case Operation::Kind::barrier: return "barrier";
    case Operation::Kind::fence: return "fence";
    case Operation::Kind::signal: return "signal";
    case Operation::Kind::wait: return "wait";
    case Operation::Kind::bulk:
    case Operation::Kind::bulk_wait: return "bulk copy";
    case Operation::Kind::request: return "request";
    case Operation::Kind::compute:
    case Operation::Kind::flops: return "compute";
    default: return "words";
    }
}

std::string times_text(const PathSegment& segment)
{
    std::string out = fmt::format("\"rank\":{},\"thread\":{},\"step\":{}", segment.rank, segment.thread, segment.step);
    for (unsigned cause = 0; cause < path_causes; ++cause)
        if (segment.times[cause] > 0)
            out += fmt::format(",\"{}_ps\":{}", name_of(static_cast<PathCause>(cause)), segment.times[cause]);
    return out;
}

std::string name_of_segment(const PathSegment& segment)
{
    return segment.signal ? fmt::format("signal to rank {}", segment.to)
                          : fmt::format("rank {} step {}", segment.rank, segment.step);
}

// Workgroups of one number, of collectives that run at once, have tracks of their own.
std::map<std::uint32_t, std::uint32_t> name_workgroups(Timeline& out, std::size_t count,
    const std::function<TimelineOperation(std::size_t)>& operation,
    const std::function<LineExecutor::Work(std::uint32_t)>& work_of)
{
    std::map<std::uint32_t, std::pair<Time, Time>> spans;
    for (std::size_t i = 0; i < count; ++i) {
        const TimelineOperation record = operation(i);
        if (record.end == record.begin) continue;
        const auto [span, fresh] = spans.try_emplace(record.work, record.begin, record.end);
        span->second = {std::min(span->second.first, record.begin), std::max(span->second.second, record.end)};
    }
    std::vector<std::pair<Time, std::uint32_t>> order;
    for (const auto& [work, span] : spans) order.emplace_back(span.first, work);
    std::sort(order.begin(), order.end());
    std::map<std::uint32_t, std::uint32_t> track_of;
    std::set<std::pair<std::uint32_t, std::uint32_t>> named;
    for (const auto& [begin, number] : order) {
        const LineExecutor::Work work = work_of(number);
        const std::uint32_t first = (work.list ? first_list_key : first_key) + work.thread * tracks_of_thread;
        const std::uint32_t row = out.free_track(work.endpoint + 1, first, begin, spans[number].second) - first;
        const std::uint32_t track = (work.list ? first_list_track : 0) + row * 1000 + work.thread;
        track_of[number] = track;
        if (named.insert({work.endpoint, track}).second)
            out.name_thread(work.endpoint + 1, track,
                fmt::format("{} {}{}", work.list ? "list" : "workgroup", work.thread,
                    row == 0 ? "" : fmt::format(" ({})", row + 1)));
    }
    return track_of;
}

}  // namespace

std::vector<PathResult> path_results(const std::vector<JobRecord>& jobs,
    const std::function<CriticalPath(Executor::JobId)>& path_of)
{
    std::vector<PathResult> out;
    std::size_t collective = 0;
    for (Executor::JobId job = 0; job < jobs.size(); ++job) {
        const JobRecord& record = jobs[job];
        if (!record.reported) continue;
        const std::size_t number = collective++;
        if (!record.finished) continue;
        const CriticalPath path = path_of(job);
        if (path.segments.empty()) continue;
        PathResult result;
        result.collective = number;
        for (unsigned cause = 0; cause < path_causes; ++cause)
            result.times_ps.emplace_back(name_of(static_cast<PathCause>(cause)), path.times[cause]);
        for (const PathSegment& segment : path.segments) {
            PathResult::Segment entry{segment.rank, segment.thread, segment.step, "step", segment.begin, segment.end,
                {}};
            if (segment.signal) entry.what = fmt::format("signal to rank {}", segment.to);
            for (unsigned cause = 0; cause < path_causes; ++cause)
                if (segment.times[cause] > 0)
                    entry.times_ps.emplace_back(name_of(static_cast<PathCause>(cause)), segment.times[cause]);
            result.segments.push_back(std::move(entry));
        }
        out.push_back(std::move(result));
    }
    return out;
}

// Collectives may run side by side, and so do their paths.
void add_paths(Timeline& out, const std::vector<JobRecord>& jobs,
    const std::function<CriticalPath(Executor::JobId)>& path_of)
{
    std::vector<std::pair<Executor::JobId, CriticalPath>> paths;
    for (Executor::JobId job = 0; job < jobs.size(); ++job) {
        if (!jobs[job].finished) continue;
        CriticalPath path = path_of(job);
        if (!path.segments.empty()) paths.emplace_back(job, std::move(path));
    }
    std::stable_sort(paths.begin(), paths.end(),
        [](const auto& a, const auto& b) { return a.second.segments.front().begin < b.second.segments.front().begin; });
    std::set<std::uint32_t> named;
    for (const auto& [job, path] : paths) {
        const Time begin = path.segments.front().begin;
        const Time end = path.segments.back().end;
        const std::uint32_t track = out.free_track(Timeline::path_process, 1, begin, end);
        if (named.insert(track).second)
            out.name_thread(Timeline::path_process, track,
                track == 1 ? "collectives" : fmt::format("collectives {}", track));
        for (const PathSegment& segment : path.segments)
            out.add({Timeline::path_process, track, name_of_segment(segment), segment.begin, segment.end,
                fmt::format("\"job\":{},{}", job, times_text(segment))});
    }
}

void add_operations(Timeline& out, std::size_t count, const std::function<TimelineOperation(std::size_t)>& operation,
    const std::function<LineExecutor::Work(std::uint32_t)>& work_of)
{
    const std::map<std::uint32_t, std::uint32_t> track_of = name_workgroups(out, count, operation, work_of);
    for (std::size_t i = 0; i < count; ++i) {
        const TimelineOperation record = operation(i);
        if (record.end == record.begin) continue;
        const LineExecutor::Work work = work_of(record.work);
        std::string arguments = fmt::format("\"job\":{},\"step\":{}", work.job, record.label);
        for (unsigned cause = 0; cause < stall_causes; ++cause)
            if (record.spent[cause] > 0)
                arguments += fmt::format(",\"{}_ps\":{}", name_of(static_cast<StallCause>(cause)), record.spent[cause]);
        if (record.lines > 0) arguments += fmt::format(",\"lines\":{}", record.lines);
        if (record.unfinished) arguments += "," + std::string(Timeline::unfinished);
        out.add({work.endpoint + 1, track_of.at(record.work),
            fmt::format("{} {}", kind_text(record.kind), record.label), record.begin, record.end, arguments});
    }
}

}  // namespace weft
