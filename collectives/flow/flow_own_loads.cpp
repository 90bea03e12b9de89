// FlowCore: what a thread loads from the memory of its own rank, and what has come from there before.
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

// Where the data are that a move loads from its own rank: in memory if nobody has read them. A move earlier in the same run may have read
// them first; when the wavefronts ask again, its lines are in the cache or still under way.
FlowCore::OwnData FlowCore::own_data(const Thread& thread, const FlowOp& op) const
{
    const Job& job = *thread.job;
    bool cold = op.has(FlowOp::own_cold) && !job.cached(thread.rank);
    if (op.sources + op.destinations == 0) cold = cold && !job.all_read(thread.endpoint);  // a copy at its own place
    if (!cold) return OwnData::cached;
    // One that loads from others as well goes in pieces, and is not followed.
    if (op.behind == 0 || is_copy(thread, op) || (&op - op.behind)->sources > 0) return OwnData::in_memory;
    const ThreadPace pace = pace_of(thread);
    double sets = 0;
    for (const FlowOp* before = &op - op.behind; before != &op && sets < pace.sets(); ++before)
        sets += pace.sets_for(held_bytes(thread, *before));
    return sets < pace.sets() ? OwnData::under_way : OwnData::cached;
}

FlowCore::Ps FlowCore::own_load_ps(const Thread& thread, const FlowOp& op)
{
    if (op.own_sources == 0) return 0;
    const CostRank& self = *thread.cost;
    if (own_data(thread, op) == OwnData::cached) return self.load_ps;
    // Stores of others take lines out of private partitions, but not out of what lies behind them.
    return self.load_ps + self.cold_behind_ps + (finds_lines(thread, op, thread.rank) ? 0 : self.cold_ps);
}

// A move that asks for what one before it in the run waits for: both have it at one time, and their registers.
void FlowCore::join_load(Thread& thread)
{
    const Ps left = thread.own_there - std::min(thread.own_there, thread.time);
    thread.shape = none;
    thread.load_ps = std::max(thread.cost->load_ps, left);
    thread.turn_ps = std::min(thread.turn_ps, std::max(thread.issue_ps, left));
}

// Whether what it reads of a rank has come from memory with what lies beside it in its lines.
bool FlowCore::finds_lines(const Thread& thread, const FlowOp& op, std::uint32_t at) const
{
    const FlowJob& job = thread.job->what;
    if (job.shared_lines == nullptr) return false;
    const auto step = static_cast<std::uint32_t>(&op - thread.program->ops.data());
    return job.shared_lines->finds(thread.rank, number_in_rank(thread), step, at);
}

}  // namespace weft
