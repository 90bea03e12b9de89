// FlowCore: barriers of the threads of a rank, and operations that wait for those of other threads.
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

std::uint32_t FlowCore::dependency_of(Job& job, std::uint32_t rank, StepId id)
{
    const std::uint64_t key = std::uint64_t{job.thread(rank, id.thread)} << 32 | id.step;
    const std::uint32_t known = job.dependency_numbers.find(key);
    if (known != FlatMap::none) return known;
    const auto made = static_cast<std::uint32_t>(job.dependencies.size());
    job.dependencies.emplace_back();
    job.dependency_numbers.insert(key, made);
    return made;
}

// A step that depends on others has a flag for each of them; of several steps without work the next ones, too. Where a wait follows,
// one look is at all these flags and its own, as many as there are lanes for: it begins here.
void FlowCore::look_at_dependencies(std::uint32_t index)
{
    Thread& thread = threads_[index];
    const FlowTemplate& program = *thread.program;
    const CostRank& cost = *thread.cost;
    if (!profile_.polls_dependencies || thread.waits_left > 0 || thread.job->what.mover == FlowMover::copy) return;
    std::uint32_t at = thread.next;
    while (
        program.ops[at].kind == FlowKind::nop && !program.ops[at].has(FlowOp::published) && at + 1 < program.ops.size())
        ++at;
    const FlowOp& op = program.ops[at];
    const auto step = [](const auto& entry, std::uint32_t number) { return entry.first < number; };
    const auto first = std::lower_bound(program.after.begin(), program.after.end(), thread.next, step);
    const auto last = std::lower_bound(first, program.after.end(), at + 1, step);
    const auto flags = static_cast<std::uint32_t>(last - first);
    if (op.kind != FlowKind::wait || flags >= cost.poll_lanes) return;
    begin_waits(index, std::min<std::uint32_t>(op.waits, cost.poll_lanes - flags));
    look(index, thread.waits_left + flags, true);
}

bool FlowCore::dependencies_met(std::uint32_t index)
{
    Thread& thread = threads_[index];
    Job& job = *thread.job;
    const FlowTemplate& program = *thread.program;
    look_at_dependencies(index);
    auto at = std::lower_bound(program.after.begin(), program.after.end(), thread.next,
        [](const auto& entry, std::uint32_t op) { return entry.first < op; });
    for (; at != program.after.end() && at->first == thread.next; ++at) {
        Job::Dependency& dependency = job.dependencies[dependency_of(job, thread.rank, at->second)];
        if (!dependency.done) {
            dependency.sleepers.push_back(index);
            blocked_for(index, FlowCause::flag);
            return false;
        }
        thread.time = std::max(thread.time, dependency.time);
        spent(index, FlowCause::flag);
        if (logs()) log_->released(index, dependency.sent, dependency.time - thread.cost->notice_ps);
    }
    return true;
}

// The operation before thread.next is complete for those who wait for it, if all stores are acknowledged.
bool FlowCore::publish(std::uint32_t index, std::uint32_t number)
{
    Thread& thread = threads_[index];
    if (!settle(index)) {
        thread.unpublished = number;
        return false;
    }
    fence(thread);
    Job::Dependency& dependency = thread.job->dependencies[number];
    dependency.done = true;
    dependency.time = thread.time + thread.cost->own_flag_ps + thread.cost->notice_ps;
    dependency.sent = log_sent(index, thread.time, thread.cost->own_flag_ps);
    for (const std::uint32_t sleeper : dependency.sleepers) resume(sleeper, dependency.time);
    dependency.sleepers.clear();
    return true;
}

bool FlowCore::meet(std::uint32_t index, const FlowOp& op)
{
    const Thread& thread = threads_[index];
    Job& job = *thread.job;
    const std::uint64_t key = std::uint64_t{thread.rank} << 32 | op.semaphore;
    std::uint32_t number = job.barrier_numbers.find(key);
    if (number == FlatMap::none) {
        number = static_cast<std::uint32_t>(job.barriers.size());
        job.barriers.emplace_back();
        job.barrier_numbers.insert(key, number);
    }
    std::vector<std::uint32_t>& there = job.barriers[number];
    there.push_back(index);
    blocked_for(index, FlowCause::flag);
    if (there.size() < op.count) return false;
    if (logs()) {
        const std::uint32_t last = log_sent(index, thread.time, thread.cost->own_flag_ps);
        for (const std::uint32_t other : there)
            if (other != index) log_->released(other, last, thread.time + thread.cost->own_flag_ps);
    }
    for (const std::uint32_t other : there)
        resume(other, thread.time + thread.cost->own_flag_ps + thread.cost->notice_ps);
    there.clear();
    return false;
}

}  // namespace weft
