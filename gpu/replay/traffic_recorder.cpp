#include "gpu/replay/traffic_recorder.h"

#include <algorithm>

#include <fmt/format.h>

#include "sc_models/memory/flag_stride.h"
#include "sc_models/memory/memory_image.h"

namespace weft {

namespace {

constexpr unsigned workgroup_shift = 20;  // of a compute unit's tags

}  // namespace

bool TrafficRecorder::continues(const Open& open, const Line& line, Time at) const
{
    const Row& row = rows_[open.row];
    return row.op == line.op && row.op != LineOp::atomic && line.address % line_bytes == 0 &&
        row.address + row.bytes == line.address && at >= open.last && (row.lines == 1 || at - open.last == row.gap);
}

void TrafficRecorder::note(std::uint32_t gpu, const Line& line, Time at, Time called)
{
    const bool word = MemoryImage::is_flag(local_of(line.address));
    const bool known = line.op == LineOp::atomic ? word && local_of(line.address) % flag_stride == 0
                                                 : !word && (line.op == LineOp::write || line.op == LineOp::read);
    if (!known || line.destination >= first_group) {
        ++left_out_;
        return;
    }
    ++lines_;
    if (gpu >= gpus_.size()) gpus_.resize(gpu + 1);
    Gpu& from = gpus_[gpu];
    from.last_row.erase(from.last_row.begin(), from.last_row.lower_bound(called));
    const auto [open, fresh] = from.open.try_emplace({line.tag >> workgroup_shift, line.destination});
    const auto [last, alone] = from.last_row.try_emplace(at, 0);
    if (!fresh && continues(open->second, line, at) && (alone || open->second.row > last->second)) {
        Row& row = rows_[open->second.row];
        row.gap = at - open->second.last;
        row.bytes += line.size;
        ++row.lines;
    } else {
        open->second.row = rows_.size();
        rows_.push_back(
            {called, at, 0, line.address, line.size, line.op == LineOp::atomic ? line.operand() : 0, gpu, 1, line.op});
    }
    open->second.last = at;
    last->second = open->second.row;
}

TrafficRecorder TrafficRecorder::merged(const std::vector<TrafficRecorder>& parts,
    const std::vector<std::uint32_t>& order)
{
    if (parts.size() == 1) return parts.front();
    TrafficRecorder out;
    for (const TrafficRecorder& part : parts) {
        out.rows_.insert(out.rows_.end(), part.rows_.begin(), part.rows_.end());
        out.lines_ += part.lines_;
        out.left_out_ += part.left_out_;
    }
    std::stable_sort(out.rows_.begin(), out.rows_.end(), [&order](const Row& a, const Row& b) {
        return std::pair(a.called, order[a.gpu]) < std::pair(b.called, order[b.gpu]);
    });
    return out;
}

TrafficRecorder TrafficRecorder::of(Entries entries)
{
    TrafficRecorder out;
    out.rows_ = std::move(entries.rows);
    out.lines_ = entries.lines;
    out.left_out_ = entries.left_out;
    return out;
}

std::string TrafficRecorder::csv(const std::vector<std::string>& names) const
{
    fmt::memory_buffer out;
    fmt::format_to(std::back_inserter(out), "gpu,time,to,kind,at,bytes,gap,value\n");
    for (const Row& row : rows_) {
        const std::uint64_t local = local_of(row.address);
        fmt::format_to(std::back_inserter(out), "{},{},{},", names[row.gpu], row.time, names[endpoint_of(row.address)]);
        if (row.op == LineOp::atomic) {
            fmt::format_to(std::back_inserter(out), "flag,{},,,{}\n", (local - MemoryImage::flag_base) / flag_stride,
                row.value);
        } else {
            fmt::format_to(std::back_inserter(out), "{},{:#x},{},{},\n", name_of(row.op), local, row.bytes, row.gap);
        }
    }
    return fmt::to_string(out);
}

TrafficTap::TrafficTap(sc_core::sc_module_name name, EventQueue& event_queue, TrafficRecorder& recorder,
    std::uint32_t endpoint, Time unit_to_port)
    : sc_module(name), in("in", *this), out("out", *this), event_queue_(event_queue), recorder_(recorder),
      endpoint_(endpoint), unit_to_port_(unit_to_port)
{
}

Time TrafficTap::on_request(unsigned, Line& line, Time delay)
{
    const Time now = event_queue_.now();
    recorder_.note(endpoint_, line, now + std::max(delay, unit_to_port_) - unit_to_port_, now);
    return out.send_request(line, delay);
}

}  // namespace weft
