#include "platform/simulation/timeline.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft {

namespace {

// Tracks of nodes, far from those of workgroups.
constexpr std::uint32_t first_node_track = 100'000;
constexpr std::uint32_t tracks_of_kind = 10'000;

// Picoseconds as microseconds, with all their digits.
std::string us(Time ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

const char* track_name(NodeRecord::Kind kind)
{
    using Kind = NodeRecord::Kind;
    switch (kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::collective: return "communication";
    default: return name_of(kind);
    }
}

std::uint32_t first_track(NodeRecord::Kind kind)
{
    using Kind = NodeRecord::Kind;
    const auto place = [](std::uint32_t number) { return first_node_track + number * tracks_of_kind; };
    switch (kind) {
    case Kind::compute: return place(0);
    case Kind::send:
    case Kind::receive:
    case Kind::collective: return place(1);
    case Kind::memory: return place(2);
    case Kind::cpu: return place(3);
    case Kind::other: break;
    }
    return place(4);
}

std::string name_of_node(const NodeRecord& record)
{
    return record.name.empty()
        ? fmt::format("{} {}", record.operation.empty() ? name_of(record.kind) : record.operation, record.node)
        : record.name;
}

std::string arguments_of(const NodeRecord& record)
{
    std::string out =
        fmt::format("\"rank\":{},\"node\":{},\"kind\":{}", record.rank, record.node, quoted(name_of(record.kind)));
    if (!record.operation.empty()) out += ",\"operation\":" + quoted(record.operation);
    if (record.bytes > 0) out += fmt::format(",\"bytes\":{}", record.bytes);
    if (record.ranks > 0) out += fmt::format(",\"ranks\":{}", record.ranks);
    if (!record.ended) out += "," + std::string(Timeline::unfinished);
    return out;
}

}  // namespace

void Timeline::name_process(std::uint32_t process, const std::string& name)
{
    events_.push_back(
        fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, quoted(name)));
    events_.push_back(
        fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", process));
}

void Timeline::name_thread(std::uint32_t process, std::uint32_t thread, const std::string& name)
{
    events_.push_back(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
        process, thread, quoted(name)));
    // Nodes above workgroups.
    const std::int64_t place = thread >= first_node_track ? std::int64_t{thread} - 1'000'000 : std::int64_t{thread};
    events_.push_back(
        fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", process,
            thread, place));
}

void Timeline::add(const Slice& slice)
{
    const std::string category = slice.category.empty() ? "" : fmt::format(R"("cat":{},)", quoted(slice.category));
    events_.push_back(fmt::format(R"({{"ph":"X",{}"pid":{},"tid":{},"name":{},"ts":{},"dur":{},"args":{{{}}}}})",
        category, slice.process, slice.thread, quoted(slice.name), us(slice.begin), us(slice.end - slice.begin),
        slice.arguments));
}

void Timeline::arrow(std::uint32_t from_process, std::uint32_t from_thread, Time begin, std::uint32_t to_process,
    std::uint32_t to_thread, Time end)
{
    ++arrows_;
    events_.push_back(
        fmt::format(R"({{"ph":"s","cat":"transfer","name":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})", arrows_,
            from_process, from_thread, us(begin)));
    events_.push_back(
        fmt::format(R"({{"ph":"f","bp":"e","cat":"transfer","name":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})",
            arrows_, to_process, to_thread, us(end)));
}

std::uint32_t Timeline::free_track(std::uint32_t process, std::uint32_t first, Time begin, Time end)
{
    std::vector<Time>& until = tracks_[{process, first}];
    std::size_t track = 0;
    while (track < until.size() && until[track] > begin) ++track;
    if (track == until.size()) until.push_back(0);
    until[track] = end;
    return first + static_cast<std::uint32_t>(track);
}

void Timeline::add_nodes(const NodeLog& log, bool ended)
{
    const std::vector<TracePathSegment> path = ended ? trace_path(log) : std::vector<TracePathSegment>();
    if (!path.empty()) name_thread(path_process, 0, "whole trace");
    for (const TracePathSegment& segment : path) {
        Slice slice{path_process, 0, "idle", segment.begin, segment.end, fmt::format("\"rank\":{}", segment.rank),
            "node"};
        if (segment.record != NodeRecord::none) {
            slice.name = fmt::format("rank {}: {}", segment.rank, name_of_node(log.records()[segment.record]));
            slice.arguments = arguments_of(log.records()[segment.record]);
        }
        add(slice);
    }
    // By begin, the longer first: then as few tracks as can be, and parents before children.
    std::vector<std::size_t> order(log.records().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&log](std::size_t a, std::size_t b) {
        const NodeRecord& one = log.records()[a];
        const NodeRecord& other = log.records()[b];
        return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
    });
    std::vector<std::uint32_t> track(log.records().size(), 0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> named;
    for (const std::size_t number : order) {
        const NodeRecord& record = log.records()[number];
        if (record.end == record.begin) continue;
        track[number] = free_track(record.rank + 1, first_track(record.kind), record.begin, record.end);
        bool& known = named[{record.rank, track[number]}];
        if (!known) {
            const std::uint32_t row = track[number] - first_track(record.kind);
            name_thread(record.rank + 1, track[number],
                row == 0 ? track_name(record.kind) : fmt::format("{} {}", track_name(record.kind), row + 1));
        }
        known = true;
        add({record.rank + 1, track[number], name_of_node(record), record.begin, record.end, arguments_of(record),
            "node"});
    }
    for (const NodeLog::Exchange& met : log.exchanges()) {
        if (met.size() != 2 || log.records()[met.front()].kind == NodeRecord::Kind::collective) continue;
        const bool send_first = log.records()[met.front()].kind == NodeRecord::Kind::send;
        const std::size_t from = met[send_first ? 0 : 1];
        const std::size_t to = met[send_first ? 1 : 0];
        const NodeRecord& send = log.records()[from];
        const NodeRecord& receive = log.records()[to];
        if (track[from] == 0 || track[to] == 0) continue;
        arrow(send.rank + 1, track[from], send.begin, receive.rank + 1, track[to], std::max(send.begin, receive.begin));
    }
}

std::string Timeline::text() const
{
    std::string out = "{\"traceEvents\":[\n";
    for (std::size_t i = 0; i < events_.size(); ++i) out += events_[i] + (i + 1 < events_.size() ? ",\n" : "\n");
    return out + "]}\n";
}

}  // namespace weft
