// Follows every copy of every line through a switch: what comes out must be what went in, to that output, on
// that channel, in order, once; a slot is given back when its last copy has left, and none is missing in the
// end.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "rtl/switch/switch_pins.h"

namespace weft::test {

class SwitchScoreboard {
public:
    explicit SwitchScoreboard(const SwitchBlockParameters& parameters);

    // One clock. The payload must tell its input: lines are compared whole, so any payload with random bits
    // does.
    void clock(const SwitchIn& in, const SwitchOut& out);
    // Copies that have not come out.
    std::uint64_t missing() const;
    std::uint64_t delivered() const { return delivered_; }
    // What was wrong first; empty: nothing.
    const std::string& failure() const { return failure_; }

private:
    void fail(const std::string& what);

    const SwitchBlockParameters parameters_;
    std::uint64_t clock_ = 0;
    std::uint64_t delivered_ = 0;
    // By input, channel, output and kind, oldest first.
    std::vector<std::deque<LineBits>> expected_;
    std::vector<std::uint32_t> entered_;  // by input and channel: lines
    std::vector<std::uint32_t> given_back_;
    std::string failure_;
};

}  // namespace weft::test
