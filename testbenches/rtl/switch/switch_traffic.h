// Random traffic on the pins of a switch, by the rules: senders hold credits, whoever follows gives back what
// it got.
//
// Traffic changes its character every few hundred clocks: load, pattern, share of multicast, channels,
// back-pressure, slow or held credits, and stretches of silence in which the switch runs empty.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/switch/switch_pins.h"

namespace weft::test {

// xorshift64*
class SwitchRandom {
public:
    explicit SwitchRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU) {}
    std::uint64_t next()
    {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1dU;
    }
    unsigned below(unsigned count) { return static_cast<unsigned>((next() >> 32) * count >> 32); }

private:
    std::uint64_t state_;
};

class SwitchTraffic {
public:
    SwitchTraffic(const SwitchBlockParameters& parameters, std::uint64_t seed);

    // Of all clocks, the share in which an input with credits sends, 0 to 1, from now on.
    void set_load(double load) { load_ = static_cast<std::uint32_t>(load * 65536); }
    // The pins of the next clock, given what came out in the last one.
    const SwitchIn& next(const SwitchOut& last);

    std::uint64_t sent() const { return sent_; }
    std::uint64_t multicasts() const { return multicasts_; }
    std::uint64_t without_credit() const { return without_credit_; }  // lines that had to wait for one

private:
    enum class Pattern { uniform, one_output, permutation, pair };

    void change();
    void take(const SwitchOut& last);
    void send(unsigned input);
    std::uint64_t choose_ports(unsigned input, unsigned vc);
    std::uint64_t thinned(unsigned level);

    const SwitchBlockParameters parameters_;
    SwitchRandom random_;
    SwitchIn in_;
    std::vector<std::uint16_t> credits_;     // of senders, by input and channel
    std::vector<std::uint16_t> owed_;        // to the switch, by output and channel
    std::vector<std::uint16_t> owed_any_;    // channels with any, by output
    std::vector<std::uint64_t> outputs_of_;  // by channel
    std::uint32_t load_ = 32768;
    // Of the present stretch.
    std::uint64_t left_ = 0;
    Pattern pattern_ = Pattern::uniform;
    unsigned hot_ = 0;
    unsigned multicast_ = 0;  // of 16 lines
    unsigned ready_level_ = 4;
    unsigned credit_level_ = 4;
    std::uint16_t channels_ = 0xffff;
    bool silent_ = false;
    std::uint64_t sent_ = 0;
    std::uint64_t multicasts_ = 0;
    std::uint64_t without_credit_ = 0;
};

}  // namespace weft::test
