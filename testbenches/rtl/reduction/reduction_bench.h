// Runs of the unit, and of unit and reference model side by side.
#pragma once

#include <string>

#include "rtl/reduction/reduction_rtl.h"
#include "rtl/reduction/reference_reduction.h"
#include "testbenches/rtl/reduction/reduction_traffic.h"

namespace weft::test {

using ReductionBlock = ClockedBlock<ReductionIn, ReductionOut>;

struct ReductionRun {
    std::string difference;   // the first, or what the scoreboard or an assertion said; empty: none
    std::uint64_t clock = 0;  // of it
    unsigned operations = 0;
    std::uint64_t answers = 0;
};

// `load` steps from 0.1 to 1 in the course of the clocks; then what was begun is brought to its end. `other` may be
// null. `scored` false: only differences count.
inline ReductionRun run_traffic(const ReductionParameters& parameters, std::uint64_t seed, const TrafficShape& shape,
    std::uint64_t clocks, ReductionBlock& block, ReductionBlock* other, bool scored = true)
{
    ReductionTraffic traffic(parameters, seed, shape);
    ReductionIn in;
    ReductionOut out;
    ReductionOut reference;
    ReductionRun run;
    const std::uint64_t limit = clocks + 200'000;
    bool quiet = false;
    for (; run.clock < limit && !quiet; ++run.clock) {
        if (run.clock == clocks) traffic.wind_up();
        const std::uint64_t tenth = run.clock * 10 / clocks;
        traffic.drive(run.clock < clocks ? 0.1 * static_cast<double>(1 + tenth) : 1.0, in);
        block.cycle(in, out);
        if (other != nullptr) {
            other->cycle(in, reference);
            if (reference != out) {
                run.difference = difference(reference, out);
                return run;
            }
        }
        traffic.observe(out);
        if (scored) run.difference = traffic.complaint();
        if (run.difference.empty() && run.clock % 1024 == 0) run.difference = block.failure();
        if (!run.difference.empty()) return run;
        quiet = run.clock > clocks && traffic.finished() && out.idle;
    }
    run.operations = traffic.scoreboard().started();
    run.answers = traffic.scoreboard().answers();
    run.difference = block.failure();
    if (run.difference.empty() && !quiet) run.difference = "never idle: " + traffic.scoreboard().left();
    return run;
}

}  // namespace weft::test
