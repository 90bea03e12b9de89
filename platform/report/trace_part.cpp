#include <algorithm>

#include "platform/report/cells.h"
#include "platform/report/run_parts.h"

namespace weft {

namespace {

void add_kinds(HtmlPage& page, const TraceAnalysis& trace, Time all)
{
    page.paragraph(
        "The chain of nodes over all ranks that decided the end of the trace, by kind. No segment is waiting "
        "for another: its shares add up to the time of the trace.");
    HtmlTable kinds{"trace-path", {{"kind", false}, {"time", true}, {"share", true}}, {}, false};
    std::vector<std::pair<std::string, Time>> times = trace.path_ps;
    std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [kind, time] : times)
        if (time > 0)
            kinds.rows.push_back(
                {{kind}, time_cell(time), share_cell(static_cast<double>(time), static_cast<double>(all))});
    page.table(kinds);
}

void add_segments(HtmlPage& page, const TraceAnalysis& trace)
{
    HtmlTable segments{"trace-segments",
        {{"rank", true}, {"node", true}, {"kind", false}, {"name", false}, {"begin", true}, {"end", true},
            {"time", true}},
        {}, true};
    for (const TraceAnalysis::Segment& segment : trace.segments)
        segments.rows.push_back({count_cell(segment.rank), count_cell(segment.node), {segment.kind}, {segment.name},
            time_cell(segment.begin_ps), time_cell(segment.end_ps), time_cell(segment.end_ps - segment.begin_ps)});
    page.table(segments);
}

}  // namespace

void add_trace(HtmlPage& page, const RunResult& result)
{
    if (!result.trace) return;
    const TraceAnalysis& trace = *result.trace;
    const bool path = !trace.segments.empty();  // of a trace that ended
    Time all = 0;
    for (const auto& [kind, time] : trace.path_ps) all += time;
    page.section("step", "What the step took its time for");
    if (path) add_kinds(page, trace, all);
    page.paragraph(path
            ? "Operations, the largest share of the chain first: time of all of them, of their members waiting "
              "for the last one, and on the chain."
            : "Operations, the longest first: time of all of them, and of their members waiting for the last "
              "one. A trace that did not run to its end has no critical path.");
    HtmlTable operations{"trace-operations",
        {{"operation", false}, {"bytes", true}, {"ranks", true}, {"count", true}, {"time of all", true},
            {"longest", true}, {"waiting", true}},
        {}, true};
    if (path) operations.columns.insert(operations.columns.end(), {{"on the chain", true}, {"share", true}});
    const auto sum = [](const std::optional<Time>& time) {
        return time ? time_cell(*time) : HtmlCell{"more than 213 d"};
    };
    for (const TraceAnalysis::Operation& row : trace.operations) {
        operations.rows.push_back({{row.what}, count_cell(row.bytes), count_cell(row.ranks), count_cell(row.count),
            sum(row.total_ps), time_cell(row.longest_ps), sum(row.waiting_ps)});
        if (!path) continue;
        operations.rows.back().push_back(time_cell(row.on_path_ps));
        operations.rows.back().push_back(share_cell(static_cast<double>(row.on_path_ps), static_cast<double>(all)));
    }
    page.table(operations);
    if (path) add_segments(page, trace);
}

}  // namespace weft
