// Single words of workgroups: loads, chases, stores, atomics and signals.
//
// Owns: the count of signals; a chase's state is in its workgroup. Called by: ProgramFlow.
//
// A signal adds 1 to a flag; only the end of the workgroup waits for its acknowledge. A chase loads one word after another, each at
// the address that the one before it found. Loads of unit scope go through the L1.
#pragma once

#include "gpu/units/cached_access.h"
#include "gpu/units/compute_unit.h"
#include "gpu/units/progress.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"

namespace weft {

class WordAccess {
public:
    WordAccess(UnitScheduler& scheduler, UnitNetwork& network, CachedAccess& cache, Progress& progress)
        : scheduler_(scheduler), network_(network), cache_(cache), progress_(progress)
    {
    }

    static constexpr std::uint32_t max_results = 4095;

    // The wavefront's operation issues its request, `delay` from now.
    void issue(ComputeUnit& unit, Wavefront& wave, Time delay);

    enum class Outcome : std::uint8_t { performed, chases, chased };
    // The response: the access is performed, and of a chase, the next load is to issue or all are done.
    Outcome respond(Workgroup& group, std::uint32_t result, Line& line);

    std::uint64_t signals() const { return signals_; }
    void reset_statistics() { signals_ = 0; }

private:
    static constexpr std::uint32_t chase_result = max_results;  // no result: the next address

    void issue_signal(ComputeUnit& unit, const Wavefront& wave, Time delay);
    void issue_word(ComputeUnit& unit, Wavefront& wave, Time delay);

    UnitScheduler& scheduler_;
    UnitNetwork& network_;
    CachedAccess& cache_;
    Progress& progress_;
    std::uint64_t signals_ = 0;
};

}  // namespace weft
