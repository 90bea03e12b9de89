#include "sc_models/memory/hbm.h"

#include <algorithm>

#include "sc_models/memory/memory_statistics.h"

namespace weft {

namespace {

// Inputs of the timed component: slices, then the channels' wake-ups, so that those see all arrivals of their
// instant.
constexpr unsigned first_wake = 1024;
// Lines of a wide access that go to one channel together even where the slice has others.
constexpr std::uint32_t least_part = 2;

}  // namespace

Hbm::Hbm(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const HbmSpec& spec, unsigned slices,
    unsigned sector_shift)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), timing_(spec), map_(spec, slices, sector_shift),
      wakes_(spec.channels, HbmChannel::never), targets_("target", slices, socket_creator<LineTargetSocket>(*this))
{
    parts_.hold_no_data();
    channels_.reserve(spec.channels);
    for (unsigned c = 0; c < spec.channels; ++c) channels_.emplace_back(timing_, c, arrays_, *this);
    arrays_.build();
    state_ = channels_[0].state();
    if (spec.channels > 1) state_bytes_ = channels_[1].state() - state_;
    request_prefetch({&map_, &channels_});
}

void Hbm::prefetch(const ScheduledItem& item) const
{
    if (item.input >= first_wake) {
        channels_[item.input - first_wake].prefetch_step();
        return;
    }
    const LineHeader& line = Line::of(item);
    const std::uint64_t first = local_of(line.address) / line_bytes;
    const std::uint32_t parts = parts_of(line.lines());
    for (std::uint32_t part = 0; part < parts; ++part) {
        const HbmPlace place = map_.place(item.input, first + part);
        channels_[place.channel].prefetch_line(state_ + place.channel * state_bytes_, place.bank);
    }
}

std::uint32_t Hbm::parts_of(std::uint32_t lines) const
{
    return lines < 2 * least_part ? 1 : std::min(map_.channels_of_slice(), lines / least_part);
}

Time Hbm::on_request(unsigned slice, Line& line, Time delay)
{
    event_queue().schedule(line, *this, event_queue().now() + delay + timing_.spec.request_latency, slice);
    return 0;
}

void Hbm::access(Line& line)
{
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::write) {
        contents_->stored_write(local, line.data(), line.size);
    } else {
        contents_->stored_read(local, line.data(), line.size);
    }
}

unsigned Hbm::debug(unsigned, Line& line)
{
    if (contents_ == nullptr) return 0;  // what is in front has the bytes
    access(line);
    return line.size;
}

void Hbm::run(ScheduledItem& item)
{
    const Time now = event_queue().now();
    const unsigned input = item.input;
    if (input < first_wake) {
        Line& line = Line::of(item);
        if (contents_ != nullptr) access(line);
        if (line.wide()) {
            accept_wide(line, input);
        } else {
            accept(line, input, local_of(line.address) / line_bytes);
        }
        return;
    }
    item.next = idle_items_;
    idle_items_ = &item;
    const unsigned channel = input - first_wake;
    if (wakes_[channel] != now) return;  // an earlier one has done its work
    wakes_[channel] = HbmChannel::never;
    work(channel);
}

// `number`: of the line whose channel, bank and row it takes.
inline void Hbm::accept(Line& line, unsigned slice, std::uint64_t number)
{
    const Time now = event_queue().now();
    const HbmPlace place = map_.place(slice, number);
    HbmChannel& channel = channels_[place.channel];
    channel.accept(line, place.bank, place.row, now);
    if (channel.pins_free() <= now) {
        work(place.channel);
    } else {
        wake_at(place.channel, channel.pins_free());
    }
}

// Who waits in front of a channel's queue holds its sender up. The parts of a wide access do not.
void Hbm::took(Line& write)
{
    if (!write.marked(LineHeader::part_mark)) targets_[write.input].return_request_credit(write, 0);
}

// Consecutive lines are in the slice's channels in turn.
void Hbm::accept_wide(Line& line, unsigned slice)
{
    const std::uint64_t first = local_of(line.address) / line_bytes;
    const std::uint32_t lines = line.lines();
    const std::uint32_t parts = parts_of(lines);
    if (parts == 1) {
        accept(line, slice, first);
        return;
    }
    if (free_split_.empty()) {
        free_split_.push_back(static_cast<std::uint32_t>(split_.size()));
        split_.emplace_back();
    }
    const std::uint32_t place = free_split_.back();
    free_split_.pop_back();
    split_[place] = {&line, parts, 0};
    for (std::uint32_t i = 0; i < parts; ++i) {
        Line& part = parts_.take();
        const std::uint32_t count = lines / parts + (i < lines % parts ? 1 : 0);
        part.begin(line.op, line.address + std::uint64_t{i} * line_bytes, count * line_bytes).tag(place);
        part.mark(LineHeader::part_mark);
        part.tail = line.tail;
        accept(part, slice, first + i);
    }
}

void Hbm::work(unsigned channel)
{
    const HbmChannel::Step step = channels_[channel].step(event_queue().now());
    if (step.next != HbmChannel::never) wake_at(channel, step.next);
    if (step.line == nullptr) return;
    if (step.line->marked(LineHeader::part_mark)) {
        finish_part(*step.line, event_queue().now() + step.answer);
        return;
    }
    answer(*step.line, step.answer);
}

void Hbm::finish_part(Line& part, Time at)
{
    const std::uint32_t place = part.tag;
    parts_.give(part);
    Split& split = split_[place];
    split.answer = std::max(split.answer, at);
    if (--split.parts > 0) return;
    free_split_.push_back(place);
    answer(*split.line, split.answer - event_queue().now());
}

void Hbm::answer(Line& line, Time delay)
{
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    targets_[line.input].send_response(line, delay);
}

void Hbm::wake_at(unsigned channel, Time time)
{
    if (wakes_[channel] <= time) return;
    wakes_[channel] = time;
    if (idle_items_ == nullptr) {
        items_.emplace_back();
        idle_items_ = &items_.back();
    }
    ScheduledItem& item = *idle_items_;
    idle_items_ = item.next;
    event_queue().schedule(item, *this, time, first_wake + channel);
}

std::vector<Statistic> Hbm::statistics() const
{
    HbmCounts sum;
    Time refreshed = 0;
    for (const HbmChannel& channel : channels_) {
        const HbmCounts& part = channel.counts();
        sum.reads += part.reads;
        sum.writes += part.writes;
        for (unsigned i = 0; i < 3; ++i) sum.accesses[i] += part.accesses[i];
        sum.turnaround += part.turnaround;
        sum.waited += part.waited;
        sum.busy += part.busy;
        refreshed += channel.refreshed();
    }
    const Time counted = event_queue().last_effect() - counted_from_;
    std::vector<Statistic> out;
    StatisticWriter write(hbm_statistics(), out);
    write("reads", sum.reads);
    write("writes", sum.writes);
    write("row_hits", sum.accesses[0]);
    write("row_closed", sum.accesses[1]);
    write("row_conflicts", sum.accesses[2]);
    write("refresh", refreshed);
    write("turnaround", sum.turnaround);
    write("busy", sum.busy);
    write("mean_queue", counted == 0 ? 0 : static_cast<double>(sum.waited) / static_cast<double>(counted));
    return out;
}

void Hbm::reset_statistics()
{
    for (HbmChannel& channel : channels_) channel.reset_statistics();
    counted_from_ = event_queue().last_effect();
}

}  // namespace weft
