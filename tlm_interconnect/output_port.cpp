#include "tlm_interconnect/output_port.h"

#include <algorithm>

namespace weft {

OutputPort::OutputPort(Agenda& agenda, Station& station, OutputPortOwner& owner, unsigned port, unsigned inputs,
    LineInitiatorSocket& requests, LineTargetSocket& responses)
    : agenda_(agenda), station_(station), owner_(owner), requests_(requests), responses_(responses), port_(port)
{
    wire_wake_.kind = wake_kind;
    for (unsigned c = 0; c < line_classes; ++c) {
        classes_[c].inputs.resize(inputs);
        classes_[c].waiting.resize((inputs + 63) / 64, 0);
        classes_[c].last_input = inputs - 1;
        classes_[c].wake.kind = static_cast<std::uint8_t>(wake_kind + 1 + c);
    }
    set_credits(1, 1);
}

void OutputPort::set_credits(std::uint32_t requests, std::uint32_t responses)
{
    const std::uint32_t counts[line_classes] = {requests, responses};
    for (unsigned c = 0; c < line_classes; ++c) {
        std::size_t capacity = 1;
        while (capacity < counts[c]) capacity *= 2;
        classes_[c].credits = counts[c];
        classes_[c].ring.assign(capacity, 0);
    }
}

void OutputPort::enqueue(Line& line, LineClass cls, unsigned input)
{
    PerClass& state = classes_[static_cast<unsigned>(cls)];
    Queue& queue = state.inputs[input];
    line.next = nullptr;
    if (queue.head == nullptr) {
        queue.head = &line;
        state.waiting[input >> 6] |= std::uint64_t{1} << (input & 63);
    } else {
        queue.tail->next = &line;
    }
    queue.tail = &line;
    ++state.queued;
    peak_ = std::max(peak_, ++queued_);
}

void OutputPort::add_credit(LineClass cls, Time due)
{
    PerClass& state = classes_[static_cast<unsigned>(cls)];
    const std::size_t mask = state.ring.size() - 1;
    if (state.ring_count > mask) {
        SC_REPORT_ERROR("/weft/credit", (station_.path() + ": more credits returned than were given").c_str());
        return;
    }
    // Slots of a receive buffer are given back in order.
    state.ring_last = std::max(state.ring_last, due);
    state.ring[(state.ring_head + state.ring_count++) & mask] = state.ring_last;
    if (state.queued > 0 && !wire_wake_.scheduled) arm(state.wake, std::max(state.ring[state.ring_head], agenda_.now()));
}

bool OutputPort::take_credit(PerClass& cls, Time now)
{
    if (cls.credits > 0) {
        --cls.credits;
        return true;
    }
    if (cls.ring_count == 0 || cls.ring[cls.ring_head] > now) return false;
    cls.ring_head = (cls.ring_head + 1) & static_cast<std::uint32_t>(cls.ring.size() - 1);
    --cls.ring_count;
    return true;
}

unsigned OutputPort::next_input(PerClass& cls) const
{
    const unsigned inputs = static_cast<unsigned>(cls.inputs.size());
    if (inputs == 1) return 0;
    const unsigned start = cls.last_input + 1 == inputs ? 0 : cls.last_input + 1;
    const std::size_t words = cls.waiting.size();
    std::size_t word = start >> 6;
    std::uint64_t bits = cls.waiting[word] & (~std::uint64_t{0} << (start & 63));
    for (std::size_t step = 0; step <= words; ++step) {
        if (bits != 0) return static_cast<unsigned>((word << 6) + static_cast<unsigned>(__builtin_ctzll(bits)));
        if (++word == words) word = 0;
        bits = cls.waiting[word];
    }
    return 0;
}

void OutputPort::send(unsigned index, Time now)
{
    PerClass& state = classes_[index];
    const unsigned input = next_input(state);
    Queue& queue = state.inputs[input];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    if (queue.head == nullptr) {
        state.waiting[input >> 6] &= ~(std::uint64_t{1} << (input & 63));
    } else {
        __builtin_prefetch(queue.head, 1);  // a long queue has left the host's caches
    }
    --state.queued;
    --queued_;
    state.last_input = input;
    last_class_ = index;
    ++sent_;
    const LineClass cls = static_cast<LineClass>(index);
    owner_.on_sent(port_, line, cls, input);
    wire_free_ = now + (cls == LineClass::request ? requests_.send_request(line, 0) : responses_.send_response(line, 0));
}

void OutputPort::serve(Time now)
{
    while (queued_ > 0) {
        if (wire_free_ > now) {
            arm(wire_wake_, wire_free_);
            return;
        }
        bool found = false;
        for (unsigned step = 1; step <= line_classes && !found; ++step) {
            const unsigned index = (last_class_ + step) % line_classes;
            if (classes_[index].queued == 0 || !take_credit(classes_[index], now)) continue;
            if (stalled_) {
                stall_ += now - stalled_since_;
                stalled_ = false;
            }
            send(index, now);
            found = true;
        }
        if (found) continue;
        if (!stalled_) {
            stalled_ = true;
            stalled_since_ = now;
        }
        for (PerClass& state : classes_)
            if (state.queued > 0 && state.ring_count > 0) arm(state.wake, state.ring[state.ring_head]);
        return;
    }
}

void OutputPort::arm(AgendaItem& item, Time due)
{
    if (!item.scheduled) agenda_.schedule(item, station_, due, port_);
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
    const char* names[line_classes] = {"request", "response"};
    for (unsigned c = 0; c < line_classes; ++c) {
        if (classes_[c].queued == 0) continue;
        out += (out.empty() ? "" : ", ") + std::to_string(classes_[c].queued) + " " + names[c] + " lines wait";
        if (classes_[c].credits == 0 && classes_[c].ring_count == 0) out += " for a credit";
    }
    return out;
}

}  // namespace weft
