#include "gpu/replay/replay_gpu.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/network/line_tag.h"
#include "gpu/replay/replay_statistics.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/flag_stride.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace weft {

namespace {

std::uint64_t flag_number(std::uint64_t local) { return (local - MemoryImage::flag_base) / flag_stride; }

}  // namespace

ReplayGpu::ReplayGpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress,
    const GpuSpec& spec, const L2Spec& l2, std::uint64_t capacity, const Wiring& wiring)
    : Accelerator(name), TimedComponent(event_queue, wiring.path + ".replay"), name_(wiring.path),
      endpoint_(wiring.endpoint), capacity_(capacity), spec_(spec), latency_(l2.latency),
      slices_(static_cast<std::uint32_t>(l2.slices)), routes_(wiring.routes),
      paths_(wiring.endpoint, wiring.path_selection, wiring.stripe_shift, wiring.routes.endpoints()),
      data_on_(wiring.data_on), pool_(pool), progress_(progress), image_(false), ports_("ports"),
      to_ports_("to_port", wiring.ports, socket_creator<LineInitiatorSocket>(*this)),
      from_ports_("from_port", wiring.ports, socket_creator<LineTargetSocket>(*this)),
      slice_rates_(l2.slices, std::max<std::uint64_t>(1, l2.bandwidth / l2.slices))
{
    const auto join = [&wiring](LineInitiatorSocket& from, LineTargetSocket& to) {
        if (wiring.checkers != nullptr) {
            wiring.checkers->bind(from, to);
        } else {
            from.bind(to);
        }
    };
    make_ports(ports_, tree_, this->name(), wiring.ports, event_queue, name_, spec, wiring.endpoint);
    for (unsigned p = 0; p < wiring.ports; ++p) {
        join(to_ports_[p], ports_[p].die_in);
        join(ports_[p].die_out, from_ports_[p]);
    }
    end_.kind = end_kind;
}

std::uint64_t ReplayGpu::line_hops() const
{
    std::uint64_t total = 0;
    for (const LineInitiatorSocket& socket : to_ports_) total += socket.requests();
    for (const LineTargetSocket& socket : from_ports_) total += socket.responses();
    for (const FabricPort& port : ports_) total += port.hops();
    return total;
}

Time ReplayGpu::on_request(unsigned port, Line& line, Time delay)
{
    line.push_port(static_cast<std::uint16_t>(port));
    line.kind = request_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay + spec_.port_to_l2, line.source & 0xfffU);
    return 0;
}

// The response needs no item of its own: until it has crossed the die nobody asks for it, but for the end of the profile.
Time ReplayGpu::on_response(unsigned, Line& line, Time delay)
{
    const Time now = event_queue().now();
    last_answer_ = std::max(last_answer_, now + delay + spec_.port_to_unit);
    pool_.give(line);
    --in_flight_;
    if (throttled_) {
        throttled_ = false;
        wake_at(now + delay);
    }
    settle_progress();
    return 0;
}

void ReplayGpu::run(ScheduledItem& item)
{
    if (item.kind == request_kind) {
        serve(Line::of(item));
    } else if (item.kind == wake_kind) {
        spare_wakes_.push_back(std::move(wakes_.back()));
        wakes_.pop_back();
        issue_due();
        progress_.changed();
        settle_progress();
    } else {
        finished_ = true;
        finish_time_ = event_queue().now();
        if (listener_ != nullptr) listener_->on_workgroup_done(token_);
        busy_ = false;
        progress_.quiet(event_queue().now());
    }
}

void ReplayGpu::serve(Line& line)
{
    const Time now = event_queue().now();
    const std::uint64_t local = local_of(line.address);
    const Time start = slice_rates_.book(slice_place(local / line_bytes, slices_).slice, now, line_bytes);
    const std::uint16_t port = line.top_port();
    from_ports_[port].return_request_credit(line, start - now);
    ++answered_;
    if (MemoryImage::is_flag(local) && !serve_flag(line, start + latency_)) return;
    if (data_on_ && (line.op == LineOp::read || line.op == LineOp::fetch) && !MemoryImage::is_flag(local))
        std::memset(line.data(), 0, line.size);
    answer(line, start + latency_);
}

// False for a line that has to wait.
bool ReplayGpu::serve_flag(Line& line, Time ready)
{
    const std::uint64_t local = local_of(line.address);
    std::uint64_t& value = image_.flag(local);
    switch (line.op) {
    case LineOp::read: line.set_operand(value); return true;
    case LineOp::write: value = line.operand(); break;
    case LineOp::atomic: value = result_of(line.function, value, line.operand(), line.comparand()); break;
    case LineOp::fetch: {
        const std::uint64_t word = value;
        value = result_of(line.function, value, line.operand(), line.comparand());
        line.set_operand(word);
        break;
    }
    case LineOp::monitor: return true;  // at once: the poller polls again
    case LineOp::await:
        if (value >= line.operand()) return true;
        line.next = awaiting_;
        awaiting_ = &line;
        return false;
    default:
        SC_REPORT_FATAL("/weft/replay",
            (TimedComponent::path() + ": a replay GPU cannot serve this operation").c_str());
    }
    for (ScheduledItem** link = &awaiting_; *link != nullptr;) {
        Line& waiter = Line::of(**link);
        if (local_of(waiter.address) == local && value >= waiter.operand()) {
            *link = waiter.next;
            answer(waiter, ready);
        } else {
            link = &waiter.next;
        }
    }
    if (!waiting_.empty()) release(local, value);
    return true;
}

void ReplayGpu::answer(Line& line, Time at)
{
    if ((line.flags & LineHeader::posted_flag) != 0) {
        pool_.give(line);
        return;
    }
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    LineTargetSocket& back = from_ports_[line.pop_port()];
    back.send_response(line, at - event_queue().now() + spec_.l2_to_port);
}

// Starts the rows that wait for `flag` to be at most `value`.
void ReplayGpu::release(std::uint64_t flag, std::uint64_t value)
{
    const auto first = std::lower_bound(waiting_.begin(), waiting_.end(), flag,
        [this](std::uint32_t row, std::uint64_t wanted) { return rows_[row].after < wanted; });
    auto kept = first;
    auto next = first;
    for (; next != waiting_.end() && rows_[*next].after == flag; ++next) {
        if (rows_[*next].after_value > value) {
            *kept++ = *next;
            continue;
        }
        due_.push_back({event_queue().now() + rows_[*next].time, *next});
        std::push_heap(due_.begin(), due_.end(), later);
    }
    if (kept == next) return;
    waiting_.erase(kept, next);
    if (!throttled_) wake_at(due_.front().at);
    settle_progress();
}

void ReplayGpu::start(std::string file, std::vector<Row> rows, std::uint64_t seed)
{
    file_ = std::move(file);
    rows_ = std::move(rows);
    started_ = true;
    RandomStream draws(seed, endpoint_);
    const Time now = event_queue().now();
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        Row& row = rows_[r];
        if (row.jitter > 0) row.time += draws.below(row.jitter + 1);
        const bool waits = row.after != no_flag && image_.flag(row.after) < row.after_value;
        if (!waits) row.time += now;
        (waits ? waiting_ : timed_).push_back(r);
    }
    std::sort(timed_.begin(), timed_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::make_pair(rows_[a].time, a) < std::make_pair(rows_[b].time, b);
    });
    std::sort(waiting_.begin(), waiting_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::make_pair(rows_[a].after, a) < std::make_pair(rows_[b].after, b);
    });
    if (!timed_.empty()) wake_at(rows_[timed_.front()].time);
    settle_progress();
}

void ReplayGpu::when_finished(WorkgroupListener& listener, std::uint64_t token)
{
    if (finished_) {
        listener.on_workgroup_done(token);
        return;
    }
    listener_ = &listener;
    token_ = token;
}

void ReplayGpu::wake_at(Time due)
{
    due = std::max(due, event_queue().now());
    if (!wakes_.empty() && wakes_.back()->due <= due) return;
    if (spare_wakes_.empty()) {
        spare_wakes_.push_back(std::make_unique<TimedItem>());
        spare_wakes_.back()->kind = wake_kind;
    }
    wakes_.push_back(std::move(spare_wakes_.back()));
    spare_wakes_.pop_back();
    wakes_.back()->due = due;
    event_queue().schedule(*wakes_.back(), *this, due, 0xfff);
}

void ReplayGpu::issue_due()
{
    const Time now = event_queue().now();
    for (;;) {
        for (; next_timed_ < timed_.size() && rows_[timed_[next_timed_]].time <= now; ++next_timed_) {
            due_.push_back({rows_[timed_[next_timed_]].time, timed_[next_timed_]});
            std::push_heap(due_.begin(), due_.end(), later);
        }
        if (due_.empty() || due_.front().at > now) break;
        if (in_flight_ >= spec_.replay_in_flight) {
            throttled_ = true;
            return;
        }
        std::pop_heap(due_.begin(), due_.end(), later);
        Due& next = due_.back();
        Row& row = rows_[next.row];
        late_ += now - next.at;
        issue(row);
        if (row.left == 0) {
            ++rows_done_;
            due_.pop_back();
        } else {
            next.at += row.gap;
            std::push_heap(due_.begin(), due_.end(), later);
        }
    }
    Time next = ~Time{0};
    if (!due_.empty()) next = due_.front().at;
    if (next_timed_ < timed_.size()) next = std::min(next, rows_[timed_[next_timed_]].time);
    if (next != ~Time{0}) wake_at(next);
}

void ReplayGpu::issue(Row& row)
{
    Line& line = pool_.take();
    const std::uint64_t address = row.address + row.offset;
    const std::uint64_t size = std::min(line_bytes - address % line_bytes, row.bytes - row.offset);
    if (row.offset == 0) row.transfer = unit_transfer(transfers_++);
    const LineIssue issue = line.begin(row.op, address, static_cast<std::uint32_t>(size)).tag(0).transfer(row.transfer);
    if (row.op == LineOp::atomic) {
        line.set_operand(row.value);
        issue.flag(LineHeader::control_flag);
        ++additions_;
    } else if (data_on_ && row.op == LineOp::write) {
        std::memset(line.data(), 0, size);
    }
    row.offset += size;
    if (row.offset == row.bytes) {
        row.offset = 0;
        --row.left;
    }
    paths_.route(issue);
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    const unsigned pick = line.pick(choice.count);
    line.vc = vc_of(VcClass::request, choice.vc_set(pick));
    ++issued_;
    ++in_flight_;
    to_ports_[choice.port(pick)].send_request(line, spec_.unit_to_port);
}

// Rows under way and lines without a response may still change something; rows that wait for a flag cannot.
void ReplayGpu::settle_progress()
{
    if (!started_ || finished_ || end_.scheduled) return;
    const bool at_work = in_flight_ > 0 || !due_.empty() || next_timed_ < timed_.size();
    if (!at_work && waiting_.empty()) {
        if (!busy_) progress_.busy();
        busy_ = true;
        event_queue().schedule(end_, *this, std::max(event_queue().now(), last_answer_), 0xfff);
    } else if (at_work != busy_) {
        busy_ = at_work;
        if (at_work) {
            progress_.busy();
        } else {
            progress_.quiet(event_queue().now());
        }
    }
}

std::vector<std::string> ReplayGpu::blocked()
{
    constexpr std::size_t most = 4;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(most, waiting_.size()); ++i) {
        const Row& row = rows_[waiting_[i]];
        out.push_back(fmt::format("{}: {}:{} waits for value {} of flag {}, which has {}", name_, file_, row.line,
            row.after_value, flag_number(row.after), image_.flag(row.after)));
    }
    if (waiting_.size() > most) out.back() += fmt::format(" (and {} more rows wait)", waiting_.size() - most);
    if (in_flight_ > 0) out.push_back(fmt::format("{}: {} replayed transactions have no response", name_, in_flight_));
    return out;
}

std::vector<Statistic> ReplayGpu::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(replay_statistics(), out);
    write("lines", issued_);
    write("signals", additions_);
    write("answered", answered_);
    write("rows", rows_done_);
    write("time_late", late_);
    return out;
}

void ReplayGpu::reset_statistics()
{
    issued_ = additions_ = answered_ = rows_done_ = 0;
    late_ = 0;
}

}  // namespace weft
