#include "tlm_interconnect/switch/crossbar_switch.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

namespace {

unsigned checked_inputs(unsigned inputs)
{
    if (inputs > 64)
        throw InputError("", 0, fmt::format("a crossbar with {} inputs", inputs), "at most 64 (ports x input_speedup)");
    return inputs;
}

}  // namespace

CrossbarSwitch::CrossbarSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    const SwitchSpec& spec, unsigned ports, RouteTable routes)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path)), clock_(spec.clock),
      per_clock_((std::uint64_t{1} << 63) / spec.clock + 1),
      ready_delay_(spec.latency - (spec.vc_stage == VcStage::separate ? std::min(spec.latency, spec.clock) : 0)),
      credit_delay_(spec.credit_delay), traversal_(spec.traversal), transfer_(spec.transfer),
      speedup_(static_cast<unsigned>(spec.input_speedup)), buffered_(spec.output_buffer > 0),
      separate_(spec.vc_stage == VcStage::separate), ports_(ports),
      matching_(spec, checked_inputs(ports * speedup_), ports), channel_matching_(spec), spec_(spec),
      fifo_(spec.queues == QueueKind::fifo), route_vc_sets_(this->routes().vc_sets())
{
    output_array_.add(outputs_, ports);
    output_array_.build();
    for (ScheduledItem& tick : first_ticks_) tick.kind = tick_kind;
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
    for (unsigned vc = 0; vc < max_vcs; ++vc) exists_[vc] = exists_[vc] || space.lines[vc] > 0;
}

// How many edges behind the last one the first is that is not before `time`, which is later: exact up to eight, and more than
// that beyond them. Without a division: 9 clock^2 < 2^63, as a clock is at most 1 ms.
inline unsigned CrossbarSwitch::edges_to(Time time) const
{
    __extension__ typedef unsigned __int128 Wide;
    const Time ahead = time - last_edge_;
    if (ahead > near_edges * clock_) return near_edges + 1;
    return static_cast<unsigned>(static_cast<Wide>(ahead + clock_ - 1) * per_clock_ >> 63);
}

void CrossbarSwitch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.scratch.crossbar.response = cls == LineClass::response;
    const Time ready = event_queue().now() + delay + ready_delay_;
    const unsigned ahead = ready > last_edge_ ? edges_to(ready) : 1;
    if (__builtin_expect(ahead >= near_edges, 0)) return arrive_late(port, line, ready);
    // Lines of one input are in order here; in which order inputs come makes no difference.
    Arrival& arrival = arriving_[(last_slot_ + ahead) % near_edges].add();
    arrival.line = &line;
    arrival.port = static_cast<std::uint8_t>(port);
    arrival.output = no_output;
    if (cls == LineClass::request && line.destination < ways_known_) {
        const std::uint16_t way = way_of_[line.destination];
        if (way != no_way) {
            note_hop(line, port);
            place(arrival, ways_[way]);
        }
    }
    ++near_lines_;
    const Time at = last_edge_ + ahead * clock_;
    if (at < next_tick_) wake_at(at);
}

void CrossbarSwitch::arrive_late(unsigned port, Line& line, Time ready)
{
    line.kind = far_kind;
    event_queue().schedule(line, *this, edge(ready), port);
}

void CrossbarSwitch::watch_credit(unsigned port, std::uint8_t vc, Time due)
{
    if (watches_[port] != nullptr) watches_[port]->returned(watch_slot(port, class_of(vc)), due);
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

// The channels of one class in the VC sets that a link has for one of the routes.
std::uint16_t CrossbarSwitch::vc_set_channels(const Output& output, VcClass cls, unsigned vc_set)
{
    static_assert(vc_classes == 4 && max_vc_sets == 4, "the masks below are for four classes and VC sets");
    constexpr std::uint16_t vc_sets[] = {0, 0x1, 0x11, 0x111, 0x1111};
    return static_cast<std::uint16_t>(
        vc_sets[output.vc_sets] << (vc_set * output.vc_sets * vc_classes + static_cast<unsigned>(cls)));
}

CrossbarSwitch::Way CrossbarSwitch::way_to(Exit exit) const
{
    const Output& out = outputs_[exit.port];
    return {vc_set_channels(out, VcClass::request, exit.vc_set), static_cast<std::uint8_t>(exit.port), out.split};
}

// VC sets are those of the routes; a link may have several VC sets for each.
CrossbarSwitch::Exit CrossbarSwitch::exit_of(unsigned input, Line& line)
{
    if (line.scratch.crossbar.response) {
        Exit back = route_back(line);
        back.vc_set /= outputs_[back.port].vc_sets;
        return back;
    }
    const Exit exit = route(line, input, vc_set_of(line.vc) / outputs_[input].vc_sets);
    note_hop(line, input);
    return exit;
}

// The queue of a line, and what it needs as the head of it.
inline void CrossbarSwitch::place(Arrival& arrival, const Way& way)
{
    Line& line = *arrival.line;
    unsigned cls = way.split ? static_cast<unsigned>(vc_class(line.op)) : 0;
    if (line.scratch.crossbar.response) cls = static_cast<unsigned>(VcClass::response);
    const Place& place = places_[line.vc];
    arrival.output = way.output;
    arrival.channels = static_cast<std::uint16_t>(way.channels << cls);
    arrival.input = static_cast<std::uint8_t>(arrival.port * speedup_ + place.input);
    arrival.queue =
        static_cast<std::uint16_t>(arrival.port * input_queues_ + place.queue + way.output * output_queues_);
    line.next = nullptr;
}

void CrossbarSwitch::enter(Arrival& arrival)
{
    Line& line = *arrival.line;
    if (arrival.output == no_output) {
        const Exit exit = exit_of(arrival.port, line);
        if (!exit.known()) return;
        place(arrival, way_to(exit));
    }
    Queue& queue = queues_[arrival.queue];
    ++lines_;
    outputs_[arrival.output].load.join();
    if (watched_ && watches_[arrival.output] != nullptr) {
        const bool request = !line.scratch.crossbar.response;
        watches_[arrival.output]->queued(watch_slot(arrival.output, request ? vc_class(line.op) : VcClass::response),
            arrival.port, event_queue().now());
    }
    if (queue.head == nullptr) {
        queue.head = queue.tail = &line;
        set_head(queue, arrival.output, arrival.channels, arrival.input);
    } else {
        queue.tail->next = &line;
        queue.tail = &line;
        auto& note = line.scratch.crossbar;
        note.channels = arrival.channels;
        note.output = arrival.output;
        note.from = arrival.input;
    }
}

inline void CrossbarSwitch::set_head(Queue& queue, std::uint8_t output, std::uint16_t channels, std::uint8_t input)
{
    queue.output = output;
    queue.channels = channels;
    queue.input = input;
    const auto number = static_cast<std::uint32_t>(&queue - queues_);
    if (separate_) ++outputs_[output].waiting;
    std::uint64_t* const bits = separate_ ? without_channel_ : ready_;
    bits[number >> 6] |= std::uint64_t{1} << (number & 63);
}

// The line behind the one that has left.
void CrossbarSwitch::next_head(Queue& queue)
{
    const auto& note = Line::of(*queue.head).scratch.crossbar;
    set_head(queue, note.output, note.channels, note.from);
}

void CrossbarSwitch::run(ScheduledItem& item)
{
    const Time now = event_queue().now();
    if (item.kind != tick_kind) {
        Arrival arrival{&Line::of(item), static_cast<std::uint8_t>(item.input), no_output, 0, 0, 0};
        enter(arrival);
        wake_at(now);
        return;
    }
    if (next_tick_ != now) return event_queue().without_effect();  // an earlier tick has made this one superfluous
    next_tick_ = 0;
    // Edges since the last tick had no arrivals, or there would have been a tick.
    if (now - last_edge_ < near_edges * clock_) {
        for (; last_edge_ < now; last_edge_ += clock_) last_slot_ = (last_slot_ + 1) % near_edges;
    } else {
        last_edge_ = now;
        last_slot_ = 0;
    }
    Arrivals& arrived = arriving_[last_slot_];
    const bool any_arrived = arrived.count > 0;
    near_lines_ -= arrived.count;
    for (std::uint32_t a = 0; a < arrived.count; ++a) enter(arrived.all[a]);
    arrived.count = 0;
    moved_ = false;
    if (lines_ > 0) match_and_move(now);
    // Which of these ticks there are depends on when the switch hears of a credit.
    if (!any_arrived && !moved_) event_queue().without_effect();
    const Time next = lines_ > 0 && moved_ ? now + clock_ : next_chance(now);
    next_tick_ = CreditAccount::no_time;
    if (next != CreditAccount::no_time) wake_at(next);
}

}  // namespace weft
