// FlowCore: moves of packets, and of what goes on in them.
#include <algorithm>
#include <utility>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

namespace {

template <class Job>
std::uint32_t number_of(Job& job, const PacketDivision& division)
{
    const auto [entry, fresh] = job.share_numbers.try_emplace(division, static_cast<std::uint32_t>(job.shares.size()));
    if (fresh) job.shares.emplace_back();
    return entry->second;
}

template <class Job>
PacketDivision division_of(const Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op)
{
    return {job.program().grid.peer(rank, operand.peer), operand.slot, op.count, op.part, op.parts};
}

// Where in a store the slots of a read begin and end, as parts of it: slots come one behind the other.
std::pair<double, double> slots_read(const PacketDivision& read, const PacketDivision& store)
{
    if (store[3] != read[3] || store[4] != read[4]) return {0, 1};
    const double slots = store[2];
    const std::uint32_t end = std::min(read[1] + read[2], store[1] + store[2]) - store[1];
    return {(std::max(read[1], store[1]) - store[1]) / slots, end / slots};
}

}  // namespace

std::uint32_t FlowCore::share_of(Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op)
{
    return number_of(job, division_of(job, rank, operand, op));
}

template <class Take>
void FlowCore::each_share_read(Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op, Take take)
{
    const auto& otherwise = job.program().packets_cut_otherwise;
    if (!otherwise.empty()) {
        const auto found = otherwise.find(division_of(job, rank, operand, op));
        if (found != otherwise.end()) {
            for (const PacketDivision& store : found->second) {
                Job::Share& share = job.shares[number_of(job, store)];
                if (share.empty) continue;
                const auto [first, last] = slots_read(found->first, store);
                const double long_ps = static_cast<double>(share.tail - share.head);
                take(share, share.head + static_cast<Ps>(long_ps * first),
                    share.head + static_cast<Ps>(long_ps * last));
            }
            return;
        }
    }
    Job::Share& share = job.shares[share_of(job, rank, operand, op)];
    take(share, share.head, share.tail);
}

// A read that is cut as its store is as empty as that one; only others must know which stores are.
void FlowCore::find_empty_stores(Job& job)
{
    const FlowProgram& program = job.program();
    if (!job.what.step_bytes || program.packets_cut_otherwise.empty()) return;
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank)
        for (std::uint32_t thread = 0; thread < program.threads(rank); ++thread) {
            const FlowTemplate& each = program.templates[program.template_number(rank, thread)];
            for (std::uint32_t step = 0; step < each.ops.size(); ++step) {
                const FlowOp& op = each.ops[step];
                if (!op.has(FlowOp::stores_packets) || job.what.step_bytes(rank, thread, step).data > 0) continue;
                const std::uint32_t first = op.first + op.sources;
                const std::uint32_t end = first + op.destinations + (op.has(FlowOp::packs_own) ? 1 : 0);
                for (std::uint32_t at = first; at < end; ++at)
                    if (each.operands[at].packets) job.shares[share_of(job, rank, each.operands[at], op)].empty = true;
            }
        }
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
        bool missing = false;
        each_share_read(job, thread.rank, source, op, [&](Job::Share& share, Ps, Ps) {
            if (!missing && !share.here) share.sleepers.push_back(index);
            missing = missing || !share.here;
        });
        if (missing) {
            blocked_for(index, FlowCause::flag);
            return false;
        }
    }
    PacketSteps& steps = packet_steps_[thread.packets];
    const PacketSteps::Found* found = steps.found_before(thread.next);
    if (found == nullptr) found = &steps.keep(thread.next, packets_found(index, op, !op.has(FlowOp::with_previous)));
    thread.time = std::max(thread.time, found->first);
    spent(index, FlowCause::flag);
    if (!logs()) return true;
    for (std::uint32_t i = 0; i < op.sources; ++i)
        if (program.operands[op.first + i].packets)
            each_share_read(job, thread.rank, program.operands[op.first + i], op,
                [&](const Job::Share& share, Ps head, Ps) { log_->released(index, share.sent, head); });
    return true;
}

// When it finds the first and the last of the packets that the operation reads, all of which have come.
PacketSteps::Found FlowCore::packets_found(std::uint32_t index, const FlowOp& op, bool new_run)
{
    const Thread& thread = threads_[index];
    const MoveLoad load = load_of(thread, op);
    Job& job = *thread.job;
    const PacketSteps& steps = packet_steps_[thread.packets];
    const ThreadPace pace = pace_of(thread);
    PacketSteps::Found out;
    for (std::uint32_t i = 0; i < op.sources; ++i) {
        const FlowOperand& source = thread.program->operands[op.first + i];
        if (!source.packets) continue;
        each_share_read(job, thread.rank, source, op, [&](const Job::Share&, Ps head, Ps tail) {
            const PacketSteps::Found found = steps.found(thread.cost->packets, load, pace, new_run,
                load.bytes / job.what.threads_each, head, tail, longer_poll(index));
            out.first = std::max(out.first, found.first);
            out.last = std::max(out.last, found.last);
        });
    }
    return out;
}

// Packets at the own rank are there as soon as they are written to its memory.
void FlowCore::pack_own(const Move& move, Ps from, Ps ready)
{
    const Thread& thread = threads_[move.thread];
    Job& job = *thread.job;
    const FlowOp& op = thread.program->ops[move.op];
    const FlowOperand& own = thread.program->operands[op.first + op.sources + op.destinations];
    Job::Share& share = job.shares[share_of(job, thread.rank, own, op)];
    share.here = true;
    share.sent = log_sent(move.thread, from, thread.cost->load_ps, move.record);
    share.head = from + thread.cost->load_ps;
    share.tail = ready + thread.cost->load_ps;
    for (const std::uint32_t sleeper : share.sleepers) resume(sleeper, now_);
    share.sleepers.clear();
}

void FlowCore::move_packets(std::uint32_t index, const FlowOp& op, const MoveLoad& load, const ThreadPace& pace,
    Ps spread)
{
    Thread& thread = threads_[index];
    PacketSteps& steps = packet_steps_[thread.packets];
    if (!op.has(FlowOp::with_previous)) steps.begin_run();
    const PacketSteps::Found* found = steps.found_before(thread.next);
    const Ps last = found == nullptr ? 0 : found->last;
    const auto [from, ready] = steps.add(load, pace, thread.time, last, spread);
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
