// FlowCore: moves of packets, and of what goes on in them.
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

std::uint32_t FlowCore::share_of(Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op)
{
    const std::uint32_t at = job.program().grid.peer(rank, operand.peer);
    const auto [entry, fresh] = job.share_numbers.try_emplace({at, operand.slot, op.count, op.part, op.parts},
        static_cast<std::uint32_t>(job.shares.size()));
    if (fresh) job.shares.emplace_back();
    return entry->second;
}

// False: the thread goes on when the packets that it reads have begun to come.
bool FlowCore::packets_have_come(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    Job& job = *thread.job;
    if (job.what.step_bytes && bytes_of(thread, op) <= 0) return true;
    const FlowTemplate& program = *thread.program;
    for (std::uint32_t i = 0; i < op.sources; ++i) {
        const FlowOperand& source = program.operands[op.first + i];
        if (!source.packets) continue;
        Job::Share& share = job.shares[share_of(job, thread.rank, source, op)];
        if (!share.here) {
            share.sleepers.push_back(index);
            blocked_for(index, FlowCause::flag);
            return false;
        }
        thread.time = std::max(thread.time, share.head + thread.cost->look_ps + longer_poll(index) / 2);
        spent(index, FlowCause::flag);
        if (logs()) log_->released(index, share.sent, share.head);
    }
    return true;
}

void FlowCore::move_packets(std::uint32_t index, const FlowOp& op, const MoveLoad& load, const ThreadPace& pace)
{
    Thread& thread = threads_[index];
    Job& job = *thread.job;
    const FlowTemplate& program = *thread.program;
    PacketSteps& steps = packet_steps_[thread.packets];
    if (!op.has(FlowOp::with_previous)) steps.begin_run();
    Ps last = 0;
    for (std::uint32_t i = 0; i < op.sources; ++i) {
        const FlowOperand& source = program.operands[op.first + i];
        if (source.packets)
            last = std::max(last,
                job.shares[share_of(job, thread.rank, source, op)].tail + thread.cost->last_look_ps +
                    longer_poll(index));
    }
    const auto [from, ready] = steps.add(load, pace, thread.time, last);
    Move record;
    record.op = thread.next;
    record.thread = index;
    record.bytes = load.data;
    record.packed = load.bytes;
    if (logs()) {
        record.record = log_->record_of(index);
        log_packets(index, from, load, pace);
    }
    store(record, from, ready);
}

}  // namespace weft
