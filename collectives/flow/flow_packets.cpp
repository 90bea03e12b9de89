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

// A wavefront asks for what it loads when it is done with the step before, and then waits for packets; others need not have
// come as far. So first and last lines have times of their own. Operations of a run take turns at the registers.
void FlowCore::move_packets(std::uint32_t index, const FlowOp& op, const MoveLoad& load, const ThreadPace& pace)
{
    Thread& thread = threads_[index];
    Job& job = *thread.job;
    const FlowTemplate& program = *thread.program;
    PacketState& state = packet_states_[thread.packets];
    if (!op.has(FlowOp::with_previous)) {
        state.asked = state.issued;
        state.asked_last = state.freed;
        state.turns.clear();
    }
    const std::size_t at_once = pace.at_once(load);
    const Ps turn = state.turns.size() < at_once ? 0 : state.turns[state.turns.size() - at_once];
    const Ps from = std::max(thread.time, std::max(state.asked, turn) + load.load_ps);
    // The last wavefront fills its registers so often, the unit issues one line after the other, and steps that wait for no
    // acknowledges share its requests in flight.
    const double rounds = pace.rounds(load);
    const auto own_ps = static_cast<Ps>(rounds * static_cast<double>(load.load_ps));
    state.slots = std::max(state.slots, from) + pace.slots_ps(load);
    state.places = std::max(state.places, from) + pace.outstanding_ps(load);
    const Ps places = state.places - std::min(state.places, load.round_ps);
    Ps ready = std::max({from + pace.issue_ps(load), std::max(state.asked_last, turn) + own_ps, state.slots, places});
    for (std::uint32_t i = 0; i < op.sources; ++i) {
        const FlowOperand& source = program.operands[op.first + i];
        if (source.packets)
            ready = std::max(ready,
                job.shares[share_of(job, thread.rank, source, op)].tail + thread.cost->last_look_ps +
                    longer_poll(index));
    }
    state.turns.push_back(ready);
    // The first wavefront is done with its share a round before the last one.
    const auto first = static_cast<Ps>(static_cast<double>(ready - from) * (1 - 1 / rounds));
    state.issued = std::max(state.issued, from + first);
    state.freed = std::max(state.freed, ready);
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
