#include "collectives/engine/paths/operation_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft {

namespace {

using Kind = NodeRecord::Kind;
using Key = std::tuple<std::string, std::uint64_t, std::uint32_t>;

std::string without_digits(const std::string& name)
{
    std::string out;
    for (const char c : name)
        if (c < '0' || c > '9') out += c;
    while (!out.empty() && (out.back() == ' ' || out.back() == '.' || out.back() == '_')) out.pop_back();
    return out;
}

Key key_of(const NodeRecord& record)
{
    switch (record.kind) {
    case Kind::collective: return {record.operation, record.bytes, record.ranks};
    case Kind::send:
    case Kind::receive: return {"transfer", record.bytes, record.ranks};
    case Kind::memory: return {"memory", record.bytes, 0};
    case Kind::compute:
    case Kind::cpu: {
        const std::string name = without_digits(record.name);
        return {std::string(name_of(record.kind)) + (name.empty() ? "" : " " + name), 0, 0};
    }
    case Kind::other: break;
    }
    return {"other", 0, 0};
}

void add_to(std::optional<Picoseconds>& sum, std::optional<Picoseconds> time)
{
    Picoseconds more = 0;
    if (!sum || !time || __builtin_add_overflow(*sum, *time, &more))
        sum.reset();
    else
        sum = more;
}

}  // namespace

std::vector<OperationRow> operation_table(const NodeLog& log, const std::vector<TracePathSegment>& path)
{
    std::map<Key, OperationRow> rows;
    const auto add = [&rows](const NodeRecord& record, Picoseconds time, std::optional<Picoseconds> waiting) {
        OperationRow& row = rows[key_of(record)];
        ++row.count;
        add_to(row.total, time);
        row.longest = std::max(row.longest, time);
        add_to(row.waiting, waiting);
    };
    const std::vector<NodeRecord>& records = log.records();
    for (const NodeLog::Exchange& met : log.exchanges()) {
        Picoseconds last = 0;
        Picoseconds end = 0;
        for (const std::size_t i : met) {
            last = std::max(last, records[i].begin);
            if (records[i].ended) end = std::max(end, records[i].end);
        }
        std::optional<Picoseconds> waiting = 0;
        // A send waits for nobody.
        for (const std::size_t i : met)
            if (records[i].kind != Kind::send) add_to(waiting, last - records[i].begin);
        const bool transfer = records[met.front()].kind != Kind::collective;
        Picoseconds begin = last;
        for (const std::size_t i : met)
            if (transfer && records[i].kind == Kind::send) begin = records[i].begin;
        if (end > begin) add(records[met.front()], end - begin, waiting);
    }
    for (const NodeRecord& record : records)
        if (record.exchange == NodeRecord::none && record.ended && record.end > record.begin)
            add(record, record.end - record.begin, 0);
    for (const TracePathSegment& segment : path)
        if (segment.record != NodeRecord::none)
            rows[key_of(records[segment.record])].on_path += segment.end - segment.begin;
    std::vector<OperationRow> out;
    for (auto& [key, row] : rows) {
        std::tie(row.what, row.bytes, row.ranks) = key;
        out.push_back(std::move(row));
    }
    std::stable_sort(out.begin(), out.end(), [](const OperationRow& a, const OperationRow& b) {
        if (a.on_path != b.on_path) return a.on_path > b.on_path;
        return a.total && b.total ? *a.total > *b.total : !a.total && b.total.has_value();
    });
    return out;
}

}  // namespace weft
