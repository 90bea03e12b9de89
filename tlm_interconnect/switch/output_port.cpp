#include "tlm_interconnect/switch/output_port.h"

#include <algorithm>

namespace weft {

Arbitration arbitration(const SwitchSpec& spec)
{
    return {static_cast<ArbiterKind>(spec.arbiter), static_cast<std::uint32_t>(spec.control_weight),
        static_cast<std::uint32_t>(spec.data_weight)};
}

OutputPort::OutputPort(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, unsigned port, unsigned inputs,
    LineInitiatorSocket& requests, LineTargetSocket& responses, const Arbitration& arbitration)
    : event_queue_(event_queue), component_(component), owner_(owner), requests_(requests), responses_(responses),
      arbitration_(arbitration), port_(port), inputs_(inputs)
{
    wire_wake_.kind = wake_kind;
    pool_wake_.kind = wake_kind + 1 + max_vcs;
    set_credits(BufferSpace::of(1, 1));
}

void OutputPort::set_credits(const BufferSpace& space)
{
    credits_.grant(space);
    lanes_ = space.lanes();
    packet_ = space.packet;
    group_packet_ = space.group_packet;
    packet_lines_ = space.packet_lines;
    next_address_ = 0;
    in_packet_ = 0;
    waiting_lines_ = WaitingLines();
    channels_.clear();
    slot_of_.fill(no_slot);
    for (unsigned vc = 0; vc < max_vcs; ++vc) {
        if (space.lines[vc] == 0) continue;
        slot_of_[vc] = static_cast<std::uint8_t>(channels_.size());
        Channel channel;
        channel.vc = static_cast<std::uint8_t>(vc);
        const VcClass cls = class_of(channel.vc);
        channel.control = cls == VcClass::request || cls == VcClass::atomic;
        channel.inputs.resize(inputs_);
        channel.waiting.resize((inputs_ + 63) / 64, 0);
        channel.last_input = inputs_ - 1;
        channel.wake.kind = static_cast<std::uint8_t>(wake_kind + 1 + channels_.size());
        channels_.push_back(std::move(channel));
    }
    last_slot_ = static_cast<unsigned>(channels_.size()) - 1;
    for (unsigned lane = 0; lane < max_lanes; ++lane)
        for (unsigned op = 0; op < line_ops; ++op)
            request_slot_[lane][op] =
                slot_of_[vc_of(space.split ? vc_class(static_cast<LineOp>(op)) : VcClass::request, lane)];
}

void OutputPort::enqueue(Line& line, LineClass cls, unsigned input, unsigned lane)
{
    const std::uint8_t slot = cls == LineClass::request ? request_slot_[lane][static_cast<unsigned>(line.op)]
                                                        : slot_of_[vc_of(VcClass::response, lane)];
    if (slot == no_slot) {
        SC_REPORT_FATAL("/weft/lane",
            (component_.path() + ": a route uses lane " + std::to_string(lane) + ", its link has " +
                std::to_string(lanes_)).c_str());
        return;
    }
    if (packet_ != 0 && waiting_lines_.crowded()) tell_waiting_apart();
    Channel& channel = channels_[slot];
    Queue& queue = channel.inputs[input];
    line.next = nullptr;
    if (line.traced()) line.breakdown().since = event_queue_.now();
    if (arbitration_.kind == ArbiterKind::arrival) line.due = event_queue_.now();
    if (queue.head == nullptr) {
        queue.head = &line;
        channel.waiting[input >> 6] |= std::uint64_t{1} << (input & 63);
        queue.tail = &line;
    } else if (ScheduledItem* before = packet_ == 0 ? nullptr : begun_packet(line, slot, input)) {
        line.next = before->next;
        before->next = &line;
        if (queue.tail == before) queue.tail = &line;
    } else {
        queue.tail->next = &line;
        queue.tail = &line;
    }
    if (packet_ != 0) waiting_lines_.add(line.address, line, input, slot);
    if (channel.queued++ == 0) occupied_ |= 1U << slot;
    peak_ = std::max(peak_, ++queued_);
    if (watch_ != nullptr) watch_->queued(slot, input, event_queue_.now());
}

void OutputPort::tell_waiting_apart()
{
    waiting_lines_.clear_into_more_places();
    for (std::uint8_t slot = 0; slot < channels_.size(); ++slot)
        for (unsigned input = 0; input < inputs_; ++input)
            for (ScheduledItem* item = channels_[slot].inputs[input].head; item != nullptr; item = item->next)
                waiting_lines_.add(Line::of(*item).address, Line::of(*item), input, slot);
}

void OutputPort::prefetch(std::uint64_t address) const
{
    if (packet_ == 0) return;
    waiting_lines_.prefetch(address);
    waiting_lines_.prefetch(address - line_bytes);
}

void OutputPort::prefetch_next() const
{
    if (packet_ == 0 || queued_ == 0) return;
    const Channel& channel = channels_[last_slot_];
    if (const ScheduledItem* head = channel.inputs[channel.last_input].head; head != nullptr)
        waiting_lines_.prefetch(Line::of(*head).address);
}

// The line of the same queue that `line` continues, if that still waits.
ScheduledItem* OutputPort::begun_packet(const Line& line, unsigned slot, unsigned input) const
{
    const std::uint32_t packet = line.of_group() ? group_packet_ : packet_;
    if (packet == 0 || line.address % packet == 0 || !line.full_line()) return nullptr;
    // One to the same address may wait, and stays ahead.
    if (waiting_lines_.find(line.address) != nullptr) return nullptr;
    const WaitingLines::Place* place = waiting_lines_.find(line.address - line_bytes);
    if (place == nullptr || place->line == nullptr || place->slot != slot || place->input != input) return nullptr;
    const Line& before = *place->line;
    const bool continues = before.address + line_bytes == line.address && before.op == line.op &&
                           before.source == line.source && before.full_line();
    return continues ? place->line : nullptr;
}

void OutputPort::add_credit(std::uint8_t vc, Time due)
{
    if (slot_of_[vc] == no_slot || !credits_.give(vc, due)) {
        SC_REPORT_ERROR("/weft/credit", (component_.path() + ": more credits returned than were given").c_str());
        return;
    }
    if (watch_ != nullptr) watch_->returned(slot_of_[vc], due);
    if (queued_ > 0 && !wire_wake_.scheduled) wait_for_credits(event_queue_.now());
}

void OutputPort::attach(PortWatch& watch)
{
    watch_ = &watch;
    std::vector<std::uint8_t> vcs;
    for (const Channel& channel : channels_) vcs.push_back(channel.vc);
    watch.start(std::move(vcs), inputs_);
}

void OutputPort::note_ready(Time now)
{
    for (std::uint32_t rest = occupied_; rest != 0; rest &= rest - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(rest));
        ready_[slot] = credits_.ready(channels_[slot].vc, now);
    }
}

std::vector<OutputPort::Wait> OutputPort::waits() const
{
    std::vector<Wait> out;
    for (const Channel& channel : channels_) {
        if (channel.queued == 0 || credits_.available(channel.vc, event_queue_.now())) continue;
        for (unsigned input = 0; input < inputs_; ++input) {
            const std::size_t first = out.size();
            for (const ScheduledItem* item = channel.inputs[input].head; item != nullptr; item = item->next) {
                const Line& line = static_cast<const Line&>(*item);
                std::size_t at = first;
                while (at < out.size() && out[at].held != line.vc) ++at;
                if (at == out.size()) out.push_back({input, line.vc, channel.vc, 0});
                ++out[at].lines;
            }
        }
    }
    return out;
}

unsigned OutputPort::next_input(const Channel& channel) const
{
    const unsigned inputs = inputs_;
    if (inputs == 1) return 0;
    const unsigned start = channel.last_input + 1 == inputs ? 0 : channel.last_input + 1;
    const std::size_t words = channel.waiting.size();
    std::size_t word = start >> 6;
    std::uint64_t bits = channel.waiting[word] & (~std::uint64_t{0} << (start & 63));
    for (std::size_t step = 0; step <= words; ++step) {
        if (bits != 0) return static_cast<unsigned>((word << 6) + static_cast<unsigned>(__builtin_ctzll(bits)));
        if (++word == words) word = 0;
        bits = channel.waiting[word];
    }
    return 0;
}

int OutputPort::pick_in_turn(std::uint32_t candidates) const
{
    if (candidates == 0) return -1;
    const std::uint32_t later = candidates & ~((2U << last_slot_) - 1);
    return __builtin_ctz(later != 0 ? later : candidates);
}

int OutputPort::pick_oldest(std::uint32_t candidates, unsigned& oldest_input) const
{
    int best = -1;
    Time best_time = 0;
    const unsigned count = static_cast<unsigned>(channels_.size());
    for (unsigned step = 1; step <= count; ++step) {
        const unsigned slot = (last_slot_ + step) % count;
        if ((candidates >> slot & 1U) == 0) continue;
        const Channel& channel = channels_[slot];
        for (unsigned turn = 1; turn <= inputs_; ++turn) {
            const unsigned input = (channel.last_input + turn) % inputs_;
            if (channel.inputs[input].head == nullptr) continue;
            const Line& line = Line::of(*channel.inputs[input].head);
            const Time since = arbitration_.kind == ArbiterKind::age ? line.issued : line.due;
            if (best >= 0 && since >= best_time) continue;
            best = static_cast<int>(slot);
            best_time = since;
            oldest_input = input;
        }
    }
    return best;
}

int OutputPort::pick_weighted(std::uint32_t candidates)
{
    std::uint32_t control = 0;
    for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
        const unsigned slot = static_cast<unsigned>(__builtin_ctz(rest));
        if (channels_[slot].control) control |= 1U << slot;
    }
    const std::uint32_t data = candidates & ~control;
    if (control == 0 || data == 0) return pick_in_turn(candidates);
    if (control_left_ + data_left_ == 0) {
        control_left_ = arbitration_.control_weight;
        data_left_ = arbitration_.data_weight;
    }
    if (control_left_ > 0) {
        --control_left_;
        return pick_in_turn(control);
    }
    --data_left_;
    return pick_in_turn(data);
}

bool OutputPort::continues_packet(Time now)
{
    const Channel& channel = channels_[last_slot_];
    if (channel.inputs[channel.last_input].head == nullptr) return false;
    return same_packet(Line::of(*channel.inputs[channel.last_input].head)) && credits_.take(channel.vc, now);
}

bool OutputPort::same_packet(const Line& line) const
{
    if (packet_lines_ > 0)
        return in_packet_ > 0 && in_packet_ < packet_lines_ && line.source == packet_source_ &&
               line.destination == packet_destination_;
    const std::uint32_t packet = line.of_group() ? group_packet_ : packet_;
    return packet != 0 && next_address_ % packet != 0 && line.address == next_address_ && line.op == packet_op_ &&
           line.source == packet_source_ && line.full_line();
}

int OutputPort::pick(Time now)
{
    if ((packet_ | packet_lines_) != 0 && continues_packet(now)) {
        oldest_input_ = static_cast<int>(channels_[last_slot_].last_input);
        return static_cast<int>(last_slot_);
    }
    std::uint32_t candidates = occupied_;
    if (arbitration_.kind == ArbiterKind::round_robin) {
        // The first in turn nearly always has a credit: look no further.
        for (int slot = pick_in_turn(candidates); slot >= 0; slot = pick_in_turn(candidates)) {
            if (credits_.take(channels_[static_cast<unsigned>(slot)].vc, now)) return slot;
            candidates &= ~(1U << slot);
        }
        return -1;
    }
    for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
        const int slot = __builtin_ctz(rest);
        if (!credits_.available(channels_[static_cast<unsigned>(slot)].vc, now)) candidates &= ~(1U << slot);
    }
    if (candidates == 0) return -1;
    unsigned input = 0;
    int slot = 0;
    if (arbitration_.kind != ArbiterKind::weighted) {
        slot = pick_oldest(candidates, input);
        oldest_input_ = static_cast<int>(input);
    } else {
        slot = pick_weighted(candidates);
    }
    credits_.take(channels_[static_cast<unsigned>(slot)].vc, now);
    return slot;
}

void OutputPort::send(unsigned slot, Time now)
{
    Channel& channel = channels_[slot];
    const unsigned input = oldest_input_ < 0 ? next_input(channel) : static_cast<unsigned>(oldest_input_);
    oldest_input_ = -1;
    Queue& queue = channel.inputs[input];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    if (queue.head == nullptr) {
        channel.waiting[input >> 6] &= ~(std::uint64_t{1} << (input & 63));
    } else {
        __builtin_prefetch(queue.head, 1);  // a long queue has left the host's caches
    }
    if (--channel.queued == 0) occupied_ &= ~(1U << slot);
    --queued_;
    if (packet_ != 0) waiting_lines_.remove(line.address, line);
    const bool same_queue = last_slot_ == slot && channel.last_input == input;
    channel.last_input = input;
    last_slot_ = slot;
    ++sent_;
    const LineClass cls = class_of(channel.vc) == VcClass::response ? LineClass::response : LineClass::request;
    if (line.traced()) note_wait(line, cls, slot, now);
    owner_.on_sent(port_, line, cls, input);
    line.vc = channel.vc;
    if (packet_lines_ > 0) {
        in_packet_ = same_queue && same_packet(line) ? in_packet_ + 1 : 1;
        packet_source_ = line.source;
        packet_destination_ = line.destination;
    }
    if (packet_ != 0) {
        next_address_ = line.full_line() ? line.address + line_bytes : 0;
        packet_op_ = line.op;
        packet_source_ = line.source;
    }
    wire_free_ = now + (cls == LineClass::request ? requests_.send_request(line, 0) : responses_.send_response(line, 0));
    if (watch_ != nullptr) watch_->sent(slot, input, now, ready_[slot], wire_free_);
}

void OutputPort::note_wait(Line& line, LineClass cls, unsigned slot, Time now) const
{
    LatencyBreakdown::Leg& leg = cls == LineClass::request ? line.breakdown().out : line.breakdown().back;
    const Time wait = now - line.breakdown().since;
    const Time ready = watch_ != nullptr ? std::min(ready_[slot], now) : 0;
    const Time credits = ready > line.breakdown().since ? ready - line.breakdown().since : 0;
    leg.credits += credits;
    leg.queued += wait - credits;
}

void OutputPort::serve(Time now)
{
    while (queued_ > 0) {
        if (wire_free_ > now) {
            arm(wire_wake_, wire_free_);
            return;
        }
        if (watch_ != nullptr) note_ready(now);
        const int slot = pick(now);
        if (slot < 0) {
            if (!stalled_) {
                stalled_ = true;
                stalled_since_ = now;
            }
            wait_for_credits(now);
            return;
        }
        if (stalled_) {
            stall_ += now - stalled_since_;
            stalled_ = false;
        }
        send(static_cast<unsigned>(slot), now);
    }
}

void OutputPort::wait_for_credits(Time now)
{
    for (std::uint32_t rest = occupied_; rest != 0; rest &= rest - 1) {
        Channel& channel = channels_[static_cast<unsigned>(__builtin_ctz(rest))];
        const Time own = credits_.next_own(channel.vc);
        if (own != CreditAccount::no_time) arm(channel.wake, std::max(own, now));
    }
    const Time pooled = credits_.next_pooled();
    if (pooled != CreditAccount::no_time) arm(pool_wake_, std::max(pooled, now));
}

void OutputPort::arm(ScheduledItem& item, Time due)
{
    if (!item.scheduled) event_queue_.schedule(item, component_, due, port_);
}

void OutputPort::reset_statistics()
{
    sent_ = 0;
    peak_ = queued_;
    stall_ = 0;
}

std::string OutputPort::describe() const
{
    std::string out;
    for (const Channel& channel : channels_) {
        if (channel.queued == 0) continue;
        out += (out.empty() ? "" : ", ") + std::to_string(channel.queued) + " " + vc_name(channel.vc, lanes_) +
               " lines wait";
        if (!credits_.available(channel.vc, event_queue_.now()) &&
            credits_.next_own(channel.vc) == CreditAccount::no_time && credits_.next_pooled() == CreditAccount::no_time)
            out += " for a credit";
    }
    return out;
}

}  // namespace weft
