#include "tlm_interconnect/switch/crossbar_switch.h"

#include "tlm_interconnect/switch/switch_statistics.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

namespace {

void put(std::uint64_t* bits, std::uint32_t i) { bits[i >> 6] |= std::uint64_t{1} << (i & 63); }
void take(std::uint64_t* bits, std::uint32_t i) { bits[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }

template <class Visit>
void each(const std::uint64_t* bits, std::uint32_t words, const Visit& visit)
{
    for (std::uint32_t word = 0; word < words; ++word)
        for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
            visit((word << 6) + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
}

unsigned checked(unsigned inputs)
{
    if (inputs > 64)
        throw InputError("", 0, fmt::format("a crossbar with {} inputs", inputs), "at most 64 (ports x input_speedup)");
    return inputs;
}

}  // namespace

CrossbarSwitch::CrossbarSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    const SwitchSpec& spec, unsigned ports, RouteTable routes)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path)), clock_(spec.clock),
      ready_delay_(spec.latency - (spec.vc_stage == VcStage::separate ? std::min(spec.latency, spec.clock) : 0)),
      credit_delay_(spec.credit_delay), traversal_(spec.traversal), transfer_(spec.transfer),
      buffered_(spec.output_buffer > 0), spec_(spec), separate_(spec.vc_stage == VcStage::separate),
      fifo_(spec.queues == QueueKind::fifo), speedup_(static_cast<unsigned>(spec.input_speedup)),
      route_vc_sets_(this->routes().vc_sets()), ports_(ports), matching_(spec, checked(ports * speedup_), ports)
{
    output_array_.add(outputs_, ports);
    output_array_.build();
    for (ScheduledItem& tick : first_ticks_) tick.kind = tick_kind;
    for (std::uint8_t vc = 0; vc < max_vcs && !fifo_; ++vc)
        input_of_[vc] = static_cast<std::uint8_t>((vc_set_of(vc) + vc % vc_classes) % speedup_);
    for (unsigned p = 0; p < ports; ++p) {
        ports_[p].starts.resize(spec.output_buffer + 1);
        set_credits(p, BufferSpace::of(1, 1));
    }
}

void CrossbarSwitch::set_credits(unsigned port, const BufferSpace& space)
{
    ports_[port].credits.grant(space);
    ports_[port].vc_sets = space.vc_sets();
    outputs_[port].split = space.split;
    outputs_[port].vc_sets = static_cast<std::uint8_t>(std::max(1U, space.vc_sets() / route_vc_sets_));
    for (unsigned vc = 0; vc < max_vcs; ++vc)
        if (space.lines[vc] > 0) slot_of_[vc] = 1;
}

void CrossbarSwitch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.scratch.crossbar.response = cls == LineClass::response;
    const Time ready = event_queue().now() + delay + ready_delay_;
    Time at = last_edge_ + clock_;
    for (unsigned ahead = 1; ahead < near_edges; ++ahead, at += clock_) {
        if (at < ready) continue;
        // Lines of one input are in order here; in which order inputs come makes no difference.
        const unsigned slot = (last_slot_ + ahead) % near_edges;
        line.next = nullptr;
        line.scratch.crossbar.input = static_cast<std::uint16_t>(port);
        (arriving_[slot] == nullptr ? arriving_[slot] : last_arriving_[slot]->next) = &line;
        last_arriving_[slot] = &line;
        ++near_lines_;
        wake_at(at);
        return;
    }
    line.kind = far_kind;
    event_queue().schedule(line, *this, edge(ready), port);
}

void CrossbarSwitch::credited(unsigned port, std::uint8_t vc, Time arrival)
{
    const Time due = arrival + credit_delay_;
    if (!ports_[port].credits.give(vc, due)) {
        report_extra_credit(path());
        return;
    }
    if (!watches_.empty() && watches_[port] != nullptr) watches_[port]->returned(watch_slot(port, class_of(vc)), due);
    if (lines_ > 0 && due < next_tick_) wake_at(edge(due));
}

// VC sets of a class count as one channel: which of them a line takes is decided when it leaves.
unsigned CrossbarSwitch::watch_slot(unsigned output, VcClass cls) const
{
    if (outputs_[output].split) return static_cast<unsigned>(cls);
    return cls == VcClass::response ? 1 : 0;
}

void CrossbarSwitch::wake_at(Time time)
{
    if (time >= next_tick_) return;
    next_tick_ = time;
    for (const TimedItem& tick : first_ticks_)
        if (tick.scheduled && tick.due == time) return;  // since before an earlier one was wanted
    // Last of the instant: lines that arrive by way of the event queue come before it.
    for (TimedItem& tick : first_ticks_) {
        if (tick.scheduled) continue;
        tick.due = time;
        event_queue().schedule(tick, *this, time, 0xfff);
        return;
    }
    for (const auto& tick : further_ticks_) {
        if (tick->scheduled) continue;
        event_queue().schedule(*tick, *this, time, 0xfff);
        return;
    }
    further_ticks_.push_back(std::make_unique<ScheduledItem>());
    further_ticks_.back()->kind = tick_kind;
    event_queue().schedule(*further_ticks_.back(), *this, time, 0xfff);
}

std::uint32_t CrossbarSwitch::queue_of(unsigned input, std::uint8_t vc, unsigned output) const
{
    switch (spec_.queues) {
    case QueueKind::voq: return static_cast<std::uint32_t>((input * slots_ + slot_of_[vc]) * ports_.size() + output);
    case QueueKind::channel: return input * slots_ + slot_of_[vc];
    case QueueKind::fifo: break;
    }
    return input;
}

std::uint16_t CrossbarSwitch::vc_set_channels(const Output& output, VcClass cls, unsigned vc_set) const
{
    static_assert(vc_classes == 4 && max_vc_sets == 4, "the masks below are for four classes and VC sets");
    const unsigned vc_sets = output.vc_sets == 1 ? 0x1U
        : output.vc_sets == 2                    ? 0x11U
        : output.vc_sets == 3                    ? 0x111U
                                                 : 0x1111U;
    return static_cast<std::uint16_t>(vc_sets << (vc_set * output.vc_sets * vc_classes + static_cast<unsigned>(cls)));
}

// VC sets are those of the routes; a link may have several VC sets for each.
CrossbarSwitch::Exit CrossbarSwitch::exit_of(unsigned input, Line& line)
{
    if (line.scratch.crossbar.response) {
        Exit back = route_back(line);
        back.vc_set /= outputs_[back.port].vc_sets;
        return back;
    }
    const std::uint16_t entry = line.destination < routes().endpoints() ? only_route_[line.destination] : many_routes;
    const Exit exit = entry == many_routes ? route(line, input, vc_set_of(line.vc) / outputs_[input].vc_sets)
                                           : Exit{RouteTable::port_of(entry), RouteTable::vc_set_of(entry)};
    note_hop(line, input);
    return exit;
}

// The line joins its queue. What it needs of its output is noted on it until it is the head.
void CrossbarSwitch::enter(unsigned input, Line& line)
{
    const Exit exit = exit_of(input, line);
    if (!exit.known()) return;
    const unsigned output = exit.port;
    line.scratch.crossbar.output = static_cast<std::uint8_t>(output);
    line.scratch.crossbar.vc_set = static_cast<std::uint8_t>(exit.vc_set);
    Queue& queue = queues_[queue_of(input, line.vc, output)];
    line.next = nullptr;
    ++lines_;
    Output& out = outputs_[output];
    out.load.join();
    if (!watches_.empty() && watches_[output] != nullptr) {
        const bool request = !line.scratch.crossbar.response;
        watches_[output]->queued(watch_slot(output, request ? vc_class(line.op) : VcClass::response), input,
            event_queue().now());
    }
    if (queue.head == nullptr) {
        queue.head = queue.tail = &line;
        set_head(static_cast<std::uint32_t>(&queue - queues_));
    } else {
        queue.tail->next = &line;
        queue.tail = &line;
    }
}

void CrossbarSwitch::set_head(std::uint32_t number)
{
    Queue& queue = queues_[number];
    const Line& line = Line::of(*queue.head);
    queue.output = line.scratch.crossbar.output;
    const Output& out = outputs_[queue.output];
    VcClass cls = VcClass::response;
    if (!line.scratch.crossbar.response) cls = out.split ? vc_class(line.op) : VcClass::request;
    queue.channels = vc_set_channels(out, cls, line.scratch.crossbar.vc_set);
    queue.input = static_cast<std::uint8_t>(queue.first_input + input_of_[line.vc]);
    put(separate_ ? without_channel_ : ready_, number);
}

void CrossbarSwitch::run(ScheduledItem& item)
{
    const Time now = event_queue().now();
    if (item.kind != tick_kind) {
        Line& line = Line::of(item);
        enter(item.input, line);
        wake_at(now);
        return;
    }
    if (next_tick_ != now) return event_queue().without_effect();  // an earlier tick has made this one superfluous
    next_tick_ = CreditAccount::no_time;
    // Edges since the last tick had no arrivals, or there would have been a tick.
    if (now - last_edge_ < near_edges * clock_) {
        for (; last_edge_ < now; last_edge_ += clock_) last_slot_ = (last_slot_ + 1) % near_edges;
    } else {
        last_edge_ = now;
        last_slot_ = 0;
    }
    ScheduledItem* arrived = arriving_[last_slot_];
    arriving_[last_slot_] = nullptr;
    const bool any_arrived = arrived != nullptr;
    while (arrived != nullptr) {
        Line& line = Line::of(*arrived);
        arrived = line.next;
        --near_lines_;
        enter(line.scratch.crossbar.input, line);
    }
    moved_ = false;
    if (lines_ > 0) {
        for (std::uint32_t word = 0; word < words_; ++word) asking_[word] = ready_[word];
        if (separate_) allocate_channels();
        request_crossbar(now);
    }
    // Which of these ticks there are depends on when the switch hears of a credit.
    if (!any_arrived && !moved_) event_queue().without_effect();
    const Time next = next_chance(now);
    if (next != CreditAccount::no_time) wake_at(next);
}

void CrossbarSwitch::allocate_channels()
{
    const auto won = [this](std::uint32_t number, unsigned output, int channel) {
        queues_[number].channel = static_cast<std::uint8_t>(channel);
        outputs_[output].held = static_cast<std::uint16_t>(outputs_[output].held | 1U << channel);
        take(without_channel_, number);
        put(ready_, number);
        moved_ = true;
    };
    // An output that one queue asks for needs no matching.
    std::uint64_t seen = 0;
    std::uint64_t outputs = 0;
    each(without_channel_, words_, [&](std::uint32_t number) {
        const Queue& queue = queues_[number];
        const std::uint64_t bit = std::uint64_t{1} << queue.output;
        if ((seen & bit) == 0) {
            seen |= bit;
            first_asking_[queue.output] = static_cast<std::uint16_t>(number);
            return;
        }
        std::vector<ChannelMatching::Request>& requests = channel_requests_[queue.output];
        if ((outputs & bit) == 0) {
            const std::uint32_t first = first_asking_[queue.output];
            requests.push_back({first, queues_[first].channels, -1});
        }
        outputs |= bit;
        requests.push_back({number, queue.channels, -1});
    });
    for (std::uint64_t rest = seen & ~outputs; rest != 0; rest &= rest - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(rest));
        const std::uint32_t number = first_asking_[output];
        const int channel = channel_matching_->match_one(output, number,
            static_cast<std::uint16_t>(queues_[number].channels & ~outputs_[output].held));
        if (channel >= 0) won(number, output, channel);
    }
    for (; outputs != 0; outputs &= outputs - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(outputs));
        std::vector<ChannelMatching::Request>& requests = channel_requests_[output];
        channel_matching_->match(output, requests, static_cast<std::uint16_t>(~outputs_[output].held));
        for (const ChannelMatching::Request& request : requests)
            if (request.given >= 0) won(request.queue, output, request.given);
        requests.clear();
    }
}

bool CrossbarSwitch::has_room(unsigned output, Time now)
{
    const Output& out = outputs_[output];
    if (!buffered_) return out.wire_free <= now + traversal_;
    if (out.crossbar_free > now) return false;
    Port& port = ports_[output];
    const auto size = static_cast<std::uint32_t>(port.starts.size());
    while (port.start_count > 0 && port.starts[port.first_start] <= now) {
        port.first_start = port.first_start + 1 == size ? 0 : port.first_start + 1;
        --port.start_count;
    }
    return port.start_count < spec_.output_buffer;
}

int CrossbarSwitch::usable_channel(unsigned output, std::uint16_t channels, Time now) const
{
    const auto later = static_cast<std::uint16_t>(channels & (0xffffU << outputs_[output].turn));
    for (std::uint16_t part : {later, static_cast<std::uint16_t>(channels & ~later)}) {
        for (; part != 0; part = static_cast<std::uint16_t>(part & (part - 1))) {
            const int channel = __builtin_ctz(part);
            if (ports_[output].credits.available(static_cast<std::uint8_t>(channel), now)) return channel;
        }
    }
    return -1;
}

void CrossbarSwitch::request_crossbar(Time now)
{
    const auto outputs = static_cast<unsigned>(ports_.size());
    std::uint64_t seen = 0;
    std::uint64_t open = 0;
    unsigned asked = 0;
    each(asking_, words_, [&](std::uint32_t number) {
        Queue& queue = queues_[number];
        const std::uint64_t bit = std::uint64_t{1} << queue.output;
        if ((seen & bit) == 0) {
            seen |= bit;
            if (has_room(queue.output, now)) open |= bit;
        }
        if ((open & bit) == 0) return;
        if (separate_) {
            if (!ports_[queue.output].credits.available(queue.channel, now)) return;
        } else {
            const int channel = usable_channel(queue.output, queue.channels, now);
            if (channel < 0) return;
            queue.channel = static_cast<std::uint8_t>(channel);
        }
        const unsigned input = queue.input;
        if (input_free_[input] > now) return;
        std::uint16_t& candidate = candidate_[std::size_t{input} * outputs + queue.output];
        if (matching_.asks(input, queue.output)) {
            // Queues of one crossbar input that want the same output take turns.
            const auto distance = [&](const Queue& q) {
                return q.turn >= vc_turn_[input] ? q.turn - vc_turn_[input] : q.turn + slots_ - vc_turn_[input];
            };
            if (distance(queue) >= distance(queues_[candidate])) return;
        } else {
            ++asked;
        }
        candidate = static_cast<std::uint16_t>(number);
        if (matching_.keyed()) {
            const VcClass cls = class_of(queue.channel);
            matching_.request(input, queue.output, Line::of(*queue.head).issued,
                cls == VcClass::request || cls == VcClass::atomic);
        } else {
            matching_.request(input, queue.output);
        }
    });
    if (asked == 0) return;
    ++matchings_;
    moved_ = true;
    matching_.match();
    unsigned granted = 0;
    for (std::uint64_t rest = matching_.matched_inputs(); rest != 0; rest &= rest - 1) {
        const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
        transfer(candidate_[std::size_t{input} * outputs + matching_.output_of(input)], input, now);
        ++granted;
    }
    refused_ += asked - granted;
}

void CrossbarSwitch::transfer(std::uint32_t number, unsigned input, Time now)
{
    Queue& queue = queues_[number];
    Port& port = ports_[queue.output];
    Output& out = outputs_[queue.output];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    take(ready_, number);
    --lines_;
    out.load.leave();
    ++sent_;
    vc_turn_[input] = queue.next_turn;
    PortWatch* const watch = watches_.empty() ? nullptr : watches_[queue.output];
    const Time credit_at = watch != nullptr ? port.credits.ready(queue.channel, now) : 0;
    port.credits.take(queue.channel, now);
    out.held = static_cast<std::uint16_t>(out.held & ~(1U << queue.channel));
    out.turn = static_cast<std::uint8_t>((queue.channel + 1) % max_vcs);
    const LineClass cls = line.scratch.crossbar.response ? LineClass::response : LineClass::request;
    free_slot(line, cls, port_of_[input]);
    line.vc = queue.channel;
    const Time start = std::max(now + traversal_, out.wire_free);
    const Time delay = start - now;
    const Time taken = send(line, cls, queue.output, delay);
    out.wire_free = now + std::max(taken, delay);
    if (watch != nullptr)
        watch->sent(watch_slot(queue.output, class_of(queue.channel)), port_of_[input], now, credit_at, out.wire_free);
    const Time hold = transfer_ > 0 ? transfer_ : out.wire_free - start;
    input_free_[input] = now + hold;
    if (buffered_) {
        out.crossbar_free = now + hold;
        const auto size = static_cast<std::uint32_t>(port.starts.size());
        port.starts[(port.first_start + port.start_count++) % size] = start;
    }
    if (queue.head != nullptr) set_head(number);
}

Time CrossbarSwitch::next_chance(Time now)
{
    Time next = CreditAccount::no_time;
    if (lines_ > 0 && moved_) return now + clock_;
    if (near_lines_ > 0)
        for (unsigned ahead = 1; ahead < near_edges && next == CreditAccount::no_time; ++ahead)
            if (arriving_[(last_slot_ + ahead) % near_edges] != nullptr) next = now + ahead * clock_;
    if (lines_ == 0) return next;
    // Nothing moved: wait for a wire, a crossbar input or a credit.
    const auto consider = [&](Time time) {
        if (time != CreditAccount::no_time) next = std::min(next, std::max(edge(time), now + clock_));
    };
    each(ready_, words_, [&](std::uint32_t number) {
        const Queue& queue = queues_[number];
        const Port& port = ports_[queue.output];
        const Output& out = outputs_[queue.output];
        const Time input_free = input_free_[queue.input];
        if (input_free > now) consider(input_free);
        if (!has_room(queue.output, now)) {
            consider(!buffered_               ? out.wire_free - std::min(out.wire_free, traversal_)
                    : out.crossbar_free > now ? out.crossbar_free
                                              : port.starts[port.first_start]);
            return;
        }
        const auto channels = separate_ ? static_cast<std::uint16_t>(1U << queue.channel) : queue.channels;
        for (std::uint16_t rest = channels; rest != 0; rest = static_cast<std::uint16_t>(rest & (rest - 1)))
            consider(port.credits.next_own(static_cast<std::uint8_t>(__builtin_ctz(rest))));
        consider(port.credits.next_pooled());
    });
    return next;
}

}  // namespace weft
