// Random traffic into a cache slice, a memory behind it, and the scoreboard; and two slices side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rtl/common/clocked_block.h"
#include "testbenches/rtl/cache/llc_scoreboard.h"
#include "testbenches/rtl/cache/llc_traffic.h"

namespace weft::test {

using LlcBlock = ClockedBlock<LlcIn, LlcOut>;

class LlcBench {
public:
    LlcBench(const LlcParameters& parameters, std::uint64_t seed);

    // Inputs of the next clock, with a share of `load` thousandths of all clocks in which a request comes.
    const LlcIn& drive(std::uint32_t load);
    // No more requests; everything is willing. After everything was answered, a flush.
    const LlcIn& drive_out();
    // What the block put on its outputs in the clock of the last drive.
    void observe(const LlcOut& out);
    bool done() const { return done_; }

    LlcScoreboard& scoreboard() { return scoreboard_; }

private:
    struct Fill {
        LineBits line;
        std::uint64_t due;
    };
    void offer_request();
    void offer_fill(bool in_order);

    LlcTraffic traffic_;
    LlcScoreboard scoreboard_;
    LlcIn in_;
    std::vector<Fill> fills_;
    std::uint64_t clock_ = 0;
    std::uint32_t next_tag_ = 0;
    bool draining_ = false;
    bool done_ = false;
};

// Runs both under the same inputs for `clocks` clocks, the load rising from 0.1 to 1, then dry and flushed. Says
// what was wrong first, with its clock: a pin in which they differ, a failed assertion, a complaint of the scoreboard.
// Empty: nothing.
std::string compare(LlcBlock& expected, LlcBlock& got, const LlcParameters& parameters, std::uint64_t seed,
    std::uint64_t clocks);

// One block alone against the scoreboard. `change` may spoil inputs and outputs on their way.
std::string check(LlcBlock& block, const LlcParameters& parameters, std::uint64_t seed, std::uint64_t clocks,
    const std::function<void(std::uint64_t clock, LlcOut& out)>& change = {});

}  // namespace weft::test
