#include "platform/simulation/run_trace.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "collectives/engine/critical_path.h"

namespace weft {

namespace {

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

// Picoseconds as microseconds, with all their digits.
std::string us(Time ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string event(std::uint32_t process, std::uint32_t thread, const std::string& name, Time begin, Time end,
    const std::string& arguments)
{
    return fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":{},"ts":{},"dur":{},"args":{{{}}}}})", process, thread,
        quoted(name), us(begin), us(end - begin), arguments);
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

// Times of a path by cause that are not 0, the longest first.

}  // namespace

std::vector<PathResult> RunTrace::paths() const
{
    std::vector<PathResult> out;
    std::size_t collective = 0;
    for (Executor::JobId job = 0; job < executor_.records().size(); ++job) {
        const JobRecord& record = executor_.records()[job];
        if (!record.reported) continue;
        const std::size_t number = collective++;
        if (!record.finished) continue;
        const CriticalPath path = critical_path(log_, executor_, job);
        if (path.segments.empty()) continue;
        PathResult result;
        result.collective = number;
        for (unsigned cause = 0; cause < path_causes; ++cause)
            result.times_ps.emplace_back(name_of(static_cast<PathCause>(cause)), path.times[cause]);
        for (const PathSegment& segment : path.segments) {
            PathResult::Segment entry{segment.rank, segment.thread, segment.step, "step", segment.begin, segment.end, {}};
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

std::string RunTrace::timeline(const std::vector<std::string>& nodes) const
{
    std::vector<std::string> events;
    const auto process_name = [&events](std::size_t process, const std::string& name) {
        events.push_back(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process,
            quoted(name)));
        events.push_back(
            fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", process));
    };
    process_name(0, "critical path");
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) process_name(rank + 1, fmt::format("rank {}: {}", rank, nodes[rank]));
    for (Executor::JobId job = 0; job < executor_.records().size(); ++job) {
        if (!executor_.records()[job].finished) continue;
        for (const PathSegment& segment : critical_path(log_, executor_, job).segments)
            events.push_back(event(0, 0, name_of_segment(segment), segment.begin, segment.end, times_text(segment)));
    }
    for (const OperationRecord& record : log_.records()) {
        const LineExecutor::Work& work = executor_.work(record.work);
        if (record.end == record.begin) continue;
        std::string arguments = fmt::format("\"job\":{},\"step\":{}", work.job, record.label);
        for (unsigned cause = 0; cause < stall_causes; ++cause)
            if (record.spent[cause] > 0)
                arguments += fmt::format(",\"{}_ps\":{}", name_of(static_cast<StallCause>(cause)), record.spent[cause]);
        if (record.lives.lines > 0) arguments += fmt::format(",\"lines\":{}", record.lives.lines);
        events.push_back(event(work.endpoint + 1, work.thread, fmt::format("{} {}", kind_text(record.kind), record.label),
            record.begin, record.end, arguments));
    }
    std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    for (std::size_t i = 0; i < events.size(); ++i) out += events[i] + (i + 1 < events.size() ? ",\n" : "\n");
    return out + "]}\n";
}

}  // namespace weft
