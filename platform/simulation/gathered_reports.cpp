#include "platform/simulation/gathered_reports.h"

#include <algorithm>

namespace weft {

namespace {

void put(ByteWriter& out, const TimeSeries& series)
{
    out.list(series.rows());
    out.put(series.text());
}

void take_rows(ByteReader& in, TimeSeries& series)
{
    const auto rows = in.values<TimeSeries::Row>();
    series.add(rows, in.text());
}

void put(ByteWriter& out, const TrafficRecorder& recorder)
{
    const TrafficRecorder::Entries entries = recorder.entries();
    out.list(entries.rows);
    out.put(entries.lines);
    out.put(entries.left_out);
}

TrafficRecorder take_recorder(ByteReader& in)
{
    TrafficRecorder::Entries entries;
    entries.rows = in.values<TrafficRecorder::Row>();
    entries.lines = in.take<std::uint64_t>();
    entries.left_out = in.take<std::uint64_t>();
    return TrafficRecorder::of(std::move(entries));
}

void put(ByteWriter& out, const OperationLog& log)
{
    out.list(log.records());
    out.list(log.lanes());
    out.list(log.stores());
    out.list(log.looks());
}

OperationLog take_log(ByteReader& in)
{
    OperationLog::Entries entries;
    entries.records = in.values<OperationRecord>();
    entries.lanes = in.values<WaitLane>();
    entries.stores = in.values<PacketStore>();
    entries.looks = in.values<PacketLook>();
    return OperationLog::of(std::move(entries));
}

}  // namespace

void share_channels(Watching& watching, ProcessGroup& group)
{
    if (!watching.series) return;
    TimeSeries::Channels all = watching.series->channels();
    ByteWriter out;
    out.list(std::vector<std::uint8_t>(all.vcs.begin(), all.vcs.end()));
    out.put(all.sets);
    for (const Bytes& each : group.processes().share(out.bytes())) {
        ByteReader in(each);
        for (const std::uint8_t vc : in.values<std::uint8_t>()) all.vcs.insert(vc);
        all.sets = std::max(all.sets, in.take<unsigned>());
    }
    watching.series->set_channels(all);
}

void gather_reports(PlannedRun& run, BuiltRun& parts, Watching& watching, ProcessGroup& group)
{
    ByteWriter out;
    if (watching.series) put(out, *watching.series);
    if (watching.trace) {
        watching.trace->gather();
        put(out, watching.trace->log());
    }
    if (run.options.record) out.list(parts.recorders, [&out](const TrafficRecorder& each) { put(out, each); });
    const std::vector<Bytes> all = group.processes().collect(out.bytes());
    std::vector<OperationLog> logs;
    for (std::size_t process = 1; process < all.size(); ++process) {
        ByteReader in(all[process]);
        if (watching.series) take_rows(in, *watching.series);
        if (watching.trace) logs.push_back(take_log(in));
        if (run.options.record)
            for (TrafficRecorder& each : in.list([&in] { return take_recorder(in); }))
                parts.recorders.push_back(std::move(each));
    }
    if (watching.trace) watching.trace->add(logs);
}

}  // namespace weft
