// What a scheduled crossbar does in a clock: the channels that are won, the matching, and the lines that pass.
#include <algorithm>

#include "tlm_interconnect/switch/crossbar_switch.h"

namespace weft {

namespace {

template <class Visit>
void each_bit(const std::uint64_t* bits, std::uint32_t words, const Visit& visit)
{
    for (std::uint32_t word = 0; word < words; ++word)
        for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
            visit((word << 6) + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
}

}  // namespace

// No input and no output is in two requests: nobody is refused, and the pointers move as they would in a matching.
template <bool watched>
void CrossbarSwitch::grant_requests(Time now)
{
    for (std::uint64_t rest = asking_inputs_; rest != 0; rest &= rest - 1) {
        const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
        const std::uint32_t number = request_of_[input];
        matching_.move_pointers(input, queues_[number].output);
        transfer<watched>(number, input, now);
    }
}

inline void CrossbarSwitch::win(std::uint32_t number, unsigned channel)
{
    Queue& queue = queues_[number];
    Output& out = outputs_[queue.output];
    queue.channel = static_cast<std::uint8_t>(channel);
    out.held = static_cast<std::uint16_t>(out.held | 1U << channel);
    --out.waiting;
    const std::uint64_t bit = std::uint64_t{1} << (number & 63);
    without_channel_[number >> 6] &= ~bit;
    ready_[number >> 6] |= bit;
    moved_ = true;
}

void CrossbarSwitch::allocate_channels()
{
    std::uint64_t contended = 0;
    each_bit(without_channel_, words_, [&](std::uint32_t number) {
        const Queue& queue = queues_[number];
        const Output& out = outputs_[queue.output];
        if (out.waiting > 1) {
            contended |= std::uint64_t{1} << queue.output;
            channel_requests_[queue.output].push_back({number, queue.channels, -1});
            return;
        }
        // An output that one queue asks for needs no matching.
        const int channel =
            channel_matching_.match_one(queue.output, number, static_cast<std::uint16_t>(queue.channels & ~out.held));
        if (channel >= 0) win(number, static_cast<unsigned>(channel));
    });
    for (; contended != 0; contended &= contended - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(contended));
        std::vector<ChannelMatching::Request>& requests = channel_requests_[output];
        channel_matching_.match(output, requests, static_cast<std::uint16_t>(~outputs_[output].held));
        for (const ChannelMatching::Request& request : requests)
            if (request.given >= 0) win(request.queue, static_cast<unsigned>(request.given));
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

// The queues whose head could pass, in requests_, and their inputs. `conflict`: an input or an output is in two of them.
unsigned CrossbarSwitch::find_requests(Time now, bool& conflict)
{
    std::uint64_t inputs = 0;
    std::uint64_t outputs = 0;
    std::uint64_t twice = 0;
    unsigned count = 0;
    const Time wire_by = now + traversal_;
    each_bit(ready_, words_, [&](std::uint32_t number) {
        Queue& queue = queues_[number];
        if (input_free_[queue.input] > now) return;
        if (buffered_ ? !has_room(queue.output, now) : outputs_[queue.output].wire_free > wire_by) return;
        if (separate_) {
            if (!ports_[queue.output].credits.available(queue.channel, now)) return;
        } else {
            const int channel = usable_channel(queue.output, queue.channels, now);
            if (channel < 0) return;
            queue.channel = static_cast<std::uint8_t>(channel);
        }
        const std::uint64_t input = std::uint64_t{1} << queue.input;
        const std::uint64_t output = std::uint64_t{1} << queue.output;
        twice |= (inputs & input) | (outputs & output);
        inputs |= input;
        outputs |= output;
        request_of_[queue.input] = requests_[count++] = static_cast<std::uint16_t>(number);
    });
    asking_inputs_ = inputs;
    conflict = twice != 0;
    return count;
}

template <bool watched>
unsigned CrossbarSwitch::match_requests(unsigned count, Time now)
{
    const auto outputs = static_cast<unsigned>(ports_.size());
    unsigned asked = 0;
    for (unsigned r = 0; r < count; ++r) {
        const std::uint16_t number = requests_[r];
        const Queue& queue = queues_[number];
        const unsigned input = queue.input;
        std::uint16_t& candidate = candidate_[std::size_t{input} * outputs + queue.output];
        if (matching_.asks(input, queue.output)) {
            // Queues of one crossbar input that want the same output take turns.
            const auto distance = [&](const Queue& q) {
                return q.turn >= vc_turn_[input] ? q.turn - vc_turn_[input] : q.turn + slots_ - vc_turn_[input];
            };
            if (distance(queue) >= distance(queues_[candidate])) continue;
        } else {
            ++asked;
        }
        candidate = number;
        if (matching_.keyed()) {
            const VcClass cls = class_of(queue.channel);
            matching_.request(input, queue.output, Line::of(*queue.head).issued,
                cls == VcClass::request || cls == VcClass::atomic);
        } else {
            matching_.request(input, queue.output);
        }
    }
    matching_.match();
    unsigned granted = 0;
    for (std::uint64_t rest = matching_.matched_inputs(); rest != 0; rest &= rest - 1) {
        const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
        ++granted;
        transfer<watched>(candidate_[std::size_t{input} * outputs + matching_.output_of(input)], input, now);
    }
    refused_ += asked - granted;
    return granted;
}

// As the shell's free_slot().
inline void CrossbarSwitch::free_slot_of(Line& line, LineClass cls, const Ends& input)
{
    if (cls == LineClass::request) {
        call_backward(*input.backward, line, LinePhase::request_credit, 0);
    } else {
        call_forward(*input.forward, line, LinePhase::response_credit, 0);
    }
}

// `watched`: some output is, which has a PortWatch then.
template <bool watched>
void CrossbarSwitch::transfer(std::uint32_t number, unsigned input, Time now)
{
    Queue& queue = queues_[number];
    const unsigned output = queue.output;
    const std::uint8_t channel = queue.channel;
    Port& port = ports_[output];
    Output& out = outputs_[output];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    ready_[number >> 6] &= ~(std::uint64_t{1} << (number & 63));
    out.load.leave();
    vc_turn_[input] = queue.next_turn;
    Time credit_at = 0;
    if constexpr (watched) credit_at = port.credits.ready(channel);
    port.credits.take(channel, now);
    out.held = static_cast<std::uint16_t>(out.held & ~(1U << channel));
    out.turn = static_cast<std::uint8_t>((channel + 1) % max_vcs);
    const LineClass cls = line.scratch.crossbar.response ? LineClass::response : LineClass::request;
    free_slot_of(line, cls, ends_[port_of_[input]]);
    line.vc = channel;
    const Time start = std::max(now + traversal_, out.wire_free);
    const Time delay = start - now;
    const Time wire_free = now + std::max(send(line, cls, output, delay), delay);
    out.wire_free = wire_free;
    if constexpr (watched)
        if (PortWatch* const watch = watches_[output])
            watch->sent(watch_slot(output, class_of(channel)), port_of_[input], now, credit_at, wire_free);
    const Time hold = transfer_ > 0 ? transfer_ : wire_free - start;
    input_free_[input] = now + hold;
    if (buffered_) {
        out.crossbar_free = now + hold;
        const auto size = static_cast<std::uint32_t>(port.starts.size());
        port.starts[(port.first_start + port.start_count++) % size] = start;
    }
    if (queue.head != nullptr) next_head(queue);
}

// Who asks for the crossbar is found out first: a channel that is won in this clock counts from the next one on.
void CrossbarSwitch::match_and_move(Time now)
{
    bool conflict = false;
    const unsigned count = find_requests(now, conflict);
    if (separate_) allocate_channels();
    if (count == 0) return;
    ++matchings_;
    moved_ = true;
    unsigned granted = 0;
    if (conflict) {
        granted = watched_ ? match_requests<true>(count, now) : match_requests<false>(count, now);
    } else {
        granted = count;
        if (watched_)
            grant_requests<true>(now);
        else
            grant_requests<false>(now);
    }
    sent_ += granted;
    lines_ -= granted;
}

Time CrossbarSwitch::next_chance(Time now)
{
    Time next = CreditAccount::no_time;
    if (near_lines_ > 0)
        for (unsigned ahead = 1; ahead < near_edges && next == CreditAccount::no_time; ++ahead)
            if (arriving_[(last_slot_ + ahead) % near_edges].count > 0) next = now + ahead * clock_;
    if (lines_ == 0) return next;
    // Nothing moved: wait for a wire, a crossbar input or a credit.
    const auto consider = [&](Time time) {
        if (time != CreditAccount::no_time) next = std::min(next, std::max(edge(time), now + clock_));
    };
    each_bit(ready_, words_, [&](std::uint32_t number) {
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
