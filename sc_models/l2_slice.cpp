#include "sc_models/l2_slice.h"

#include <algorithm>

namespace weft {

L2Slice::L2Slice(sc_core::sc_module_name name, Agenda& agenda, std::string path, const L2Spec& spec, unsigned index,
    MemoryImage& image, LinePool& pool, std::uint32_t endpoint)
    : sc_module(name), Station(agenda, std::move(path)), target("target", *this), memory("memory", *this),
      spec_(spec), index_(index), slices_(static_cast<std::uint32_t>(spec.slices)), endpoint_(endpoint),
      image_(image), pool_(pool), server_(std::max<std::uint64_t>(1, spec.bandwidth / spec.slices)),
      tags_(std::max<std::uint64_t>(1, spec.size / line_bytes / spec.slices / spec.ways),
          static_cast<unsigned>(spec.ways)),
      monitor_({spec.monitors, spec.monitor_log_latency, static_cast<WakePolicy>(spec.wake), spec.monitor_timeout})
{
    timer_.kind = timer_kind;
    request_prepare();
    misses_.reserve(std::min<std::uint64_t>(spec.outstanding_misses, 1024));
}

Time L2Slice::on_request(unsigned, Line& line, Time delay)
{
    line.kind = request_kind;
    // Ties of one instant: by source GPU, then by the order in which the crossbar handed them over.
    agenda().schedule(line, *this, agenda().now() + delay, line.source & 0xfffU);
    return 0;
}

Time L2Slice::on_response(unsigned, Line& line, Time delay)
{
    if (line.op == LineOp::write) {
        pool_.give(line);
        return 0;
    }
    line.kind = fill_kind;
    agenda().schedule(line, *this, agenda().now() + delay, 0xfff);
    return 0;
}

unsigned L2Slice::debug(unsigned, Line& line)
{
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::read) {
        image_.read(local, line.data(), line.size);
    } else {
        image_.write(local, line.data(), line.size);
    }
    return line.size;
}

void L2Slice::prepare(const AgendaItem& item) const
{
    if (item.kind == timer_kind) return;
    const std::uint64_t local = local_of(Line::of(item).address);
    if (!MemoryImage::is_flag(local)) tags_.prefetch(slice_place(local / line_bytes, slices_).number);
}

void L2Slice::run(AgendaItem& item)
{
    if (item.kind == timer_kind) {
        const Time now = agenda().now();
        monitor_.expire(now, [this, now](Line& waiter, Time later) { wake(waiter, now + later); });
        set_timer();
        return;
    }
    Line& line = Line::of(item);
    if (item.kind == fill_kind) {
        finish_fill(line);
    } else {
        serve(line);
    }
}

void L2Slice::access_data(Line& line)
{
    if (!image_.data_on()) return;
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::read) {
        image_.read(local, line.data(), line.size);
    } else if (line.op == LineOp::write) {
        image_.write(local, line.data(), line.size);
    } else {
        std::uint64_t word = 0;
        image_.read(local, reinterpret_cast<std::uint8_t*>(&word), sizeof word);
        const std::uint64_t result = result_of(line.function, word, line.operand(), line.comparand());
        image_.write(local, reinterpret_cast<const std::uint8_t*>(&result), sizeof result);
        line.set_operand(word);
    }
}

void L2Slice::answer(Line& line, Time at)
{
    if ((line.flags & LineHeader::posted_flag) != 0) {
        pool_.give(line);
        return;
    }
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    target.send_response(line, at - agenda().now());
}

void L2Slice::serve(Line& line)
{
    const Time now = agenda().now();
    const RateServer::Slot slot = server_.book(now, line_bytes);
    const Time ready = slot.start + spec_.latency;
    target.return_request_credit(line, slot.start - now);
    const std::uint64_t local = local_of(line.address);
    if (MemoryImage::is_flag(local)) {
        serve_flag(line, ready);
        return;
    }
    access_data(line);
    look_up(line, slice_place(local / line_bytes, slices_).number, ready);
}

void L2Slice::look_up(Line& line, std::uint64_t number, Time ready)
{
    std::uint32_t* word = tags_.find(number);
    if (word == nullptr) {
        serve_absent(line, number, ready);
        return;
    }
    if (line.op != LineOp::read) *word |= TagArray::dirty_bit;
    if ((*word & TagArray::pending_bit) == 0) {
        ++hits_;
        answer(line, ready);
        return;
    }
    ++merged_;
    const auto miss = std::find_if(misses_.begin(), misses_.end(),
        [number](const Miss& entry) { return entry.number == number; });
    line.due = ready;
    line.next = nullptr;
    miss->last->next = &line;
    miss->last = &line;
}

void L2Slice::serve_absent(Line& line, std::uint64_t number, Time ready)
{
    if (line.op == LineOp::write && line.full_line()) {
        TagArray::Victim victim;
        if (tags_.allocate(number, TagArray::dirty_bit, victim) != nullptr) {
            ++hits_;
            if (victim.dirty) write_back(victim.number, ready - agenda().now());
            answer(line, ready);
            return;
        }
    }
    start_miss(line, number, ready);
}

void L2Slice::start_miss(Line& line, std::uint64_t number, Time ready)
{
    const Time now = agenda().now();
    TagArray::Victim victim;
    std::uint32_t* word = nullptr;
    if (misses_.size() < spec_.outstanding_misses)
        word = tags_.allocate(number, TagArray::pending_bit | (line.op == LineOp::read ? 0 : TagArray::dirty_bit),
            victim);
    line.due = ready;  // the slice's own work is done then; the fill may come earlier or later
    if (word == nullptr) {  // no room: try again when a fill has ended
        line.next = nullptr;
        (stalled_head_ == nullptr ? stalled_head_ : stalled_tail_->next) = &line;
        stalled_tail_ = &line;
        return;
    }
    ++missed_;
    if (victim.dirty) write_back(victim.number, ready - now);
    line.next = nullptr;
    misses_.push_back({number, &line, &line});
    Line& fetch = pool_.take();
    fetch.begin(LineOp::read, address_of(number), line_bytes);
    fetch.source = static_cast<std::uint16_t>(endpoint_);
    memory.send_request(fetch, ready - now);
}

void L2Slice::finish_fill(Line& fetch)
{
    const Time now = agenda().now();
    const std::uint64_t number = slice_place(local_of(fetch.address) / line_bytes, slices_).number;
    pool_.give(fetch);
    std::uint32_t* word = tags_.find(number);
    *word &= ~TagArray::pending_bit;
    const auto miss = std::find_if(misses_.begin(), misses_.end(),
        [number](const Miss& entry) { return entry.number == number; });
    Line* line = miss->first;
    misses_.erase(miss);
    while (line != nullptr) {
        Line* following = line->next == nullptr ? nullptr : &Line::of(*line->next);
        answer(*line, std::max(now, line->due));
        line = following;
    }
    // Stalled misses take their turn again, in order, as if they had just arrived.
    AgendaItem* stalled = stalled_head_;
    stalled_head_ = stalled_tail_ = nullptr;
    while (stalled != nullptr) {
        AgendaItem* following = stalled->next;
        Line& waiting = Line::of(*stalled);
        const std::uint64_t place = slice_place(local_of(waiting.address) / line_bytes, slices_).number;
        look_up(waiting, place, std::max(now, waiting.due));
        stalled = following;
    }
}

std::uint64_t L2Slice::address_of(std::uint64_t number) const
{
    // Inverse of slice_place for this slice.
    const std::uint32_t count = slices_.divisor();
    const std::uint64_t rotation = slice_place(number * count, slices_).slice;
    const std::uint64_t within = (index_ + count - rotation) % count;
    return global_address(endpoint_, (number * count + within) * line_bytes);
}

void L2Slice::write_back(std::uint64_t number, Time delay)
{
    ++written_back_;
    Line& line = pool_.take();
    line.begin(LineOp::write, address_of(number), line_bytes);
    line.source = static_cast<std::uint16_t>(endpoint_);
    memory.send_request(line, delay);
}

void L2Slice::serve_flag(Line& line, Time ready)
{
    ++flag_operations_;
    const std::uint64_t local = local_of(line.address);
    std::uint64_t& value = image_.flag(local);
    switch (line.op) {
    case LineOp::read: line.set_operand(value); break;
    case LineOp::write: value = line.operand(); break;
    case LineOp::atomic: value = result_of(line.function, value, line.operand(), line.comparand()); break;
    case LineOp::fetch: {
        const std::uint64_t word = value;
        value = result_of(line.function, value, line.operand(), line.comparand());
        line.set_operand(word);
        break;
    }
    case LineOp::await:
        if (value < line.operand()) {
            monitor_.hold(line, agenda().now());
            return;
        }
        break;
    case LineOp::monitor:
        monitor_.hold(line, agenda().now());
        set_timer();
        return;
    case LineOp::multicast:
    case LineOp::load_reduce:
    case LineOp::reduce:
        SC_REPORT_FATAL("/weft/l2", (path() + ": an in-switch operation arrived at a memory").c_str());
    }
    if (line.op != LineOp::read && line.op != LineOp::await)
        monitor_.changed(local, value, [this, ready](Line& waiter, Time later) { wake(waiter, ready + later); });
    answer(line, ready);
}

void L2Slice::wake(Line& waiter, Time at)
{
    waiter.set_operand(image_.flag(local_of(waiter.address)));
    answer(waiter, at);
}

void L2Slice::set_timer()
{
    const Time next = monitor_.next_deadline();
    if (next != SyncMonitor::never && !timer_.scheduled) agenda().schedule(timer_, *this, next, 0xfffU);
}

std::vector<L2Slice::Waiting> L2Slice::waiting() const
{
    std::vector<Waiting> out;
    for (const SyncMonitor::Waiting& entry : monitor_.waiting())
        out.push_back({entry.local, image_.flag(entry.local), entry.line->operand(), entry.line->source, entry.line->tag});
    return out;
}

std::vector<Statistic> L2Slice::statistics() const
{
    return {{"hits", static_cast<double>(hits_), "lines", "accesses that found their line, whole-line writes included"},
        {"misses", static_cast<double>(missed_), "lines", "fills fetched from memory"},
        {"merged", static_cast<double>(merged_), "lines", "accesses that waited for a fill already on its way"},
        {"write_backs", static_cast<double>(written_back_), "lines", "dirty lines written to memory"},
        {"flag_operations", static_cast<double>(flag_operations_), "lines", "flag reads, writes, adds and awaits"},
        {"flag_waiters", static_cast<double>(monitor_.counts().held), "lines", "awaits and monitors that were held"},
        {"flag_waiters_most", static_cast<double>(monitor_.counts().most), "lines", "held at once, summed over slices"},
        {"flag_waiters_logged", static_cast<double>(monitor_.counts().logged), "lines", "beyond the slice's table"},
        {"flag_wakes", static_cast<double>(monitor_.counts().wakes), "lines", "waiters woken by a change"},
        {"flag_timeouts", static_cast<double>(monitor_.counts().timeouts), "lines", "monitors whose time was over"},
        {"busy", static_cast<double>(server_.busy()), "ps", "time the slice was busy"}};
}

void L2Slice::reset_statistics()
{
    hits_ = missed_ = merged_ = written_back_ = flag_operations_ = 0;
    monitor_.reset_counts();
    server_.reset_busy();
}

}  // namespace weft
