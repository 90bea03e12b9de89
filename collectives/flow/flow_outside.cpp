// FlowCore: what crosses a border to ranks that somebody else carries out.
#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

void FlowCore::set_border(FlowBorder& border, std::vector<bool> outside)
{
    border_ = &border;
    outside_ = std::move(outside);
}

void FlowCore::require_known_outside(const FlowProgram& program) const
{
    const char* const what = program.in_switches ? "steps that switches carry out"
        : program.has_packets                    ? "packets of ll and ll128"
                                                 : nullptr;
    if (what != nullptr)
        throw InputError(program.name, 0, std::string("mixed fidelity has no ") + what,
            "engine.protocol=simple and an algorithm of loads and stores, or --fidelity line or flow");
}

void FlowCore::enter_outside(JobId id) { --jobs_[id]->positions_to_enter; }

void FlowCore::leave_outside(JobId id)
{
    if (--jobs_[id]->positions_left == 0) close(id);
}

FlowCore::Outside FlowCore::outside_share(const Move& move, std::uint32_t operand, std::uint32_t endpoint) const
{
    const Thread& thread = threads_[move.thread];
    Outside out;
    out.share.job = thread.job->what.number;
    out.share.rank = thread.rank;
    out.share.thread = move.thread - thread.job->thread(thread.rank, 0);
    out.share.step = move.op;
    out.share.operand = operand;
    out.share.fraction = move.part;
    out.thread = move.thread;
    out.path = border_->path_out(thread.endpoint, endpoint, false);
    return out;
}

// As store(), in as many parts. Each is acknowledged by itself.
void FlowCore::store_outside(const Move& move, std::uint32_t operand, Ps from, Ps ready)
{
    Thread& thread = threads_[move.thread];
    const FlowOp& op = thread.program->ops[move.op];
    const std::uint32_t to = endpoint_at(thread, thread.program->operands[op.first + op.sources + operand].peer);
    Outside whole = outside_share(move, operand, to);
    ++messages_;
    const std::uint32_t parts = std::max(move.singly ? move.least_parts : 1, parts_of(move.bytes, ready - from));
    Transfer transfer;
    transfer.flight = links_.put(whole.path, thread.endpoint, move.bytes, from);
    in_messages(transfer.flight, thread, move.part);
    transfer.use = Use::leaving;
    transfer.thread = move.thread;
    if (move.singly) transfer.places = move.places;
    whole.held = transfer.places * move.bytes / parts;
    const double messages = transfer.flight.messages / parts;
    const Ps head = transfer.flight.head_ps;
    for (std::uint32_t part = 0; part < parts; ++part) {
        Outside share = whole;
        share.share.fraction /= parts;
        transfer.target = beyond_.take(share);
        beyond_[transfer.target].share.ticket = transfer.target;
        begin_transfer(transfer, move.bytes / parts, messages, head + (ready - from) * part / parts,
            part + 1 == parts ? ready + book_.path(whole.path).put_ps : 0);
    }
    thread.in_flight += parts;
}

void FlowCore::signal_outside(std::uint32_t index, const FlowOp& op, std::uint32_t peer)
{
    Thread& thread = threads_[index];
    const Job& job = *thread.job;
    Outside out;
    out.signal = {job.what.number, thread.rank, peer, op.semaphore, 0};
    out.thread = index;
    out.path = border_->path_out(thread.endpoint, job.what.members[peer], true);
    Transfer transfer;
    transfer.flight = links_.put(out.path, thread.endpoint, 0, thread.time);
    transfer.flight.messages = job.what.threads_each;
    transfer.use = Use::leaving_signal;
    transfer.target = beyond_.take(out);
    beyond_[transfer.target].signal.ticket = transfer.target;
    ++thread.outside;
    push(transfer.flight.head_ps, Kind::hop, transfers_.take(transfer));
}

void FlowCore::ask_outside(std::uint32_t number, std::uint32_t operand, Ps now)
{
    Move& move = moves_[number];
    const Thread& thread = threads_[move.thread];
    const FlowOp& op = thread.program->ops[move.op];
    const std::uint32_t owner = endpoint_at(thread, thread.program->operands[op.first + operand].peer);
    Outside out = outside_share(move, operand, owner);
    out.move = number;
    out.issue_ps = move.issue_ps;
    ++move.pending;
    ++messages_;
    const Ps at = now + book_.path(out.path).put_ps;
    const std::uint32_t ticket = beyond_.take(out);
    beyond_[ticket].share.ticket = ticket;
    push(at, Kind::ask, ticket);
}

// The request of a load has come to the border.
void FlowCore::ask_border(std::uint32_t number)
{
    const Outside out = beyond_[number];
    border_->load(out.share, now_, now_ + out.issue_ps);
}

// To the time of one line without load: of a flight of one line the wire would count twice.
void FlowCore::shorten(FlowFlight& flight) const { flight.rest_ps -= std::min(flight.rest_ps, links_.line_ps(flight)); }

void FlowCore::carry(const Line& line, Ps from)
{
    Transfer transfer;
    transfer.flight = links_.put(line.path, line.sender, line.bytes, from);
    transfer.flight.messages = line.messages;
    transfer.flight.packets = line.packets;
    shorten(transfer.flight);
    transfer.flight.of_line = true;
    transfer.use = Use::line;
    transfer.target = line.token;
    push(transfer.flight.head_ps, Kind::enter, transfers_.take(transfer));
}

// The first link behind the border: when its wire takes the line, the line leaves the buffer in front of it.
void FlowCore::enter_line(std::uint32_t number)
{
    Transfer& transfer = transfers_[number];
    const bool more = links_.pass(transfer.flight);
    const Ps next = transfer.flight.head_ps;
    border_->left(transfer.target, more ? next - book_.stage(transfer.flight.stage).before_ps : next);
    if (more) return push(next, Kind::hop, number);
    arrived(number);
}

void FlowCore::answer(const Line& line, std::uint32_t request, bool data, Ps from)
{
    Transfer transfer;
    transfer.flight = data ? links_.answer(line.path, line.sender, request, line.bytes, from)
                           : links_.acknowledge(line.path, line.sender, request, line.bytes, from);
    transfer.flight.messages = line.messages;
    transfer.flight.packets = line.packets;
    transfer.flight.loaded = data;
    shorten(transfer.flight);
    transfer.flight.of_line = true;
    transfer.use = Use::answer;
    transfer.target = line.token;
    push(transfer.flight.head_ps, Kind::hop, transfers_.take(transfer));
}

bool FlowCore::reads_first(JobId id, const OutsideOperand& of) const
{
    const Thread& thread = threads_[jobs_[id]->thread(of.rank, of.thread)];
    const FlowOp& op = thread.program->ops[of.step];
    return is_cold(thread, op, thread.program->operands[op.first + of.operand]);
}

bool FlowCore::fetches_first(JobId id, const OutsideOperand& of) const
{
    const Job& job = *jobs_[id];
    if (job.what.shared_lines == nullptr) return false;
    const Thread& thread = threads_[job.thread(of.rank, of.thread)];
    const FlowOp& op = thread.program->ops[of.step];
    const std::uint32_t difference = thread.program->operands[op.first + op.sources + of.operand].peer;
    return job.what.shared_lines->fetches(of.rank, of.thread, of.step, job.program().grid.peer(of.rank, difference));
}

bool FlowCore::reads_memory_outside(JobId id, std::uint32_t owner, double bytes)
{
    return reads_memory(*jobs_[id], owner, bytes);
}

// Without devices memory serves what comes from outside at its rate; ranks of flow have its latency only (flow_requests.cpp). The latency of a
// line has its own time on its channel, so as many lines as there are channels go side by side.
FlowCore::Ps FlowCore::serve_outside(std::uint32_t owner, bool memory, Ps at)
{
    const Ps latency = memory ? ranks_.of(owner).cold_ps : 0;
    if (devices_) return latency + devices_->access(owner, static_cast<double>(line_bytes), memory, at).first;
    const double line_ps = ranks_.line_from_memory_ps(owner);
    if (!memory || line_ps <= 0) return latency;
    if (memory_free_.empty()) memory_free_.resize(ranks_.size());
    double& free = memory_free_[owner];
    const double side_by_side = (ranks_.channels_of_memory(owner) - 1) * line_ps;
    const double begin = std::max(free, static_cast<double>(at) - side_by_side);
    free = begin + line_ps;
    return latency + static_cast<Ps>(std::llround(std::max(0.0, begin - static_cast<double>(at))));
}

void FlowCore::arrive_outside(JobId id, std::uint32_t rank, std::uint32_t semaphore, Ps time)
{
    Job& job = *jobs_[id];
    arrive(job, job.semaphore(rank, 0, semaphore), time, now_);
}

void FlowCore::stored(std::uint32_t ticket, std::uint32_t back, std::uint32_t sender, std::uint32_t bytes)
{
    Transfer transfer;
    transfer.flight = links_.acknowledge(back, sender, beyond_[ticket].path, bytes, now_);
    shorten(transfer.flight);
    transfer.use = Use::acknowledge;
    transfer.thread = beyond_[ticket].thread;
    if (beyond_[ticket].held > 0) {  // of all of the part, whose last line is acknowledged
        transfer.flight.bytes = std::max(transfer.flight.bytes, 1.0);
        transfer.places = beyond_[ticket].held / transfer.flight.bytes;
    }
    beyond_.give(ticket);
    push(transfer.flight.head_ps, Kind::hop, transfers_.take(transfer));
}

void FlowCore::signalled(std::uint32_t ticket)
{
    const std::uint32_t index = beyond_[ticket].thread;
    Thread& thread = threads_[index];
    thread.acknowledged = std::max(thread.acknowledged, now_ + book_.path(beyond_[ticket].path).answer_ps);
    beyond_.give(ticket);
    if (--thread.outside > 0 || thread.next < thread.program->ops.size()) return;
    if (thread.in_flight == 0 && thread.loading == 0 && thread.unpublished == none) end_thread(index);
}

void FlowCore::loads(std::uint32_t ticket, std::uint32_t lines) { beyond_[ticket].lines = lines; }

void FlowCore::bring(std::uint32_t ticket, std::uint32_t back, std::uint32_t sender, std::uint32_t bytes)
{
    Transfer transfer;
    transfer.flight = links_.answer(back, sender, beyond_[ticket].path, bytes, now_);
    transfer.flight.messages = 0;
    transfer.flight.loaded = true;
    shorten(transfer.flight);
    transfer.flight.of_line = true;
    transfer.use = Use::brought;
    transfer.target = ticket;
    push(transfer.flight.head_ps, Kind::hop, transfers_.take(transfer));
}

void FlowCore::arrived_outside(const Transfer& transfer, Ps tail)
{
    const Ps head = transfer.flight.head_ps + transfer.flight.rest_ps;
    switch (transfer.use) {
    case Use::leaving: {
        // The time of a part's last line is that of its bytes without one.
        const Ps one = links_.line_ps(transfer.flight);
        const Ps last = std::max(transfer.flight.tail_ps - std::min(one, transfer.flight.tail_ps), transfer.earliest);
        return border_->store(beyond_[transfer.target].share, std::max(now_, head), std::max({now_, head, last}));
    }
    case Use::leaving_signal: return border_->signal(beyond_[transfer.target].signal, std::max(now_, tail));
    case Use::line: return border_->arrived(transfer.target, std::max(now_, tail));
    case Use::answer: return border_->answered(transfer.target, std::max(now_, tail));
    default: break;
    }
    // The last one decides when the thread goes on with what was loaded.
    Outside& out = beyond_[transfer.target];
    out.head = out.head == 0 ? head : std::min(out.head, head);
    out.tail = std::max(out.tail, tail);
    if (--out.lines > 0) return;
    Move& move = moves_[out.move];
    move.head = std::max(move.head, out.head);
    move.loaded = std::max(move.loaded, out.tail);
    const std::uint32_t number = out.move;
    beyond_.give(transfer.target);
    if (--move.pending == 0) push(std::max(now_, move.head), Kind::loaded, number);
}

}  // namespace weft
