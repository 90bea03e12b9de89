#include "rtl/switch/switch_matching.h"

namespace weft {

namespace {

unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

unsigned first_from(std::uint64_t bits, unsigned pointer)
{
    const std::uint64_t later = bits & ~std::uint64_t{0} << pointer;
    return lowest(later != 0 ? later : bits);
}

}  // namespace

SwitchMatching::SwitchMatching(unsigned ports, unsigned iterations, bool islip)
    : ports_(ports), iterations_(iterations), islip_(islip), inputs_(ports), outputs_(ports)
{
}

void SwitchMatching::reset()
{
    inputs_.assign(ports_, Input{});
    outputs_.assign(ports_, Output{});
    asked_ = matched_ = several_ = multicast_turn_ = 0;
}

void SwitchMatching::ask(unsigned input, std::uint64_t unicast, std::uint64_t multicast)
{
    inputs_[input].unicast = unicast;
    inputs_[input].multicast = multicast;
    const std::uint64_t bit = std::uint64_t{1} << input;
    const std::uint64_t asks = unicast | multicast;
    asked_ |= asks;
    for (std::uint64_t rest = asks; rest != 0; rest &= rest - 1) outputs_[lowest(rest)].asked_by |= bit;
    for (std::uint64_t rest = multicast; rest != 0; rest &= rest - 1) outputs_[lowest(rest)].multicast_of |= bit;
}

// Outputs of `open` grant; returns the inputs that were granted something.
std::uint64_t SwitchMatching::grant(std::uint64_t& open)
{
    std::uint64_t granted = 0;
    for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const unsigned number = lowest(rest);
        Output& output = outputs_[number];
        const std::uint64_t candidates = (output.asked_by & ~matched_) | (output.multicast_of & several_);
        if (candidates == 0) {
            open &= ~(std::uint64_t{1} << number);  // and none will come
            continue;
        }
        const unsigned input = first_from(candidates, output.pointer);
        inputs_[input].granted |= std::uint64_t{1} << number;
        granted |= std::uint64_t{1} << input;
        if (!islip_) output.pointer = behind(input);
    }
    return granted;
}

void SwitchMatching::accept(unsigned input, bool first_round)
{
    Input& from = inputs_[input];
    const std::uint64_t bit = std::uint64_t{1} << input;
    const std::uint64_t single = from.granted & from.unicast;
    const std::uint64_t several = from.granted & from.multicast;
    std::uint64_t accepted = several;
    if ((several_ & bit) != 0 || (several != 0 && (single == 0 || (multicast_turn_ & bit) != 0))) {
        several_ |= bit;
    } else {
        const unsigned output = first_from(single, from.pointer);
        accepted = std::uint64_t{1} << output;
        if (first_round) from.pointer = behind(output);
    }
    if (islip_ && first_round)
        for (std::uint64_t rest = accepted; rest != 0; rest &= rest - 1) outputs_[lowest(rest)].pointer = behind(input);
    if ((matched_ & bit) == 0) from.outputs = 0;
    matched_ |= bit;
    from.outputs |= accepted;
    from.granted = 0;
}

void SwitchMatching::match()
{
    matched_ = several_ = 0;
    std::uint64_t open = asked_;
    for (unsigned round = 0; round < iterations_ && open != 0; ++round) {
        const std::uint64_t granted = grant(open);
        if (granted == 0) break;
        for (std::uint64_t rest = granted; rest != 0; rest &= rest - 1) {
            accept(lowest(rest), round == 0);
            open &= ~inputs_[lowest(rest)].outputs;
        }
    }
    multicast_turn_ ^= matched_ & ~(multicast_turn_ ^ several_);
    for (; asked_ != 0; asked_ &= asked_ - 1) {
        outputs_[lowest(asked_)].asked_by = 0;
        outputs_[lowest(asked_)].multicast_of = 0;
    }
}

}  // namespace weft
