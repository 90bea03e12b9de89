#include "platform/simulation/end_report.h"

#include <algorithm>

namespace weft {

namespace {

// Numbers of a direction of a link that go as they are.
struct LinkNumbers {
    double GBps;
    std::uint64_t lines;
    std::uint64_t wire_bytes;
    std::uint64_t payload_bytes;
    std::uint64_t packets;
    std::uint64_t credit_messages;
    bool has_packets;
    std::uint64_t flag_reads;
    std::uint64_t flag_bytes;
    Time busy_ps;
    std::uint32_t peak_queue;
    bool has_queue;
    bool has_stall;
    Time credit_stall_ps;
    bool has_retry;
    LinkResult::Retry retry;
};

void put_link(ByteWriter& out, const LinkResult& link)
{
    out.put(link.name);
    out.put(link.from);
    out.put(link.to);
    LinkNumbers numbers{};
    numbers.GBps = link.GBps;
    numbers.lines = link.lines;
    numbers.wire_bytes = link.wire_bytes;
    numbers.payload_bytes = link.payload_bytes;
    numbers.has_packets = link.packets.has_value();
    numbers.packets = link.packets.value_or(0);
    numbers.credit_messages = link.credit_messages.value_or(0);
    numbers.flag_reads = link.flag_reads;
    numbers.flag_bytes = link.flag_bytes;
    numbers.busy_ps = link.busy_ps;
    numbers.has_queue = link.peak_queue.has_value();
    numbers.peak_queue = link.peak_queue.value_or(0);
    numbers.has_stall = link.credit_stall_ps.has_value();
    numbers.credit_stall_ps = link.credit_stall_ps.value_or(0);
    numbers.has_retry = link.retry.has_value();
    numbers.retry = link.retry.value_or(LinkResult::Retry{});
    out.put(numbers);
    out.list(link.channels, [&out](const LinkResult::Channel& channel) {
        out.put(channel.name);
        out.put(channel.count);
    });
}

LinkResult take_link(ByteReader& in)
{
    LinkResult link;
    link.name = in.text();
    link.from = in.text();
    link.to = in.text();
    const auto numbers = in.take<LinkNumbers>();
    link.GBps = numbers.GBps;
    link.lines = numbers.lines;
    link.wire_bytes = numbers.wire_bytes;
    link.payload_bytes = numbers.payload_bytes;
    if (numbers.has_packets) {
        link.packets = numbers.packets;
        link.credit_messages = numbers.credit_messages;
    }
    link.flag_reads = numbers.flag_reads;
    link.flag_bytes = numbers.flag_bytes;
    link.busy_ps = numbers.busy_ps;
    if (numbers.has_queue) link.peak_queue = numbers.peak_queue;
    if (numbers.has_stall) link.credit_stall_ps = numbers.credit_stall_ps;
    if (numbers.has_retry) link.retry = numbers.retry;
    link.channels = in.list([&in] {
        std::string name = in.text();
        return LinkResult::Channel{std::move(name), in.take<PortWatch::Channel>()};
    });
    return link;
}

void put_module(ByteWriter& out, const ModuleResult& module)
{
    out.put(module.name);
    out.put(module.kind);
    out.put(module.model);
    out.list(module.statistics, [&out](const Statistic& statistic) {
        out.put(statistic.name);
        out.put(statistic.value);
        out.put(statistic.unit);
        out.put(statistic.text);
    });
    out.list(module.by_slice, [&out](const auto& entry) {
        out.put(entry.first);
        out.list(entry.second);
    });
}

ModuleResult take_module(ByteReader& in)
{
    ModuleResult out;
    out.name = in.text();
    out.kind = in.text();
    out.model = in.text();
    out.statistics = in.list([&in] {
        Statistic statistic;
        statistic.name = in.text();
        statistic.value = in.take<double>();
        statistic.unit = in.text();
        statistic.text = in.text();
        return statistic;
    });
    out.by_slice = in.list([&in] {
        std::string name = in.text();
        return std::pair(std::move(name), in.values<std::uint64_t>());
    });
    return out;
}

void put_around(ByteWriter& out, const Surroundings::Share& around)
{
    out.put(around.here);
    out.put(around.messages);
    out.put(around.lines_in);
    out.put(around.lines_out);
    out.list(around.links, [&out](const LinkResult& link) { put_link(out, link); });
    out.list(around.notices, [&out](const std::string& notice) { out.put(notice); });
}

Surroundings::Share take_around(ByteReader& in)
{
    Surroundings::Share out;
    out.here = in.take<bool>();
    out.messages = in.take<std::uint64_t>();
    out.lines_in = in.take<std::uint64_t>();
    out.lines_out = in.take<std::uint64_t>();
    out.links = in.list([&in] { return take_link(in); });
    out.notices = in.list([&in] { return in.text(); });
    return out;
}

void put_fault(ByteWriter& out, const std::optional<BlockFault>& fault)
{
    out.put(fault.has_value());
    if (!fault) return;
    out.list(fault->instances);
    out.put(fault->at);
    out.put(fault->clock);
}

std::optional<BlockFault> take_fault(ByteReader& in)
{
    if (!in.take<bool>()) return {};
    BlockFault out;
    out.instances = in.texts();
    out.at = in.take<Time>();
    out.clock = in.take<Time>();
    return out;
}

using PlacedLine = std::pair<std::uint64_t, std::string>;

void put_placed(ByteWriter& out, const std::vector<PlacedLine>& lines)
{
    out.list(lines, [&out](const PlacedLine& line) {
        out.put(line.first);
        out.put(line.second);
    });
}

std::vector<PlacedLine> take_placed(ByteReader& in)
{
    return in.list([&in] {
        const auto place = in.take<std::uint64_t>();
        return PlacedLine(place, in.text());
    });
}

template <class T>
void append(std::vector<T>& to, std::vector<T> from)
{
    for (T& each : from) to.push_back(std::move(each));
}

// Each place is in one process.
template <class T>
void append_in_order(std::vector<std::pair<std::uint64_t, T>>& to, std::vector<std::pair<std::uint64_t, T>> from)
{
    append(to, std::move(from));
    std::stable_sort(to.begin(), to.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

template <class T, class There>
void fill_places(std::vector<T>& to, std::vector<T> from, There there)
{
    for (std::size_t i = 0; i < to.size() && i < from.size(); ++i)
        if (there(from[i])) to[i] = std::move(from[i]);
}

}  // namespace

Bytes EndReport::bytes() const
{
    ByteWriter out;
    out.list(problems);
    put_fault(out, fault);
    out.list(unsettled);
    out.list(buffer_waits, [&out](const std::pair<std::uint64_t, BufferWait>& wait) {
        out.put(wait.first);
        out.put(wait.second.held);
        out.put(wait.second.at);
        out.put(wait.second.wanted);
        out.put(wait.second.lines);
    });
    put_placed(out, suspects);
    put_placed(out, waiting_ranks);
    put_placed(out, waiting_modules);
    out.put(last);
    out.put(lines);
    out.put(line_hops);
    out.list(stalls, [&out](const std::vector<Time>& each) { out.list(each); });
    out.list(places);
    out.list(replayed);
    out.list(links, [&out](const LinkResult& link) { put_link(out, link); });
    out.list(modules, [&out](const std::vector<ModuleResult>& place) {
        out.list(place, [&out](const ModuleResult& module) { put_module(out, module); });
    });
    out.list(mismatches, [&out](const Mismatch& mismatch) {
        out.put(mismatch.at);
        out.put(mismatch.text);
    });
    put_around(out, around);
    out.put(cut);
    out.put(cpu_s);
    out.put(rss);
    return out.bytes();
}

EndReport EndReport::of(const Bytes& bytes)
{
    ByteReader in(bytes);
    EndReport out;
    out.problems = in.texts();
    out.fault = take_fault(in);
    out.unsettled = in.texts();
    out.buffer_waits = in.list([&in] {
        const auto place = in.take<std::uint64_t>();
        BufferWait wait;
        wait.held = in.text();
        wait.at = in.text();
        wait.wanted = in.text();
        wait.lines = in.take<std::uint32_t>();
        return std::pair(place, std::move(wait));
    });
    out.suspects = take_placed(in);
    out.waiting_ranks = take_placed(in);
    out.waiting_modules = take_placed(in);
    out.last = in.take<Time>();
    out.lines = in.take<std::uint64_t>();
    out.line_hops = in.take<std::uint64_t>();
    out.stalls = in.list([&in] { return in.values<Time>(); });
    out.places = in.values<PlaceUse>();
    out.replayed = in.values<Time>();
    out.links = in.list([&in] { return take_link(in); });
    out.modules = in.list([&in] { return in.list([&in] { return take_module(in); }); });
    out.mismatches = in.list([&in] {
        const auto at = in.take<std::uint64_t>();
        return Mismatch{at, in.text()};
    });
    out.around = take_around(in);
    out.cut = in.take<CutCosts>();
    out.cpu_s = in.take<double>();
    out.rss = in.take<std::uint64_t>();
    return out;
}

void EndReport::add(EndReport other)
{
    append(problems, std::move(other.problems));
    if (other.fault && (!fault || other.fault->at < fault->at)) fault = std::move(other.fault);
    append(unsettled, std::move(other.unsettled));
    append_in_order(buffer_waits, std::move(other.buffer_waits));
    append_in_order(suspects, std::move(other.suspects));
    append_in_order(waiting_ranks, std::move(other.waiting_ranks));
    append_in_order(waiting_modules, std::move(other.waiting_modules));
    last = std::max(last, other.last);
    lines += other.lines;
    line_hops += other.line_hops;
    fill_places(stalls, std::move(other.stalls), [](const auto& causes) { return !causes.empty(); });
    fill_places(places, std::move(other.places), [](const PlaceUse& use) { return use.units > 0; });
    fill_places(replayed, std::move(other.replayed), [](Time finish) { return finish > 0; });
    fill_places(links, std::move(other.links), [](const LinkResult& link) { return !link.name.empty(); });
    fill_places(modules, std::move(other.modules), [](const auto& place) { return !place.empty(); });
    for (std::size_t job = 0; job < mismatches.size() && job < other.mismatches.size(); ++job) {
        Mismatch& mine = mismatches[job];
        Mismatch& theirs = other.mismatches[job];
        if (!theirs.text.empty() && (mine.text.empty() || theirs.at < mine.at)) mine = std::move(theirs);
    }
    if (other.around.here) around = std::move(other.around);
    cut.records += other.cut.records;
    cut.exchange_s += other.cut.exchange_s;
    cut.deliver_s += other.cut.deliver_s;
    cpu_s += other.cpu_s;
    rss = std::max(rss, other.rss);
}

}  // namespace weft
