#include "platform/simulation/trace_analysis.h"

#include <fmt/format.h>

#include "collectives/engine/paths/operation_table.h"

namespace weft {

std::optional<TraceAnalysis> analysis_of(const NodeLog& nodes, bool ended)
{
    if (nodes.records().empty()) return std::nullopt;
    TraceAnalysis out;
    const std::vector<TracePathSegment> path = ended ? trace_path(nodes) : std::vector<TracePathSegment>();
    if (ended)
        for (const auto& [kind, time] : times_by_kind(nodes, path)) out.path_ps.emplace_back(kind, time);
    for (const TracePathSegment& segment : path) {
        TraceAnalysis::Segment entry{segment.rank, 0, "idle", "", segment.begin, segment.end};
        if (segment.record != NodeRecord::none) {
            const NodeRecord& record = nodes.records()[segment.record];
            entry.node = record.node;
            entry.kind = record.operation.empty() ? name_of(record.kind) : record.operation;
            entry.name = record.name;
        }
        out.segments.push_back(std::move(entry));
    }
    for (OperationRow& row : operation_table(nodes, path))
        out.operations.push_back(
            {std::move(row.what), row.bytes, row.ranks, row.count, row.total, row.longest, row.waiting, row.on_path});
    return out;
}

Timeline timeline_of_nodes(const NodeLog& nodes, const std::vector<std::string>& names, bool ended)
{
    Timeline out;
    out.name_process(Timeline::path_process, "critical path");
    for (std::uint32_t rank = 0; rank < names.size(); ++rank)
        out.name_process(rank + 1, fmt::format("rank {}: {}", rank, names[rank]));
    if (!nodes.records().empty()) out.add_nodes(nodes, ended);
    return out;
}

std::string no_path_notice(const RunResult& result)
{
    return fmt::format("no critical path: the {} did not run to its end", result.trace ? "trace" : "collective");
}

}  // namespace weft
