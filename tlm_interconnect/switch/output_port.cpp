#include "tlm_interconnect/switch/output_port.h"

#include <algorithm>

namespace weft {

OutputPort::OutputPort(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, unsigned port,
    unsigned inputs, LineInitiatorSocket& requests, LineTargetSocket& responses, const Arbitration& arbitration)
    : event_queue_(event_queue), component_(component), owner_(owner), requests_(requests), responses_(responses),
      port_(port), inputs_(inputs), arbiter_(arbitration)
{
    wire_wake_.kind = wake_kind;
    pool_wake_.kind = wake_kind + 1 + max_vcs;
    set_credits(BufferSpace::of(1, 1));
}

void OutputPort::set_credits(const BufferSpace& space)
{
    credits_.grant(space);
    vc_sets_ = space.vc_sets();
    transaction_ = space.transaction;
    packets_.start(space);
    queues_.lay_out(space, inputs_, wake_kind + 1);
    arbiter_.start(static_cast<unsigned>(queues_.channels().size()));
}

void OutputPort::enqueue(Line& line, LineClass cls, unsigned input, unsigned vc_set)
{
    const std::uint8_t slot = queues_.slot_for(line, cls, vc_set);
    if (slot == ChannelQueues::no_slot) {
        SC_REPORT_FATAL("/weft/vc_set",
            (component_.path() + ": a route uses VC set " + std::to_string(vc_set) +
                ", but the number of VC sets of its link is " + std::to_string(vc_sets_))
                .c_str());
        return;
    }
    if (arbiter_.by_arrival()) line.scratch.queued.since = event_queue_.now();
    ScheduledItem* const before =
        packets_.adjacent() && queues_.head(slot, input) != nullptr ? packets_.begun(line, slot, input) : nullptr;
    queues_.push(line, slot, input, before);
    packets_.add(line, slot, input);
    meter_.queued(line, slot, input, event_queue_.now(), usable());
}

void OutputPort::prefetch(std::uint64_t address) const { packets_.prefetch(address); }

void OutputPort::prefetch_next() const
{
    if (!packets_.adjacent() || queues_.queued() == 0) return;
    const unsigned slot = arbiter_.last_slot();
    if (const ScheduledItem* head = queues_.head(slot, queues_[slot].last_input); head != nullptr)
        packets_.prefetch_one(Line::of(*head).address);
}

void OutputPort::add_credit(std::uint8_t vc, Time due, std::uint32_t lines)
{
    const std::uint8_t slot = queues_.slot_of(vc);
    const Time settled = meter_.watched() ? 0 : event_queue_.now();
    if (slot == ChannelQueues::no_slot ||
        !(lines == 1 ? credits_.give(vc, due, settled) : credits_.give_wide(vc, due, lines, settled))) {
        SC_REPORT_ERROR("/weft/credit", (component_.path() + ": more credits came back than were given").c_str());
        return;
    }
    meter_.returned(slot, due);
    if (meter_.stalled()) wait_for_credits(event_queue_.now());
}

std::vector<OutputPort::Wait> OutputPort::waits() const
{
    std::vector<Wait> out;
    for (const ChannelQueues::Channel& channel : queues_.channels()) {
        if (channel.queued == 0 || has_credits(channel.vc, event_queue_.now())) continue;
        for (unsigned input = 0; input < inputs_; ++input) {
            const std::size_t first = out.size();
            for (const ScheduledItem* item = channel.inputs[input].head; item != nullptr; item = item->next) {
                const LineHeader& line = Line::of(*item);
                std::size_t at = first;
                while (at < out.size() && out[at].held != line.vc) ++at;
                if (at == out.size()) out.push_back({input, line.vc, channel.vc, 0});
                ++out[at].lines;
            }
        }
    }
    return out;
}

bool OutputPort::continues_packet(Time now)
{
    const ChannelQueues::Channel& channel = queues_[arbiter_.last_slot()];
    const ScheduledItem* const head = channel.inputs[channel.last_input].head;
    return head != nullptr && packets_.continues(Line::of(*head)) && reserve(channel.vc, now);
}

// The credit of the next transaction is taken; where transactions may be wide, there are enough for any, which send() takes.
inline bool OutputPort::reserve(std::uint8_t vc, Time now)
{
    return transaction_ == 1 ? credits_.take(vc, now) : has_credits(vc, now);
}

// The channel to serve, its credit taken; -1: none has a line and a credit. `input`: where its line waits, -1: the next in turn.
int OutputPort::pick(Time now, int& input)
{
    if (packets_.merges() && continues_packet(now)) {
        input = static_cast<int>(queues_[arbiter_.last_slot()].last_input);
        return static_cast<int>(arbiter_.last_slot());
    }
    std::uint32_t candidates = queues_.occupied();
    if (arbiter_.in_turn()) {
        // The first in turn nearly always has a credit: look no further.
        for (int slot = arbiter_.next_in_turn(candidates); slot >= 0; slot = arbiter_.next_in_turn(candidates)) {
            if (reserve(queues_[static_cast<unsigned>(slot)].vc, now)) return slot;
            candidates &= ~(1U << slot);
        }
        return -1;
    }
    for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
        const int slot = __builtin_ctz(rest);
        const std::uint8_t vc = queues_[static_cast<unsigned>(slot)].vc;
        if (!has_credits(vc, now)) candidates &= ~(1U << slot);
    }
    if (candidates == 0) return -1;
    const unsigned slot = arbiter_.choose(candidates, queues_, input);
    reserve(queues_[slot].vc, now);
    return static_cast<int>(slot);
}

void OutputPort::send(unsigned slot, unsigned input, Time now)
{
    const std::uint8_t vc = queues_[slot].vc;
    const bool same_queue = arbiter_.last_slot() == slot && queues_[slot].last_input == input;
    Line& line = queues_.pop(slot, input);
    packets_.remove(line);
    if (transaction_ > 1) credits_.take_wide(vc, line.lines());
    arbiter_.sent(slot);
    const LineClass cls = class_of(vc) == VcClass::response ? LineClass::response : LineClass::request;
    meter_.leaves(line, cls, slot, now);
    owner_.on_sent(port_, line, cls, input);
    line.vc = vc;
    packets_.sent(line, same_queue);
    handed_on_ += line.lines();
    if (cls == LineClass::request) {
        if (requests_to_ == nullptr) requests_to_ = &requests_.bound();
        wire_free_ = now + call_forward(*requests_to_, line, LinePhase::request, 0);
    } else {
        if (responses_to_ == nullptr) responses_to_ = &responses_.bound();
        wire_free_ = now + call_backward(*responses_to_, line, LinePhase::response, 0);
    }
    meter_.sent(slot, input, now, wire_free_);
}

void OutputPort::serve(Time now)
{
    while (queues_.queued() > 0) {
        if (wire_free_ > now) {
            arm(wire_wake_, wire_free_);
            return;
        }
        meter_.look(queues_, now, usable());
        int input = -1;
        const int slot = pick(now, input);
        if (slot < 0) {
            meter_.stalled(now);
            wait_for_credits(now);
            return;
        }
        meter_.moves(now);
        const auto chosen = static_cast<unsigned>(slot);
        send(chosen, input < 0 ? queues_.next_input(chosen) : static_cast<unsigned>(input), now);
    }
}

void OutputPort::wait_for_credits(Time now)
{
    for (std::uint32_t rest = queues_.occupied(); rest != 0; rest &= rest - 1) {
        ChannelQueues::Channel& channel = queues_[static_cast<unsigned>(__builtin_ctz(rest))];
        const Time own = next_credit(channel.vc);
        if (own != CreditAccount::no_time) arm(channel.wake, std::max(own, now));
    }
    const Time pooled = credits_.next_pooled();
    if (pooled != CreditAccount::no_time) arm(pool_wake_, std::max(pooled, now));
}

void OutputPort::arm(ScheduledItem& item, Time due)
{
    if (!item.scheduled) event_queue_.schedule(item, component_, due, port_);
}

std::string OutputPort::describe() const
{
    std::string out;
    for (const ChannelQueues::Channel& channel : queues_.channels()) {
        if (channel.queued == 0) continue;
        out += (out.empty() ? "" : ", ") + std::to_string(channel.queued) + " " + vc_name(channel.vc, vc_sets_) +
            " packets wait";
        if (!has_credits(channel.vc, event_queue_.now()) && next_credit(channel.vc) == CreditAccount::no_time &&
            credits_.next_pooled() == CreditAccount::no_time)
            out += " for a credit";
    }
    return out;
}

}  // namespace weft
