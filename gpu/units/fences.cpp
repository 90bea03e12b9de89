#include "gpu/units/fences.h"

namespace weft {

bool Fences::begin(Workgroup& group, Scope scope)
{
    ++begun_;
    group.fence.scope = scope;
    group.open.begin_fence(scope);
    group.fence.open = !group.open.fenced(scope) || ends_later(group);
    if (group.fence.open) group.zero->stall.set(StallCause::fence, group.unit->in_flight(), scheduler_.now());
    return !group.fence.open;
}

bool Fences::ends_later(Workgroup& group)
{
    if (group.fence.scope != Scope::system || latency_ == 0) return false;
    if (!group.wake.scheduled) scheduler_.at(scheduler_.now() + latency_, group);
    return true;
}

}  // namespace weft
