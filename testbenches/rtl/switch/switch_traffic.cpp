#include "testbenches/rtl/switch/switch_traffic.h"

#include <cstring>

namespace weft::test {

namespace {

unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

}  // namespace

SwitchTraffic::SwitchTraffic(const SwitchBlockParameters& parameters, std::uint64_t seed)
    : parameters_(parameters), random_(seed), in_(parameters),
      credits_(std::size_t{parameters.ports} * parameters.vcs, static_cast<std::uint16_t>(parameters.depth)),
      owed_(credits_.size()), owed_any_(parameters.ports), outputs_of_(parameters.vcs)
{
    for (unsigned output = 0; output < parameters.ports; ++output)
        for (unsigned vc = 0; vc < parameters.vcs; ++vc)
            if (parameters.credits_of(output, vc) > 0) outputs_of_[vc] |= std::uint64_t{1} << output;
}

// Bits that are set with a probability of 0, 1/4, 1/2, 3/4, 1.
std::uint64_t SwitchTraffic::thinned(unsigned level)
{
    switch (level) {
    case 0: return 0;
    case 1: return random_.next() & random_.next();
    case 2: return random_.next();
    case 3: return random_.next() | random_.next();
    default: return ~std::uint64_t{0};
    }
}

void SwitchTraffic::change()
{
    left_ = 50 + random_.below(400);
    pattern_ = static_cast<Pattern>(random_.below(4));
    hot_ = random_.below(parameters_.ports);
    const unsigned shares[] = {0, 1, 4, 16};
    multicast_ = shares[random_.below(4)];
    const unsigned levels[] = {4, 4, 3, 2, 1, 4, 4, 0};
    ready_level_ = levels[random_.below(8)];
    credit_level_ = levels[random_.below(8)];
    if (ready_level_ == 0 || credit_level_ == 0) left_ = 20 + random_.below(60);
    channels_ = 0xffff;
    if (random_.below(3) == 0) channels_ = static_cast<std::uint16_t>(1U << random_.below(parameters_.vcs));
    silent_ = random_.below(12) == 0;
}

const SwitchIn& SwitchTraffic::next(const SwitchOut& last)
{
    if (left_-- == 0) change();
    take(last);
    in_.ready = thinned(ready_level_) & (~std::uint64_t{0} >> (64 - parameters_.ports));
    for (unsigned output = 0; output < parameters_.ports; ++output) {
        in_.credit[output] = 0;
        if (owed_any_[output] == 0) continue;
        const auto back = static_cast<std::uint16_t>(owed_any_[output] & thinned(credit_level_));
        in_.credit[output] = back;
        for (std::uint64_t rest = back; rest != 0; rest &= rest - 1)
            if (--owed_[output * parameters_.vcs + lowest(rest)] == 0)
                owed_any_[output] = static_cast<std::uint16_t>(owed_any_[output] & ~(1U << lowest(rest)));
    }
    in_.valid = 0;
    if (silent_) return in_;
    std::uint64_t draw = 0;
    for (unsigned input = 0; input < parameters_.ports; ++input) {
        if (input % 4 == 0) draw = random_.next();
        if ((draw >> input % 4 * 16 & 0xffff) < load_) send(input);
    }
    return in_;
}

void SwitchTraffic::take(const SwitchOut& last)
{
    for (std::uint64_t rest = last.credit_valid; rest != 0; rest &= rest - 1)
        ++credits_[lowest(rest) * parameters_.vcs + last.credit_vc[lowest(rest)]];
    for (std::uint64_t rest = last.valid; rest != 0; rest &= rest - 1) {
        const unsigned output = lowest(rest);
        ++owed_[output * parameters_.vcs + last.vc[output]];
        owed_any_[output] = static_cast<std::uint16_t>(owed_any_[output] | 1U << last.vc[output]);
    }
}

std::uint64_t SwitchTraffic::choose_ports(unsigned input, unsigned vc)
{
    const std::uint64_t there = outputs_of_[vc];
    if (multicast_ > 0 && random_.below(16) < multicast_) {
        const std::uint64_t some = random_.below(4) == 0 ? ~std::uint64_t{0} : random_.next();
        if ((some & there) != 0) return some & there;
    }
    unsigned output = random_.below(parameters_.ports);
    if (pattern_ == Pattern::one_output) output = hot_;
    if (pattern_ == Pattern::permutation) output = (input + hot_) % parameters_.ports;
    if (pattern_ == Pattern::pair) output = (hot_ + output % 2) % parameters_.ports;
    return there & std::uint64_t{1} << output;
}

void SwitchTraffic::send(unsigned input)
{
    unsigned vc = random_.below(parameters_.vcs);
    if ((channels_ >> vc & 1U) == 0) vc = lowest(channels_);
    std::uint16_t& credits = credits_[input * parameters_.vcs + vc];
    if (credits == 0) {
        ++without_credit_;
        return;
    }
    const std::uint64_t ports = choose_ports(input, vc);
    if (ports == 0) return;
    --credits;
    ++sent_;
    multicasts_ += (ports & (ports - 1)) != 0;
    in_.valid |= std::uint64_t{1} << input;
    in_.vc[input] = static_cast<std::uint8_t>(vc);
    in_.ports[input] = ports;
    std::uint64_t word = random_.next();
    for (unsigned i = 0; i < sizeof(LineBits); i += 8, word = word * 0xd1342543de82ef95U + 1)
        std::memcpy(in_.data[input].bytes + i, &word, 8);
}

}  // namespace weft::test
