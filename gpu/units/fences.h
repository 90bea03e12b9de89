// Fences of workgroups: when everything that one waits for is performed.
//
// Owns: the count of fences; the state of each is in its workgroup. Called by: ProgramFlow, for fences and operations that are
// behind one, and for each acknowledge.
//
// Timing: a fence waits for earlier loads of words and for acknowledges (Scope: of none, of stores to the own GPU, of all). One of
// system scope takes `fence_latency` then. The acknowledge of a store at the address of a group comes when all members
// have theirs: it counts as a store to other GPUs.
#pragma once

#include "gpu/units/unit_scheduler.h"
#include "gpu/units/wavefront.h"

namespace weft {

class Fences {
public:
    Fences(const GpuSpec& spec, UnitScheduler& scheduler) : latency_(spec.fence_latency), scheduler_(scheduler) {}

    // True when it is over at once; else wavefront zero waits.
    bool begin(Workgroup& group, Scope scope);
    // After an acknowledge: true when the workgroup has a fence that is over now.
    bool acknowledged(Workgroup& group)
    {
        if (!group.fence.open || !group.open.fenced(group.fence.scope)) return false;
        return !ends_later(group);
    }

    std::uint64_t begun() const { return begun_; }
    void reset_statistics() { begun_ = 0; }

private:
    // Everything is acknowledged, but the fence takes time of its own: it ends when the workgroup wakes up.
    bool ends_later(Workgroup& group);

    Time latency_;
    UnitScheduler& scheduler_;
    std::uint64_t begun_ = 0;
};

}  // namespace weft
