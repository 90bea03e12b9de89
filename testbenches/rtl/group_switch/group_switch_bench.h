// Runs of the switch with its group unit: one block under the scoreboard, or two side by side.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "testbenches/rtl/group_switch/group_switch_traffic.h"

namespace weft::test {

struct GroupSwitchRun {
    std::uint64_t clocks = 0;
    std::uint64_t sent = 0;
    std::uint64_t multicasts = 0;
    std::uint64_t without_credit = 0;
    std::uint64_t unit_copies = 0;
    std::uint64_t answers = 0;
    std::uint64_t idle_clocks = 0;
    std::uint64_t busy_clocks = 0;  // every output had a line
    unsigned operations = 0;
    unsigned groups_set_anew = 0;
    std::string wrong;  // the first difference, assertion, or complaint of the scoreboard, with its clock; empty: none
};

// `clocks` clocks at loads from 0.1 to 1.0 in ten steps, then what was begun is brought to its end. Stops at the first thing
// wrong. `expected` may be null; `scored` false: only differences count.
inline GroupSwitchRun run_group_switch(const GroupSwitchParameters& parameters, std::uint64_t seed,
    const GroupTrafficShape& shape, std::uint64_t clocks, GroupSwitchBlock& block, GroupSwitchBlock* expected,
    bool scored = true)
{
    GroupSwitchTraffic traffic(parameters, seed, shape);
    SwitchOut want(parameters.outside);
    SwitchOut have(parameters.outside);
    GroupSwitchRun run;
    const std::uint64_t all = (std::uint64_t{1} << parameters.outside.ports) - 1;
    bool quiet = false;
    for (; run.clocks < clocks + 100'000 && !quiet && run.wrong.empty(); ++run.clocks) {
        const std::uint64_t tenth = run.clocks / (clocks / 10);
        if (run.clocks % (clocks / 10) == 0 && run.clocks < clocks)
            traffic.set_load(0.1 * static_cast<double>(tenth + 1));
        if (run.clocks == clocks) traffic.wind_up();
        const SwitchIn& in = traffic.next();
        for (const GroupEntry& entry : traffic.settings()) {
            block.set_group(entry);
            if (expected != nullptr) expected->set_group(entry);
        }
        block.cycle(in, have);
        if (expected != nullptr) {
            expected->cycle(in, want);
            const std::string differs = difference(want, have);
            if (!differs.empty()) run.wrong = fmt::format("clock {}: {}", run.clocks, differs);
        }
        traffic.observe(have);
        if (scored && run.wrong.empty()) run.wrong = traffic.scoreboard().failure();
        if (run.wrong.empty() && run.clocks % 1024 == 0) run.wrong = block.failure();
        run.idle_clocks += have.idle;
        run.busy_clocks += have.valid == all;
        quiet = run.clocks > clocks && have.idle && traffic.finished();
    }
    if (run.wrong.empty()) run.wrong = block.failure();
    if (run.wrong.empty() && expected != nullptr) run.wrong = expected->failure();
    if (run.wrong.empty() && !quiet) run.wrong = "never idle: " + traffic.scoreboard().left();
    run.sent = traffic.sent();
    run.multicasts = traffic.multicasts();
    run.without_credit = traffic.without_credit();
    run.unit_copies = traffic.scoreboard().unit_copies();
    run.answers = traffic.scoreboard().answers();
    run.operations = traffic.scoreboard().started();
    run.groups_set_anew = traffic.groups_set() - parameters.groups;
    return run;
}

}  // namespace weft::test
