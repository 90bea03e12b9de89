#include "collectives/engine/paths/trace_path.h"

#include <algorithm>
#include <array>

namespace weft {

namespace {

constexpr unsigned kinds = 7;

// Where the stretch of time that ends with `record` began, and with whom: the last of those who met.
std::size_t decisive(const NodeLog& log, std::size_t number)
{
    const NodeRecord& record = log.records()[number];
    if (record.exchange == NodeRecord::none) return number;
    const NodeLog::Exchange& met = log.exchanges()[record.exchange];
    if (record.kind == NodeRecord::Kind::collective) {
        std::size_t last = number;
        for (const std::size_t other : met) {
            const NodeRecord& one = log.records()[other];
            const NodeRecord& best = log.records()[last];
            if (one.begin > best.begin || (one.begin == best.begin && one.rank < best.rank)) last = other;
        }
        return last;
    }
    if (record.kind != NodeRecord::Kind::receive) return number;
    for (const std::size_t other : met) {
        const NodeRecord& send = log.records()[other];
        if (send.kind == NodeRecord::Kind::send &&
            (send.begin >= record.begin || !send.ended || send.end > record.begin))
            return other;
    }
    return number;
}

}  // namespace

const char* name_of(NodeRecord::Kind kind)
{
    static constexpr std::array<const char*, kinds> names{"compute", "cpu", "memory", "send", "receive", "collective",
        "other"};
    return names[static_cast<unsigned>(kind)];
}

std::vector<TracePathSegment> trace_path(const NodeLog& log)
{
    std::vector<TracePathSegment> path;
    const std::vector<NodeRecord>& records = log.records();
    std::size_t at = NodeRecord::none;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (!records[i].ended) continue;
        const bool later = at == NodeRecord::none || records[i].end > records[at].end ||
            (records[i].end == records[at].end && records[i].rank < records[at].rank);
        if (later) at = i;
    }
    if (at == NodeRecord::none) return path;
    Picoseconds end = records[at].end;
    while (at != NodeRecord::none) {
        const std::size_t first = decisive(log, at);
        const Picoseconds begin = std::min(records[first].begin, end);
        if (begin < end) path.push_back({at, records[at].rank, begin, end});
        end = begin;
        at = records[first].released_by;
        if (at != NodeRecord::none && records[at].end < end) {
            path.push_back({NodeRecord::none, records[first].rank, records[at].end, end});
            end = records[at].end;
        }
    }
    if (end > 0) path.push_back({NodeRecord::none, path.empty() ? 0 : path.back().rank, 0, end});
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<std::pair<std::string, Picoseconds>> times_by_kind(const NodeLog& log,
    const std::vector<TracePathSegment>& path)
{
    std::array<Picoseconds, kinds> spent{};
    Picoseconds idle = 0;
    for (const TracePathSegment& segment : path) {
        const Picoseconds time = segment.end - segment.begin;
        if (segment.record == NodeRecord::none)
            idle += time;
        else
            spent[static_cast<unsigned>(log.records()[segment.record].kind)] += time;
    }
    std::vector<std::pair<std::string, Picoseconds>> out;
    for (unsigned kind = 0; kind < kinds; ++kind)
        out.emplace_back(name_of(static_cast<NodeRecord::Kind>(kind)), spent[kind]);
    out.emplace_back("idle", idle);
    return out;
}

}  // namespace weft
