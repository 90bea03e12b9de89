#include "rtl/switch/reference_switch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace weft {

namespace {

template <class Bits>
unsigned lowest_bit(Bits bits)
{
    return static_cast<unsigned>(__builtin_ctzll(bits));
}

std::uint64_t bit_of(unsigned number) { return std::uint64_t{1} << number; }

const SwitchBlockParameters& checked(const SwitchBlockParameters& parameters)
{
    parameters.check();
    return parameters;
}

// The first channel of `channels`, from `turn` on in cyclic order, that is `wanted`; none: -1.
template <class Wanted>
int first_channel(std::uint32_t channels, unsigned turn, const Wanted& wanted)
{
    const std::uint32_t later = channels & ~std::uint32_t{0} << turn;
    for (std::uint32_t part : {later, channels & ~later})
        for (; part != 0; part &= part - 1)
            if (wanted(lowest_bit(part))) return static_cast<int>(lowest_bit(part));
    return -1;
}

}  // namespace

ReferenceSwitch::ReferenceSwitch(const SwitchBlockParameters& parameters)
    : parameters_(checked(parameters)), matching_(parameters.ports, parameters.iterations, parameters.islip)
{
    reset();
}

void ReferenceSwitch::reset()
{
    const std::size_t ports = parameters_.ports;
    const std::size_t channels = ports * parameters_.vcs;
    matching_.reset();
    entries_.clear();
    free_ = none;
    inputs_.assign(ports, Input{});
    lists_.assign(parameters_.one_queue ? 0 : channels * ports, List{});
    multicast_lists_.assign(channels, List{});
    waiting_.assign(channels, 0);
    lacks_.assign(channels, 0);
    held_.assign(channels, 0);
    credits_.assign(channels, 0);
    some_.assign(parameters_.vcs, 0);
    usable_.assign(parameters_.vcs, 0);
    for (unsigned output = 0; output < ports; ++output)
        for (unsigned vc = 0; vc < parameters_.vcs; ++vc) {
            credits_[channel(output, vc)] = static_cast<std::uint16_t>(parameters_.credits_of(output, vc));
            if (credits_[channel(output, vc)] > 0) some_[vc] |= bit_of(output);
        }
    entering_.assign(parameters_.latency, 0);
    entering_lines_.assign(parameters_.latency * ports, none);
    leaving_.assign(parameters_.traversal + std::size_t{1}, 0);
    leaving_lines_.assign((parameters_.traversal + std::size_t{1}) * ports, none);
    busy_inputs_ = 0;
    entering_at_ = leaving_at_ = 0;
    lines_ = copies_ = 0;
    idle_ = true;
    failure_.clear();
}

void ReferenceSwitch::cycle(const SwitchIn& in, SwitchOut& out)
{
    const bool credits = credits_come(in);
    out.credit_valid = out.valid = 0;
    idle_ = out.idle = lines_ == 0 && copies_ == 0 && in.valid == 0 && !credits;
    if (idle_) return;
    if (busy_inputs_ != 0) {
        request(in.ready);
        for (std::uint64_t rest = matching_.inputs(); rest != 0; rest &= rest - 1) send(lowest_bit(rest), out);
    }
    show(out);
    if (credits) take_credits(in);
    for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) enter(in, lowest_bit(rest));
    entering_at_ = entering_at_ + 1 == parameters_.latency ? 0 : entering_at_ + 1;
    std::uint64_t& due = entering_[entering_at_];
    for (; due != 0; due &= due - 1)
        join(lowest_bit(due), entering_lines_[std::size_t{entering_at_} * parameters_.ports + lowest_bit(due)]);
}

bool ReferenceSwitch::credits_come(const SwitchIn& in) const
{
    std::uint32_t any = 0;
    for (const std::uint16_t channels : in.credit) any |= channels;
    return any != 0;
}

// Every input with lines asks for what it could send; matches.
void ReferenceSwitch::request(std::uint64_t ready)
{
    for (unsigned vc = 0; vc < parameters_.vcs; ++vc) usable_[vc] = some_[vc] & ready;
    for (std::uint64_t rest = busy_inputs_; rest != 0; rest &= rest - 1) {
        const unsigned number = lowest_bit(rest);
        Input& input = inputs_[number];
        std::uint64_t unicast = 0;
        std::uint64_t multicast = 0;
        for (std::uint32_t channels = input.channels; channels != 0; channels &= channels - 1)
            unicast |= waiting_[channel(number, lowest_bit(channels))] & usable_[lowest_bit(channels)];
        if (parameters_.one_queue) {
            multicast = lacks_[channel(number, 0)] & usable_[entries_[multicast_lists_[channel(number, 0)].head].vc];
        } else if (input.multicast_channels != 0) {
            const int vc = first_channel(input.multicast_channels, input.multicast_turn,
                [&](unsigned v) { return (lacks_[channel(number, v)] & usable_[v]) != 0; });
            if (vc >= 0) {
                input.offered = static_cast<std::uint8_t>(vc);
                multicast = lacks_[channel(number, input.offered)] & usable_[input.offered];
            }
        }
        if ((unicast | multicast) != 0) matching_.ask(number, unicast, multicast);
    }
    matching_.match();
}

// The line that `input` was matched for leaves to the outputs of the match.
void ReferenceSwitch::send(unsigned number, SwitchOut& out)
{
    Input& input = inputs_[number];
    const std::uint64_t outputs = matching_.outputs_of(number);
    const auto behind = [this](
                            unsigned vc) { return static_cast<std::uint8_t>(vc + 1 == parameters_.vcs ? 0 : vc + 1); };
    std::uint32_t line = none;
    if (matching_.is_multicast(number)) {
        const std::size_t from = channel(number, input.offered);
        List& list = multicast_lists_[from];
        line = list.head;
        for (std::uint64_t rest = outputs; rest != 0; rest &= rest - 1) put_out(lowest_bit(rest), line);
        input.multicast_turn = behind(input.offered);
        lacks_[from] &= ~outputs;
        if (lacks_[from] != 0) return;
        pop(list);
        if (list.head != none)
            lacks_[from] = entries_[list.head].ports;
        else
            input.multicast_channels &= ~(1U << input.offered);
    } else {
        const unsigned output = lowest_bit(outputs);
        const auto vc = static_cast<unsigned>(first_channel(input.channels, input.turn,
            [&](unsigned v) { return (waiting_[channel(number, v)] & usable_[v] & outputs) != 0; }));
        List& list = list_of(number, vc, output);
        line = pop(list);
        put_out(output, line);
        input.turn = behind(vc);
        if (list.head == none) {
            waiting_[channel(number, vc)] &= ~outputs;
            if (waiting_[channel(number, vc)] == 0) input.channels &= ~(1U << vc);
        }
    }
    const std::uint8_t vc = entries_[line].vc;
    --held_[channel(number, vc)];
    --lines_;
    out.credit_valid |= bit_of(number);
    out.credit_vc[number] = vc;
    if ((input.channels | input.multicast_channels) == 0) busy_inputs_ &= ~bit_of(number);
}

void ReferenceSwitch::put_out(unsigned output, std::uint32_t line)
{
    const unsigned vc = entries_[line].vc;
    if (--credits_[channel(output, vc)] == 0) some_[vc] &= ~bit_of(output);
    const unsigned at = leaving_at_ == 0 ? parameters_.traversal : leaving_at_ - 1;
    leaving_[at] |= bit_of(output);
    leaving_lines_[std::size_t{at} * parameters_.ports + output] = line;
    ++copies_;
}

// Lines that were matched `traversal` clocks ago: of this clock where there is none.
void ReferenceSwitch::show(SwitchOut& out)
{
    const unsigned bytes = parameters_.width / 8;
    std::uint64_t& mask = leaving_[leaving_at_];
    out.valid = mask;
    for (; mask != 0; mask &= mask - 1) {
        const unsigned output = lowest_bit(mask);
        const std::uint32_t number = leaving_lines_[std::size_t{leaving_at_} * parameters_.ports + output];
        Entry& line = entries_[number];
        out.vc[output] = line.vc;
        std::memcpy(out.data[output].bytes, line.data.bytes, bytes);
        std::memset(out.data[output].bytes + bytes, 0, sizeof line.data.bytes - bytes);
        --copies_;
        if (--line.copies == 0) {
            line.next = free_;
            free_ = number;
        }
    }
    leaving_at_ = leaving_at_ == parameters_.traversal ? 0 : leaving_at_ + 1;
}

void ReferenceSwitch::take_credits(const SwitchIn& in)
{
    for (unsigned output = 0; output < parameters_.ports; ++output)
        for (std::uint32_t rest = in.credit[output]; rest != 0; rest &= rest - 1) {
            const unsigned vc = lowest_bit(rest);
            if (vc >= parameters_.vcs || credits_[channel(output, vc)] == parameters_.credits_of(output, vc)) {
                fail(fmt::format("output {}, channel {}: more credits came back than were given", output, vc));
                continue;
            }
            ++credits_[channel(output, vc)];
            some_[vc] |= bit_of(output);
        }
}

void ReferenceSwitch::enter(const SwitchIn& in, unsigned input)
{
    const unsigned vc = in.vc[input];
    if (vc >= parameters_.vcs) return fail(fmt::format("input {}: there is no channel {}", input, vc));
    std::uint64_t missing = parameters_.ports < 64 ? in.ports[input] >> parameters_.ports << parameters_.ports : 0;
    for (std::uint64_t rest = in.ports[input] & ~missing; rest != 0; rest &= rest - 1)
        if (parameters_.credits_of(lowest_bit(rest), vc) == 0) missing |= rest & (~rest + 1);
    if (missing != 0)
        return fail(fmt::format("input {}: a transaction for outputs that have no channel {}", input, vc));
    if (in.ports[input] == 0) return fail(fmt::format("input {}: a transaction to no output", input));
    if (held_[channel(input, vc)] == parameters_.depth)
        return fail(fmt::format("input {}, channel {}: a transaction without a credit", input, vc));
    ++held_[channel(input, vc)];
    ++lines_;
    const std::uint32_t number = fresh_entry();
    Entry& line = entries_[number];
    line.data = in.data[input];
    line.ports = in.ports[input];
    line.vc = static_cast<std::uint8_t>(vc);
    line.copies = static_cast<std::uint8_t>(__builtin_popcountll(line.ports));
    line.next = none;
    entering_[entering_at_] |= bit_of(input);
    entering_lines_[std::size_t{entering_at_} * parameters_.ports + input] = number;
}

void ReferenceSwitch::join(unsigned number, std::uint32_t entry)
{
    Input& input = inputs_[number];
    const Entry& line = entries_[entry];
    busy_inputs_ |= bit_of(number);
    if (!parameters_.one_queue && (line.ports & (line.ports - 1)) == 0) {
        push(list_of(number, line.vc, lowest_bit(line.ports)), entry);
        waiting_[channel(number, line.vc)] |= line.ports;
        input.channels |= 1U << line.vc;
        return;
    }
    const unsigned queue = parameters_.one_queue ? 0 : line.vc;
    List& list = multicast_lists_[channel(number, queue)];
    if (list.head == none) lacks_[channel(number, queue)] = line.ports;
    push(list, entry);
    input.multicast_channels |= 1U << queue;
}

std::uint32_t ReferenceSwitch::fresh_entry()
{
    if (free_ == none) {
        entries_.emplace_back();
        return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    return std::exchange(free_, entries_[free_].next);
}

std::uint32_t ReferenceSwitch::pop(List& list)
{
    const std::uint32_t entry = list.head;
    list.head = entries_[entry].next;
    return entry;
}

void ReferenceSwitch::push(List& list, std::uint32_t entry)
{
    if (list.head == none)
        list.head = entry;
    else
        entries_[list.tail].next = entry;
    list.tail = entry;
}

void ReferenceSwitch::fail(std::string what)
{
    if (failure_.empty()) failure_ = std::move(what);
}

}  // namespace weft
