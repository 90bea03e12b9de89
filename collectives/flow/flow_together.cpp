// FlowCore: jobs that store from one rank at one time. By lines those that begin together share a link line by line, and end together; a
// link of flow serves whole parts in the order in which they come, so that the first job would get ahead at every step.
#include <algorithm>

#include "base/line_size.h"
#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

bool FlowCore::shares_units(const Thread& thread, bool moving) const
{
    const auto several = moving ? &FlowTogether::several_move : &FlowTogether::several;
    return profile_.links.turns && profile_.links.buffers && thread.job->what.mover == FlowMover::units &&
        (together_.*several)(thread.endpoint);
}

// Threads that a rank begins in one instant come to its links one after the other, in the order of their numbers: the first one of each
// job, then the second ones. The time between them is far below that of a line, and only decides the order.
FlowCore::Ps FlowCore::turn_at_launch(std::uint32_t index) const
{
    const Thread& thread = threads_[index];
    return shares_units(thread) ? number_in_rank(thread) : 0;
}

// Channels of a memory are refreshed one after the other, so at any time some are: of a job whose lines come from enough channels, some line
// waits for the whole of a refresh. It comes to the link behind all that other jobs have issued meanwhile, and the job does not end before
// them. That is the end of one thread; alone, the job would still wait for the link.
FlowCore::Ps FlowCore::last_line_late(const Thread& thread, const FlowOp& op) const
{
    if (!op.has(FlowOp::own_cold) || op.has(FlowOp::with_previous) || !shares_units(thread, false)) return 0;
    const Job& job = *thread.job;
    const std::uint32_t threads = job.program().threads(thread.rank);
    if (number_in_rank(thread) + 1 < threads || job.cached(thread.rank)) return 0;
    const FlowRefresh& refresh = ranks_.refresh(thread.endpoint);
    const double lines = bytes_of(thread, op) * threads / line_bytes;
    const bool meets = now_ >= refresh.every_ps &&
        lines * static_cast<double>(refresh.takes_ps) >= static_cast<double>(refresh.every_ps);
    return meets ? refresh.takes_ps : 0;
}

// The last part of a send that is the only one of its rank. Another one may follow before its last line has come from memory, as where a
// rank receives what it is to send, and is served first. As long as none does, the send takes what a lone one takes.
void FlowCore::give_way(const Transfer& last, Ps until)
{
    const FlowStage& stage = book_.stage(last.flight.stage);
    const LinkGroup& group = book_.group(stage.first);
    const bool one = stage.count == 1 && !group.split;
    const Ps free = !one ? 0 : group.queued ? until : group.free_ps;
    if (const Ps next = std::max(last.flight.head_ps, std::min(free, until)); next > now_)
        return after(next - now_, [this, last, until] { give_way(last, until); });
    begin_transfer(last, last.flight.bytes, last.flight.messages, now_, last.earliest);
}

}  // namespace weft
