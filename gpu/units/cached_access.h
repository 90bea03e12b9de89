// Loads and stores of compute units through their L1.
//
// Owns: the rules of what is cached, and how an L1 is made; each cache lies with its unit. Called by: MoveIssue and WordAccess for
// loads and stores, ProgramFlow for acquires, ComputeUnits for the sectors that arrive.
//
// Loads of unit scope go through the unit's L1, all others past it; stores change what it has and go on. The end of a wait, a fence
// of device or system scope and the start of a kernel invalidate it. What switches change for a group is seen there
// when it is invalidated next.
//
// Timing: hits at `bandwidth` one after another, then `latency`.
#pragma once

#include "gpu/units/compute_unit.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"
#include "sc_models/memory/memory_image.h"

namespace weft {

class CachedAccess {
public:
    CachedAccess(const L1Spec& spec, std::uint32_t endpoint, bool data_on, UnitScheduler& scheduler,
        UnitNetwork& network)
        : spec_(spec), endpoint_(endpoint), data_on_(data_on), scheduler_(scheduler), network_(network)
    {
    }

    // Before time starts: what makes the L1 of a unit that needs one.
    void set_l1(L1Factory make) { make_ = std::move(make); }

    bool cacheable(Scope scope, std::uint64_t address) const
    {
        return spec_.size > 0 && scope == Scope::unit && !MemoryImage::is_flag(local_of(address)) &&
            (spec_.cache_peers || endpoint_of(address) == endpoint_);
    }
    static bool present(const ComputeUnit& unit) { return unit.l1().cache != nullptr; }

    // A load, `delay` from now.
    void load(const LineIssue& issue, ComputeUnit& unit, Time delay);
    // A sector has arrived: `respond` gets the loads that waited for it; those that had found the cache full try again.
    template <class Respond>
    void fill(Line& fetch, ComputeUnit& unit, const Respond& respond);
    // The effects on the unit's L1, if it has one: of a store, of an atomic that is performed elsewhere, of an acquire.
    static void store(const Line& line, ComputeUnit& unit)
    {
        if (present(unit)) unit.l1().cache->store(line.address, line.data_if_any(), line.size);
    }
    static void drop(const Line& line, ComputeUnit& unit)
    {
        if (present(unit)) unit.l1().cache->drop(line.address);
    }
    static void acquire(ComputeUnit& unit)
    {
        if (present(unit)) unit.l1().cache->invalidate();
    }

private:
    L1Cache& cache_of(ComputeUnit& unit);
    void look_up(Line& line, ComputeUnit& unit, Time delay);

    L1Spec spec_;
    L1Factory make_;  // none: L1Cache
    std::uint32_t endpoint_;
    bool data_on_;
    UnitScheduler& scheduler_;
    UnitNetwork& network_;
};

template <class Respond>
void CachedAccess::fill(Line& fetch, ComputeUnit& unit, const Respond& respond)
{
    const L1Cache::Filled filled = unit.l1().cache->fill(fetch_of(fetch.tag), fetch.data_if_any());
    network_.give(fetch);
    const auto following = [](const Line& line) { return line.next == nullptr ? nullptr : &Line::of(*line.next); };
    for (Line* line = filled.answered; line != nullptr;) {
        Line* next = following(*line);
        respond(*line);
        line = next;
    }
    for (Line* line = filled.again; line != nullptr;) {
        Line* next = following(*line);
        look_up(*line, unit, 0);
        line = next;
    }
}

}  // namespace weft
