#include "tlm_interconnect/switch/matching.h"

#include <algorithm>

#include "tlm_interconnect/protocol/virtual_channel.h"

static_assert(weft::max_vcs == 16, "pointers count 16 channels per port");

namespace weft {

CrossbarMatching::CrossbarMatching(const SwitchSpec& spec, unsigned inputs, unsigned outputs)
    : kind_(spec.allocator), iterations_(static_cast<unsigned>(spec.iterations)), input_count_(inputs),
      output_count_(outputs), control_weight_(static_cast<std::uint32_t>(spec.control_weight)),
      data_weight_(static_cast<std::uint32_t>(spec.data_weight)),
      keyed_(kind_ == AllocatorKind::age || kind_ == AllocatorKind::weighted)
{
    arrays_.add(asked_by_, outputs);
    arrays_.add(asks_, inputs);
    arrays_.add(output_of_, inputs);
    arrays_.add(grant_pointer_, outputs);
    arrays_.add(accept_pointer_, inputs);
    arrays_.add(granted_, inputs);
    arrays_.add(control_, outputs);
    arrays_.add(control_left_, outputs);
    arrays_.add(data_left_, outputs);
    arrays_.add(issued_, keyed_ ? std::size_t{inputs} * outputs : 0);
    arrays_.build();
}

void CrossbarMatching::keep(unsigned input, unsigned output, Time issued, bool control)
{
    issued_[std::size_t{input} * output_count_ + output] = issued;
    if (control) control_[output] |= std::uint64_t{1} << input;
}

void CrossbarMatching::match()
{
    matched_ = 0;
    if (!conflict_) {
        match_without_conflict();
    } else if (kind_ == AllocatorKind::input_first) {
        match_inputs_first();
    } else {
        match_outputs_first();
    }
    for (std::uint64_t rest = outputs_; rest != 0; rest &= rest - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(rest));
        asked_by_[output] = 0;
        control_[output] = 0;
    }
    for (std::uint64_t rest = inputs_; rest != 0; rest &= rest - 1)
        asks_[static_cast<unsigned>(__builtin_ctzll(rest))] = 0;
    outputs_ = inputs_ = 0;
    conflict_ = false;
}

// No input and no output in two requests: each is granted and accepted.
void CrossbarMatching::match_without_conflict()
{
    matched_ = inputs_;
    for (std::uint64_t rest = inputs_; rest != 0; rest &= rest - 1) {
        const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(asks_[input]));
        output_of_[input] = static_cast<std::uint8_t>(output);
        move_pointers(input, output);
    }
}

unsigned CrossbarMatching::grant(unsigned output, std::uint64_t candidates)
{
    if (kind_ == AllocatorKind::age) {
        unsigned best = first_from(candidates, grant_pointer_[output]);
        for (std::uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
            const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
            if (issued_[std::size_t{input} * output_count_ + output] <
                issued_[std::size_t{best} * output_count_ + output])
                best = input;
        }
        return best;
    }
    if (kind_ == AllocatorKind::weighted) {
        const std::uint64_t control = candidates & control_[output];
        const std::uint64_t data = candidates & ~control_[output];
        if (control != 0 && data != 0) {
            if (control_left_[output] + data_left_[output] == 0) {
                control_left_[output] = control_weight_;
                data_left_[output] = data_weight_;
            }
            candidates = control_left_[output] > 0 ? control : data;
        }
    }
    return first_from(candidates, grant_pointer_[output]);
}

unsigned CrossbarMatching::accept(unsigned input, std::uint64_t grants) const
{
    unsigned best = first_from(grants, accept_pointer_[input]);
    if (kind_ != AllocatorKind::age) return best;
    for (std::uint64_t rest = grants; rest != 0; rest &= rest - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(rest));
        if (issued_[std::size_t{input} * output_count_ + output] < issued_[std::size_t{input} * output_count_ + best])
            best = output;
    }
    return best;
}

void CrossbarMatching::match_outputs_first()
{
    std::uint64_t open = outputs_;
    for (unsigned iteration = 0; iteration < iterations_ && open != 0; ++iteration) {
        std::uint64_t with_grants = 0;
        for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
            const unsigned output = static_cast<unsigned>(__builtin_ctzll(rest));
            const std::uint64_t candidates = asked_by_[output] & ~matched_;
            if (candidates == 0) {
                open &= ~(std::uint64_t{1} << output);
                continue;
            }
            const unsigned input = grant(output, candidates);
            granted_[input] |= std::uint64_t{1} << output;
            with_grants |= std::uint64_t{1} << input;
            if (kind_ == AllocatorKind::round_robin)
                grant_pointer_[output] = static_cast<std::uint8_t>((input + 1) % input_count_);
        }
        if (with_grants == 0) return;
        for (std::uint64_t rest = with_grants; rest != 0; rest &= rest - 1) {
            const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
            const unsigned output = accept(input, granted_[input]);
            granted_[input] = 0;
            matched_ |= std::uint64_t{1} << input;
            output_of_[input] = static_cast<std::uint8_t>(output);
            open &= ~(std::uint64_t{1} << output);
            if (iteration == 0) move_pointers(input, output);
            if (kind_ == AllocatorKind::weighted && control_left_[output] + data_left_[output] > 0) {
                std::uint32_t& left =
                    (control_[output] >> input & 1U) != 0 ? control_left_[output] : data_left_[output];
                if (left > 0) --left;
            }
        }
    }
}

void CrossbarMatching::match_inputs_first()
{
    // granted_ holds the pick of each input here, by output.
    std::uint64_t picked = 0;
    for (std::uint64_t rest = inputs_; rest != 0; rest &= rest - 1) {
        const unsigned input = static_cast<unsigned>(__builtin_ctzll(rest));
        const unsigned output = first_from(asks_[input], accept_pointer_[input]);
        if ((picked >> output & 1U) == 0) control_[output] = 0;
        picked |= std::uint64_t{1} << output;
        control_[output] |= std::uint64_t{1} << input;
    }
    for (std::uint64_t rest = picked; rest != 0; rest &= rest - 1) {
        const unsigned output = static_cast<unsigned>(__builtin_ctzll(rest));
        const unsigned input = first_from(control_[output], grant_pointer_[output]);
        matched_ |= std::uint64_t{1} << input;
        output_of_[input] = static_cast<std::uint8_t>(output);
        move_pointers(input, output);
    }
}

ChannelMatching::ChannelMatching(const SwitchSpec& spec) : input_first_(spec.allocator == AllocatorKind::input_first) {}

void ChannelMatching::build(unsigned ports, unsigned queues)
{
    queues_ = queues;
    arrays_.add(accept_pointer_, queues);
    arrays_.add(grant_pointer_, std::size_t{ports} * max_vcs);
    arrays_.build();
}

void ChannelMatching::match(unsigned port, std::vector<Request>& requests, std::uint16_t free)
{
    // By channel: the first queue from the pointer on, in cyclic order; how far it is from there, above its place in requests.
    std::uint64_t first[max_vcs];
    std::uint16_t open = 0;
    const std::uint16_t* const pointers = grant_pointer_ + std::size_t{port} * max_vcs;
    for (std::size_t r = 0; r < requests.size(); ++r) {
        Request& request = requests[r];
        request.given = -1;
        auto channels = static_cast<std::uint16_t>(request.channels & free);
        request.channels = 0;  // from here on: that are granted to it
        if (channels == 0) continue;
        if (input_first_) channels = static_cast<std::uint16_t>(1U << pick(port, request.queue, channels));
        for (unsigned rest = channels; rest != 0; rest &= rest - 1) {
            const unsigned channel = static_cast<unsigned>(__builtin_ctz(rest));
            const std::uint64_t distance = static_cast<std::uint32_t>(request.queue - pointers[channel]);
            const std::uint64_t held = (open >> channel & 1U) != 0 ? first[channel] : ~std::uint64_t{0};
            first[channel] = std::min(held, distance << 32 | r);
            open = static_cast<std::uint16_t>(open | 1U << channel);
        }
    }
    for (unsigned rest = open; rest != 0; rest &= rest - 1) {
        const unsigned channel = static_cast<unsigned>(__builtin_ctz(rest));
        Request& request = requests[static_cast<std::uint32_t>(first[channel])];
        request.channels = static_cast<std::uint16_t>(request.channels | 1U << channel);
    }
    for (Request& request : requests) {
        if (request.channels == 0) continue;
        const unsigned channel = pick(port, request.queue, request.channels);
        request.given = static_cast<std::int8_t>(channel);
        move_pointers(port, request.queue, channel);
    }
}

}  // namespace weft
