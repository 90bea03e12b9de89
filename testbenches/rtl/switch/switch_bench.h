// Reference model and block, or any two of them, on the same pins.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "rtl/common/clocked_block.h"
#include "testbenches/rtl/switch/switch_scoreboard.h"
#include "testbenches/rtl/switch/switch_traffic.h"

namespace weft::test {

using SwitchBlock = ClockedBlock<SwitchIn, SwitchOut>;

inline SwitchBlockParameters switch_of(unsigned ports, unsigned vcs, unsigned depth, unsigned max_credits,
    unsigned width, unsigned latency, unsigned traversal, unsigned iterations)
{
    SwitchBlockParameters parameters;
    parameters.ports = ports;
    parameters.vcs = vcs;
    parameters.depth = depth;
    parameters.max_credits = max_credits;
    parameters.width = width;
    parameters.latency = latency;
    parameters.traversal = traversal;
    parameters.iterations = iterations;
    return parameters;
}

struct SwitchRun {
    std::uint64_t clocks = 0;
    std::uint64_t sent = 0;
    std::uint64_t multicasts = 0;
    std::uint64_t without_credit = 0;
    std::uint64_t delivered = 0;  // copies
    std::uint64_t idle_clocks = 0;
    std::uint64_t all_outputs = 0;    // clocks in which every output had a line
    std::uint64_t no_difference = 0;  // clocks that agreed
    std::string wrong;                // the first difference, assertion or loss; empty: none
};

// `clocks` clocks at loads from 0.1 to 1.0 in ten steps; stops at the first difference. The scoreboard looks
// at the first 20,000: what it would find later, the other side would have to do too.
inline SwitchRun compare_switches(const SwitchBlockParameters& parameters, SwitchBlock& expected, SwitchBlock& got,
    std::uint64_t seed, std::uint64_t clocks)
{
    SwitchTraffic traffic(parameters, seed);
    SwitchScoreboard scoreboard(parameters);
    SwitchOut want(parameters);
    SwitchOut have(parameters);
    SwitchRun run;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - parameters.ports);
    expected.reset();
    got.reset();
    for (std::uint64_t clock = 0; clock < clocks && run.wrong.empty(); ++clock) {
        const std::uint64_t tenth = clock / (clocks / 10);
        if (clock % (clocks / 10) == 0) traffic.set_load(0.1 * static_cast<double>(tenth + 1));
        const SwitchIn& in = traffic.next(want);
        expected.cycle(in, want);
        got.cycle(in, have);
        const std::string differs = difference(want, have);
        if (!differs.empty())
            run.wrong = fmt::format("clock {}: {}", clock, differs);
        else
            ++run.no_difference;
        if (clock < 20'000) scoreboard.clock(in, have);
        if (run.wrong.empty()) run.wrong = scoreboard.failure();
        run.idle_clocks += have.idle;
        run.all_outputs += have.valid == all;
        ++run.clocks;
    }
    if (run.wrong.empty()) run.wrong = expected.failure();
    if (run.wrong.empty()) run.wrong = got.failure();
    run.sent = traffic.sent();
    run.multicasts = traffic.multicasts();
    run.without_credit = traffic.without_credit();
    run.delivered = scoreboard.delivered();
    return run;
}

}  // namespace weft::test
