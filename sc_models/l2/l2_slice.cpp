#include "sc_models/l2/l2_slice.h"

#include <algorithm>
#include <cstring>

#include "sc_models/memory/memory_access.h"
#include "sc_models/memory/memory_statistics.h"

namespace weft {

namespace {

std::uint64_t sets_of(const L2Spec& spec)
{
    return std::max<std::uint64_t>(1, spec.size / (line_bytes << spec.sector_shift()) / spec.slices / spec.ways);
}

}  // namespace

L2Slice::Part::Part(const L2Spec& spec, std::uint64_t sets)
    : server(std::max<std::uint64_t>(1, spec.bandwidth / spec.slices)),
      tags(sets, static_cast<unsigned>(spec.ways), 1U << spec.sector_shift()),
      fills(spec.sector_shift(), spec.mirrored())
{
}

L2Slice::L2Slice(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const L2Spec& spec,
    unsigned index, MemoryImage& image, LinePool& pool, std::uint32_t endpoint, const ContentsFactory& make_contents)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), target("target", *this), memory("memory", *this),
      sector_shift_(spec.sector_shift()), sector_mask_((1U << spec.sector_shift()) - 1),
      interleave_shift_(spec.interleave_shift()), tags_shift_(interleave_shift_ - sector_shift_),
      tags_mask_((1U << tags_shift_) - 1), endpoint_(endpoint), slices_(static_cast<std::uint32_t>(spec.slices)),
      latency_(spec.latency), image_(image), pool_(pool), merges_(spec.merges),
      most_write_backs_(spec.outstanding_write_backs > 0 ? spec.outstanding_write_backs * (spec.mirrored() ? 2 : 1)
                                                         : ~std::uint64_t{0}),
      run_tags_(std::min(spec.write_back_run >> sector_shift_, sets_of(spec))), part_(spec, sets_of(spec)), spec_(spec),
      index_(index), flags_(spec, image)
{
    timer_.kind = timer_kind;
    request_prefetch({&sector_shift_, &part_.tags});
    const bool holds = spec.holds_contents() && image.data_on();
    if (!spec.mirrored()) {
        if (holds) hold_contents(make_contents);
        return;
    }
    if (spec.partitions > 2) SC_REPORT_FATAL("/weft/l2", "more than two mirrored partitions");
    other_ = std::make_unique<Part>(spec, sets_of(spec));
    request_prefetch({&sector_shift_, &part_.tags, &other_->tags});
    crossing_.assign(2, RateServer(std::max<std::uint64_t>(1, spec.far_bandwidth * 2 / spec.slices)));
    other_target_ = std::make_unique<LineTargetSocket>("other_target", *this, 1);
    other_memory_ = std::make_unique<LineInitiatorSocket>("other_memory", *this, 1);
    if (holds) hold_contents(make_contents);
}

Time L2Slice::on_request(unsigned partition, Line& line, Time delay)
{
    line.kind = kind_of(request, partition);
    note_number(line);
    line.scratch.slice.turned_away = line.scratch.slice.without_room = false;
    if (line.traced()) line.breakdown().home = event_queue().now() + delay;
    // Ties of one instant: by source GPU, then by the order in which the crossbar handed them over.
    event_queue().schedule(line, *this, event_queue().now() + delay, line.source & 0xfffU);
    return 0;
}

Time L2Slice::on_response(unsigned partition, Line& line, Time delay)
{
    if (line.op == LineOp::write) {
        if (part_.contents) write_backs_.remove(number_of(local_of(line.address)), line);
        if (line.marked(LineHeader::taken_mark)) {
            pool_.give(line);
            return 0;
        }
        line.kind = kind_of(written, partition);
        event_queue().schedule(line, *this, event_queue().now() + delay, 0xfff);
        return 0;
    }
    const unsigned asker = asker_of(line);
    line.kind = kind_of(asker == partition ? fill : crossing, asker);
    event_queue().schedule(line, *this, event_queue().now() + delay, 0xfff);
    return 0;
}

void L2Slice::prefetch(const ScheduledItem& item) const
{
    if (item.kind >= written && item.kind < entered) return;
    const LineHeader& line = Line::of(item);
    std::uint64_t number = 0;
    if (item.kind < fill) {
        if (MemoryImage::is_flag(local_of(line.address))) return;
        number = line.scratch.slice.number;
        const Part& own = partition_of(item) == 0 ? part_ : *other_;
        __builtin_prefetch(&own.server, 1);
        if (line.wide())
            own.fills.prefetch_begin_row(number);
        else
            own.fills.prefetch_begin(number);
    } else if (item.kind < far_request && !of_row(line)) {
        // Who waits for a fill has done so for as long as DRAM takes.
        const SliceFills& fills = (partition_of(item) == 0 ? part_ : *other_).fills;
        const std::uint32_t slot = slot_of(line);
        fills.prefetch(slot);
        number = fills.at(slot).number;
    } else {
        number = number_of(local_of(line.address));
    }
    const std::uint64_t step = other_ ? 2 : 1;
    std::uint64_t tag = number >> sector_shift_;
    for (unsigned sectors = sector_of(number) + line.lines();; sectors -= sector_mask_ + 1, tag += step) {
        part_.tags.prefetch(tag);
        if (other_) other_->tags.prefetch(tag);  // what one holds, the other is asked for
        if (sectors <= sector_mask_ + 1) break;
    }
}

void L2Slice::run(ScheduledItem& item)
{
    if (item.kind == timer_kind) {
        const Time now = event_queue().now();
        const bool expired = flags_.expire(now, [this, now](Line& waiter, Time later) { answer(waiter, now + later); });
        if (!expired) event_queue().without_effect();  // what it was set for has been woken since
        set_timer();
        return;
    }
    if (item.kind == taken_kind) {
        end_taken(item);
        return;
    }
    Line& line = Line::of(item);
    if (item.kind < fill) {
        if (!inputs_.limited() || try_enter(line)) serve(line);
    } else if ((item.kind & entered) != 0) {
        line.kind &= static_cast<std::uint8_t>(~entered);
        serve(line);
    } else if (item.kind < far_request) {
        finish_fill(line);
    } else if (item.kind < crossing) {
        serve_far(line);
    } else if (item.kind < written) {
        cross(line);
    } else {
        end_write_back(line.lines());
        pool_.give(line);
    }
}

// Whether the input is free for the request. If not, it comes again.
inline bool L2Slice::try_enter(Line& line)
{
    const Time now = event_queue().now();
    const Time start = inputs_.admit(line, partition_of(line), now);
    if (start == now) return true;
    line.kind |= entered;
    event_queue().schedule(line, *this, start, line.source & 0xfffU);
    return false;
}

// What happens at the line's turn. The image changes then; those of lines between caches are not in them.
inline void L2Slice::access(Line& line)
{
    constexpr std::uint8_t apart = LineHeader::refill_flag | LineHeader::packet_flag;
    if ((line.flags & apart) == 0) {
        if (!part_.contents) access_data(image_, line);
    } else if ((line.flags & LineHeader::packet_flag) != 0) {
        if (line.op != LineOp::write) flags_.note_poll(line);
        find_packets(image_, line);
        if (!part_.contents) access_data(image_, line);
    }
}

void L2Slice::answer(Line& line, Time at)
{
    if (line.marked(LineHeader::part_mark)) {
        finish_part(line, at);
        return;
    }
    if ((line.flags & LineHeader::posted_flag) != 0) {
        pool_.give(line);
        return;
    }
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    if (line.traced()) line.breakdown().answered = at;
    target_of(partition_of(line)).send_response(line, at - event_queue().now());
}

void L2Slice::serve(Line& line)
{
    if (line.wide()) {
        serve_wide(line);
        return;
    }
    const Time now = event_queue().now();
    const bool flag = MemoryImage::is_flag(local_of(line.address));
    if (other_ && !flag) {
        serve_in_partition(line);
        return;
    }
    const unsigned partition = partition_of(line);
    const Time start = part(partition).server.book(now, line_bytes).start;
    const Time ready = start + latency_;
    target_of(partition).return_request_credit(line, start - now);
    if (flag) {
        serve_flag(line, ready);
        return;
    }
    access(line);
    look_up(line, ready);
}

// `neighbour`, whose tag is at `word`, took the place of `victim`, whose bytes are still there.
inline void L2Slice::displace(unsigned partition, std::uint32_t victim, const std::uint32_t* word,
    std::uint64_t neighbour, Time delay)
{
    Part& own = part(partition);
    const TagArray& tags = own.tags;
    if (tags.held_sectors(victim) == 0) return;
    const std::uint8_t* const bytes = own.contents ? own.bytes(word, 0) : nullptr;
    if (other_) {
        move_victim(1 - partition, victim, bytes, tags.line_of(victim, neighbour), delay);
        return;
    }
    write_back_displaced(partition, tags.line_of(victim, neighbour), own.to_be_written(victim), bytes, delay);
}

void L2Slice::look_up(Line& line, Time ready)
{
    const unsigned partition = partition_of(line);
    const std::uint64_t number = line.scratch.slice.number;
    std::uint32_t* word = part(partition).tags.find(number >> sector_shift_);
    proceed(line, number, word, ready, other_ && is_far_hit(line, number, word));
}

// `word` is that of the line's tag, `far` says that the other partition has what is missing here.
inline void L2Slice::proceed(Line& line, std::uint64_t number, std::uint32_t* word, Time ready, bool far)
{
    const unsigned partition = partition_of(line);
    Part& own = part(partition);
    const unsigned sector = sector_of(number);
    const TagArray::State state = word == nullptr ? TagArray::absent : TagArray::state(*word, sector);
    if (TagArray::holds(state)) {
        if (line.op != LineOp::read) {
            TagArray::make_dirty(*word, sector);
            if (other_) drop_other(partition, number);
        }
        if (own.contents) carry_out(partition, line, own.bytes(word, sector));
        ++hits_;
        answer(line, ready);
    } else if (state == TagArray::pending) {
        Fill& pending = own.fills.of(number);
        if (merges_ > 0 && pending.waiting >= merges_) {
            line.scratch.slice.turned_away = true;
            stall(line, ready, StalledLines::Outcome::looks_again);
            return;
        }
        ++merged_;
        pending.write |= line.op != LineOp::read;
        SliceFills::join(pending, line, ready);
        if (own.contents && shows_early(line)) debug(partition, line);
    } else if (line.op == LineOp::write && line.full_line()) {
        write_absent(line, number, ready, word);
    } else {
        start_miss(line, number, ready, word, far);
    }
}

// With two partitions: what will come from the other one occupies no slice here.
void L2Slice::serve_in_partition(Line& line)
{
    const Time now = event_queue().now();
    const unsigned partition = partition_of(line);
    const std::uint64_t number = line.scratch.slice.number;
    std::uint32_t* word = part(partition).tags.find(number >> sector_shift_);
    const bool far = is_far_hit(line, number, word);
    const Time start = far ? now : part(partition).server.book(now, line_bytes).start;
    target_of(partition).return_request_credit(line, start - now);
    access(line);
    proceed(line, number, word, start + latency_, far);
}

void L2Slice::write_absent(Line& line, std::uint64_t number, Time ready, std::uint32_t* word)
{
    const unsigned partition = partition_of(line);
    const unsigned sector = sector_of(number);
    Part& own = part(partition);
    std::uint32_t victim = 0;
    if (word != nullptr) {
        TagArray::set_state(*word, sector, TagArray::dirty);
        if (other_) drop_other(partition, number);
    } else {
        const std::uint64_t tag = number >> sector_shift_;
        if (lacks_room(partition, tag)) {
            wait_for_room(line, ready);
            return;
        }
        word = own.tags.allocate(tag, own.states_of_new(sector, TagArray::dirty), victim);
        if (word == nullptr) {
            // It needs a place but no fill, and may have it at any time.
            stall(line, ready, StalledLines::Outcome::looks_again);
            return;
        }
        if (other_) drop_other(partition, number);
        displace(partition, victim, word, tag, ready - event_queue().now());
    }
    if (own.contents) carry_out(partition, line, own.bytes(word, sector));
    if (!own.stalled.empty()) own.stalled.arrived(number);
    ++hits_;
    answer(line, ready);
}

void L2Slice::start_miss(Line& line, std::uint64_t number, Time ready, std::uint32_t* word, bool far)
{
    const Time now = event_queue().now();
    const unsigned partition = partition_of(line);
    Part& own = part(partition);
    const unsigned sector = sector_of(number);
    if (own.fills.size() >= spec_.outstanding_misses) {
        stall(line, ready, StalledLines::Outcome::stays);
        return;
    }
    const std::uint64_t tag = number >> sector_shift_;
    const bool new_line = word == nullptr;
    std::uint32_t victim = 0;
    if (new_line) {
        if (lacks_room(partition, tag)) {
            wait_for_room(line, ready);
            return;
        }
        word = own.tags.allocate(tag, own.states_of_new(sector, TagArray::pending), victim);
        if (word == nullptr) {
            stall(line, ready, StalledLines::Outcome::stays);
            return;
        }
    } else {
        ++sector_misses_;
        TagArray::set_state(*word, sector, TagArray::pending);
    }
    const std::uint32_t slot = own.fills.begin(number, line, ready, far);
    if (own.contents) {
        begin_patch(partition, number, own.fills.at(slot));
        if (shows_early(line)) debug(partition, line);
    }
    if (new_line) displace(partition, victim, word, tag, ready - now);
    Line& fetch = pool_.take();
    fetch.begin(LineOp::read, line.address / line_bytes * line_bytes, line_bytes)
        .flag(LineHeader::refill_flag)
        .source(endpoint_)
        .tag(fetch_tag(slot, partition));
    if (far) {
        ++far_hits_;
        if (line.op == LineOp::read) ++copies_;
        fetch.kind = kind_of(far_request, 1 - partition);
        event_queue().schedule(fetch, *this, ready + spec_.far_latency, 0xfff);
    } else {
        ++missed_;
        memory_of(home_of(number)).send_request(fetch, ready - now);
    }
}

void L2Slice::finish_fill(Line& fetch)
{
    Part& own = part(partition_of(fetch));
    if (of_row(fetch)) {
        end_row(fetch);
    } else {
        const std::uint64_t number = own.fills.at(slot_of(fetch)).number;
        end_fill(fetch, number, slot_of(fetch), own.tags.find(number >> sector_shift_));
    }
    pool_.give(fetch);
    if (!own.stalled.empty()) retry_stalled(own);
}

void L2Slice::end_fill(Line& fetch, std::uint64_t number, std::uint32_t slot, std::uint32_t* word)
{
    const Time now = event_queue().now();
    const unsigned partition = partition_of(fetch);
    Part& own = part(partition);
    const Fill& ended = own.fills.at(slot);
    TagArray::set_state(*word, sector_of(number), ended.write ? TagArray::dirty : TagArray::clean);
    if (other_ && ended.write) drop_other(partition, number);
    std::uint8_t* const bytes = own.contents ? own.bytes(word, sector_of(number)) : nullptr;
    if (bytes != nullptr) take_fill(own, fetch, ended, bytes);
    Line* line = own.fills.end(slot);
    while (line != nullptr) {
        Line* following = line->next == nullptr ? nullptr : &Line::of(*line->next);
        if ((line->kind & ~1U) == request) {
            if (bytes != nullptr) carry_out(partition, *line, bytes);
            answer(*line, std::max(now, line->scratch.slice.ready));
        } else {
            if (bytes != nullptr) std::memcpy(line->data(), bytes, line_bytes);
            send_across(*line, std::max(now, line->scratch.slice.ready));
        }
        line = following;
    }
}

std::uint64_t L2Slice::with_home(std::uint64_t block, std::uint64_t tag) const
{
    return tag * 2 + (slice_place(block, slices_).slice >= slices_.divisor() / 2 ? 1 : 0);
}

std::uint64_t L2Slice::address_of(std::uint64_t number) const
{
    const std::uint64_t key = number >> sector_shift_;
    const std::uint64_t tag = other_ ? key / 2 : key;
    const std::uint32_t slice = index_ + (other_ && key % 2 == 1 ? slices_.divisor() / 2 : 0);
    const std::uint64_t first = line_of_place(tag >> tags_shift_, slice, slices_) << interleave_shift_;
    return global_address(endpoint_, (first | (tag & tags_mask_) << sector_shift_ | sector_of(number)) * line_bytes);
}

void L2Slice::serve_flag(Line& line, Time ready)
{
    const bool timed = line.op == LineOp::monitor;
    if (!flags_.serve(line, event_queue().now(),
            [this, ready](Line& served, Time later) { answer(served, ready + later); }))
        SC_REPORT_FATAL("/weft/l2", (path() + ": an operation for a switch arrived at a memory").c_str());
    if (timed) set_timer();
}

void L2Slice::set_timer()
{
    const Time next = flags_.next_deadline();
    if (next != SyncMonitor::never && !timer_.scheduled) event_queue().schedule(timer_, *this, next, 0xfffU);
}

}  // namespace weft
