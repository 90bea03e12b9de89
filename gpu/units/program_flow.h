// The order of operations of wavefronts: which one starts next, and what it waits for.
//
// Owns: barriers, computing, and the way to bulk copies. Called by: ComputeUnits, when workgroups are placed, wavefronts have
// their turn, and responses arrive.
//
// Wavefronts go through the operations by themselves: a move starts when the move before it has its data and has issued its stores
// (with_previous: its loads). Everything but moves and barriers is done by wavefront zero.
//
// A bulk copy takes one issue slot and no registers: the unit's bulk copy engine (dma_engines.h) does it, and neither fences nor
// signals wait for it, only bulk_wait and the end of the workgroup. A request (of a port channel) takes an issue slot
// behind its fence; what it asks for is done beside the workgroup.
//
// Timing: a barrier ends `barrier_latency` after the last wavefront has come. Floating-point operations book the unit, at
// peak_flops / compute_units.
#pragma once

#include "gpu/units/bulk_copy_engine.h"
#include "gpu/units/cached_access.h"
#include "gpu/units/compute_unit.h"
#include "gpu/units/fences.h"
#include "gpu/units/flag_polls.h"
#include "gpu/units/unit_scheduler.h"
#include "gpu/units/word_access.h"
#include "gpu/units/workgroup_log.h"

namespace weft {

// What places workgroups on units, and is called when one of them may have come to its end.
class WorkgroupOwner {
public:
    virtual ~WorkgroupOwner() = default;
    virtual void finish_if_done(Workgroup& group) = 0;
};

class ProgramFlow {
public:
    ProgramFlow(const GpuSpec& spec, UnitScheduler& scheduler, Fences& fences, FlagPolls& polls, WordAccess& words,
        WorkgroupLog& log, WorkgroupOwner& owner)
        : barrier_latency_(spec.barrier_latency), unit_flops_(spec.peak_flops / spec.compute_units),
          scheduler_(scheduler), fences_(fences), polls_(polls), words_(words), log_(log), owner_(owner)
    {
    }

    // What carries out bulk copies. Needed before a program has one.
    void set_bulk(BulkCopyEngine& bulk) { bulk_ = &bulk; }

    // Starts the wavefront's next operation, and those behind it until one takes time.
    void start_next(ComputeUnit& unit, Wavefront& wave);
    // The wavefront has issued or has got data: goes on if its move is over, and keeps up whether it can issue.
    void advance(ComputeUnit& unit, Wavefront& wave)
    {
        if (wave.move_over()) {
            start_next(unit, wave);
        } else {
            update(unit, wave);
        }
    }
    // The wavefront's turn: its operation issues a request.
    void issue(ComputeUnit& unit, Wavefront& wave);

    // A store is acknowledged; the response to a load of a word, to a signal or to a poll has arrived.
    void acknowledged(Workgroup& group)
    {
        if (fences_.acknowledged(group)) {
            fence_over(group);
        } else if (group.drains) {
            drain(group);
        }
    }
    void word_responded(Workgroup& group, std::uint32_t code, Line& line);
    void bulk_done(Workgroup& group);
    // The time that the workgroup waited for has come.
    void wake(Workgroup& group);

private:
    void update(ComputeUnit& unit, Wavefront& wave);
    void go_on(Workgroup& group) { start_next(*group.unit, *group.zero); }
    void issue_zero(Workgroup& group);
    bool start(ComputeUnit& unit, Wavefront& wave);
    bool start_of_zero(ComputeUnit& unit, Wavefront& wave);
    void compute(ComputeUnit& unit, Wavefront& wave, Time end);
    Time flops_time(std::uint64_t operations) const;
    void end(ComputeUnit& unit, Wavefront& wave);
    void drain(Workgroup& group);
    bool arrive(ComputeUnit& unit, Wavefront& wave);
    void leave_barrier(Workgroup& group);
    void fence_over(Workgroup& group);
    void wait_over(Workgroup& group);
    void stall(const ComputeUnit& unit, Wavefront& wave, StallCause cause)
    {
        wave.stall.set(cause, unit.in_flight(), scheduler_.now());
    }

    Time barrier_latency_;
    std::uint64_t unit_flops_;  // per second
    UnitScheduler& scheduler_;
    Fences& fences_;
    FlagPolls& polls_;
    WordAccess& words_;
    WorkgroupLog& log_;
    WorkgroupOwner& owner_;
    BulkCopyEngine* bulk_ = nullptr;
};

}  // namespace weft
