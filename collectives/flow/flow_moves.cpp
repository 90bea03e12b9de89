// FlowCore: moves, that is loads, stores and packets.
#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_in_switches.h"
#include "collectives/flow/flow_job.h"
#include "collectives/flow/flow_windows.h"

namespace weft {

std::uint32_t FlowCore::endpoint_at(const Thread& thread, std::uint32_t difference)
{
    return thread.job->what.members[thread.job->program().grid.peer(thread.rank, difference)];
}

ThreadPace FlowCore::pace_of(const Thread& thread) const
{
    return {*thread.cost, threads_at_once(thread), thread.job->what.threads_each};
}

bool FlowCore::is_lone(const Thread& thread) const
{
    const FlowJob& job = thread.job->what;
    return profile_.lone_threads && thread.program->lone && job.threads_each == 1 && job.mover == FlowMover::units;
}

FlowCore::Ps FlowCore::round_trip(std::uint32_t from, std::uint32_t to)
{
    const FlowPath& path = book_.path(book_.find(from, to));
    return path.put_ps + path.answer_ps;
}

// As move_load() of thread_pace.h, of an operation.
MoveLoad FlowCore::load_of(const Thread& thread, const FlowOp& op)
{
    const CostRank& self = *thread.cost;
    const std::uint32_t endpoint = thread.endpoint;
    const double bytes = bytes_of(thread, op);
    const bool packets = op.has(FlowOp::loads_packets) || op.has(FlowOp::stores_packets);
    const FlowTemplate& program = *thread.program;
    MoveLoad load;
    load.data = bytes;
    load.bytes = held_bytes(thread, op);
    const double packed = packets ? load.bytes : 0;
    load.round_ps = self.load_ps;
    for (std::uint32_t i = 0; i < op.own_sources; ++i) load.issued += bytes;
    load.load_ps = own_load_ps(thread, op);
    if (op.own_sources > 0) load.refill_ps = load.load_ps - self.load_ps + std::max(self.load_ps, self.refill_ps);
    load.stays = op.destinations == 0;
    load.own_byte_ps += op.own_sources * bytes * static_cast<double>(load.load_ps);
    const bool from_group = op.has(FlowOp::loads_group);
    const bool to_group = op.has(FlowOp::stores_group);
    for (std::uint32_t i = 0; i < op.sources; ++i) {
        const FlowOperand& source = program.operands[op.first + i];
        if (source.packets) {
            load.issued += packed;
            load.own_byte_ps += packed * static_cast<double>(self.load_ps);
            load.load_ps = std::max(load.load_ps, self.load_ps);
            continue;
        }
        const std::uint32_t peer = endpoint_at(thread, source.peer);
        const Ps cold = is_cold(thread, op, source) ? ranks_.of(peer).cold_ps : 0;
        load.load_ps = std::max(load.load_ps, cold + (peer == endpoint ? self.load_ps : round_trip(endpoint, peer)));
        if (from_group) continue;
        load.issued += bytes;
        ++load.gets;
    }
    if (from_group) {  // one operand, that the switch makes of all
        load.issued += bytes;
        load.gets = 1;
    }
    if (load.gets == 0 && !packets && is_lone(thread)) load.loads = op.own_sources * bytes;
    if (load.gets > 0) load.round_ps = std::max(load.round_ps, load.load_ps);
    load.remote = bytes * load.gets;
    for (std::uint32_t i = 0; i < op.own_destinations; ++i) load.issued += bytes;
    load.own_byte_ps += op.own_destinations * bytes * static_cast<double>(self.load_ps);
    for (std::uint32_t i = 0; i < op.destinations; ++i) {
        const FlowOperand& destination = program.operands[op.first + op.sources + i];
        const std::uint32_t peer = endpoint_at(thread, destination.peer);
        if (peer != endpoint) load.round_ps = std::max(load.round_ps, round_trip(endpoint, peer));
        if (to_group) continue;
        load.issued += destination.packets ? packed : bytes;
        load.remote += destination.packets ? packed : bytes;
    }
    if (to_group) {
        load.issued += bytes;
        load.remote += bytes;
    }
    if (profile_.reduction_passes > 0 && op.own_sources + op.sources > 1)
        load.load_ps += profile_.reduction_passes * links_.occupancy_ps(bytes, profile_.memory_ps_per_byte);
    return load;
}

// False: the thread goes on when a load before it in the run has come, whose registers it takes.
bool FlowCore::finds_registers(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    if (thread.rest == none) {
        if (op.has(FlowOp::loads_group) || op.has(FlowOp::stores_group)) return true;
        const MoveLoad load = load_of(thread, op);
        if (load.gets == 0 && !profile_.registers_in_order) return true;
        const ThreadPace pace = pace_of(thread);
        if (pace.fits(thread.sets, pieces_of(op, load, pace).sets)) return true;
    }
    thread.needs_set = true;
    blocked_for(index, FlowCause::registers);
    return false;
}

// A move that stores what it loads goes in pieces.
MovePieces FlowCore::pieces_of(const FlowOp& op, const MoveLoad& load, const ThreadPace& pace) const
{
    const bool passes_on = op.destinations > 0 || (profile_.links.requests && op.own_destinations > 0);
    return load.gets > 0 && passes_on ? pace.in_pieces(load) : pace.whole(load);
}

// A move whose cost the one before does not tell.
void FlowCore::move_anew(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    const bool packets = op.has(FlowOp::loads_packets) || op.has(FlowOp::stores_packets);
    MoveLoad load = load_of(thread, op);
    const Ps spread = devices_ ? share_load(index, op, load) : 0;
    const ThreadPace pace = pace_of(thread);
    // Wavefronts come to a copy at its own place as they come to packets: each when it is done with the step before.
    const bool own = op.sources + op.destinations == 0 && thread.job->program().has_packets;
    if (packets || own) {
        if (load.data > 0) move_packets(index, op, load, pace, spread);
        return;
    }
    if (logs()) log_->set_pace(index, {pace.issue_parts(load).busy_ps, pace.issue_parts(load).outstanding});
    if (load.gets == 0) {
        thread.shape = thread.job->what.shared_lines ? none : op.shape;  // or others of the shape may find their lines
        thread.load_ps = load.load_ps;
        const double remote = load.remote;
        thread.places = windows_->store_places(thread, op, load, pace);
        if (load.remote < remote) thread.shape = none;  // it fits, with those around it: another of the shape may not
        if (thread.places > 0) load.remote = load.own_byte_ps = 0;
        const MoveLoad one = load.divided_by(op.moves);
        const Ps before = (op.moves - 1) * pace.turn_ps(one);
        // Limits of what is in flight hold for all of them together.
        thread.issue_ps = std::max({spread, before + pace.issue_ps(one), pace.issue_ps(load)});
        thread.turn_ps = std::max(before + pace.turn_ps(one), pace.turn_ps(load));
        thread.path = op.destinations == 1 && !op.has(FlowOp::stores_group)
            ? book_.find(thread.endpoint, endpoint_at(thread, thread.program->operands[op.first + op.sources].peer))
            : none;
        find_lone_store(thread, op);
        // With kernels share_load() has what it waits for.
        if (!devices_ && own_data(thread, op) == OwnData::under_way) join_load(thread);
        return move_own(index, op);
    }
    if (profile_.registers_in_order && load.data <= 0) return;
    const MovePieces pieces = pieces_of(op, load, pace);
    Move record;
    record.op = thread.next;
    record.thread = index;
    record.bytes = load.data / pieces.count;
    record.part = 1.0 / pieces.count;
    record.sets = pieces.sets;
    record.most_parts = pieces.parts(profile_.most_parts);
    record.load_ps = load.load_ps;
    record.issue_ps = std::max(spread / pieces.count, pieces.issue_ps);
    Ps turn = std::max(spread / pieces.count, pieces.turn_ps);
    record.slots_ps = static_cast<Ps>(record.bytes * thread.cost->issue_ps_per_byte / thread.job->what.threads_each);
    record.more = pieces.count;
    record.singly = windows_->issues_singly(thread, op);
    if (record.singly) {
        record.places = load.in_flight() / load.remote;
        record.issue_ps = turn = std::max(spread, pace.slots_ps(load)) / pieces.count;
        record.least_parts = std::min(4U, windows_->least_parts(thread, record.bytes * record.places));
        windows_->of_thread(index).most =
            pieces.coarse ? pace.in_registers(load) * record.places : std::numeric_limits<double>::infinity();
    }
    if (logs()) record.record = log_->record_of(index);
    thread.loading += pieces.count;
    thread.rest = moves_.take(record);
    const std::uint32_t asked = ask_rest(index, thread.time);
    const bool group = op.has(FlowOp::loads_group) || op.has(FlowOp::stores_group);
    const Ps begin = threads_[index].time;
    threads_[index].time += group ? pace.turn_ps(load) : turn * asked;
    if (logs()) log_issue(index, begin);
}

FlowJob::StepBytes FlowCore::step_bytes(const Thread& thread, const FlowOp& op) const
{
    const auto step = static_cast<std::uint32_t>(&op - thread.program->ops.data());
    return thread.job->what.step_bytes(thread.rank, number_in_rank(thread), step);
}

double FlowCore::bytes_of(const Thread& thread, const FlowOp& op) const
{
    const Job& job = *thread.job;
    if (job.what.step_bytes) return static_cast<double>(step_bytes(thread, op).data);
    return job.chunk_bytes / op.parts * op.count;
}

// As registers hold them.
double FlowCore::held_bytes(const Thread& thread, const FlowOp& op) const
{
    const FlowJob& job = thread.job->what;
    if (!op.has(FlowOp::loads_packets) && !op.has(FlowOp::stores_packets)) return bytes_of(thread, op);
    if (job.step_bytes) return static_cast<double>(step_bytes(thread, op).packed);
    const double share = thread.job->chunk_bytes / op.parts;
    return static_cast<double>(op.count * packet_bytes(job.format, static_cast<std::uint64_t>(std::ceil(share))));
}

[[gnu::always_inline]] inline void FlowCore::store_alone(Thread& thread, const FlowOp& op)
{
    const LoneStore& store = lone_stores_[thread.lone];
    if (ties_.watched())
        note_tie(static_cast<std::uint32_t>(&thread - threads_.data()), book_.path(thread.path).first, true);
    if (op.own_destinations > 0) thread.settled = std::max(thread.settled, now_ + thread.cost->load_ps);
    const Ps begin = std::max(now_, book_.group(thread.lone_group).free_ps);
    const Ps tail = links_.pass_alone(store.pass, thread.lone_group, thread.endpoint, thread.path, now_);
    const Ps there = std::max(tail, now_ + store.put_ps);
    thread.settled = std::max(thread.settled, there + store.answer_ps);
    if (logs())
        log_->live(static_cast<std::uint32_t>(&thread - threads_.data()),
            {there - now_ - store.put_ps, store.put_ps + store.answer_ps, 0, 0}, false);
    links_.count(thread.lone_group, begin, begin + store.pass.occupancy_ps, store.pass.busy_ps, store.pass.bytes);
    ++messages_;
}

// A move from the own memory, whose cost is known.
void FlowCore::move_own(std::uint32_t index, const FlowOp& op)
{
    Thread& thread = threads_[index];
    const Ps from = thread.time + thread.load_ps;
    if (op.has(FlowOp::own_cold) && op.behind == 0) {
        thread.own_there = from;
        if (border_ != nullptr) reads_memory(*thread.job, thread.endpoint, bytes_of(thread, op) * op.own_sources);
    }
    if (thread.lone != none && from == now_ && book_.still_alone(thread.lone_group)) {
        store_alone(thread, op);
    } else {
        Move record;
        record.op = thread.next;
        record.thread = index;
        record.bytes = bytes_of(thread, op);
        record.load_ps = thread.load_ps;
        record.issue_ps = thread.issue_ps;
        record.late_ps = last_line_late(thread, op);
        record.gives_way = !together_.several_store(thread.endpoint);
        record.places = thread.places;
        record.singly = thread.places > 0;
        if (record.singly) record.least_parts = windows_->least_parts(thread, record.bytes * record.places);
        if (logs()) record.record = log_->record_of(index);
        store(record, from, from + record.issue_ps);
    }
    const Ps begin = thread.time;
    thread.time += op.has(FlowOp::goes_on) ? thread.turn_ps : thread.load_ps + thread.issue_ps;
    if (logs()) log_move(index, op, begin);
}

// A step is one message of each thread that stores (loads), whatever pieces it goes in.
void FlowCore::in_messages(FlowFlight& flight, const Thread& thread, double part)
{
    flight.messages = part * thread.job->what.threads_each;
    flight.message = flight.bytes / flight.messages;
}

// Whether stores of this shape go all at once over a link of their own. Then they meet nobody, and their ends are known at once.
void FlowCore::find_lone_store(Thread& thread, const FlowOp& op)
{
    thread.lone = none;
    if (thread.path == none || thread.issue_ps > 0 || thread.places > 0 || devices_) return;
    if (!book_.alone(thread.path)) return;
    if (thread.job->what.step_bytes || thread.job->what.shared_lines) return;
    FlowFlight flight = links_.put(thread.path, thread.endpoint, bytes_of(thread, op), now_);
    in_messages(flight, thread, 1);
    const FlowPath& path = book_.path(thread.path);
    LoneStore store;
    store.put_ps = path.put_ps;
    store.answer_ps = path.answer_ps;
    if (flight.bytes <= 0 || !links_.lone_pass(flight, now_, store.pass)) return;
    thread.lone_group = book_.stage(path.first).first;
    for (thread.lone = 0; thread.lone < lone_stores_.size(); ++thread.lone) {
        const LoneStore& known = lone_stores_[thread.lone];
        if (known.pass == store.pass && known.put_ps == store.put_ps && known.answer_ps == store.answer_ps) return;
    }
    constexpr std::size_t most_kept = 64;  // searched one after the other
    if (lone_stores_.size() >= most_kept) {
        thread.lone = none;
    } else {
        lone_stores_.push_back(store);
    }
}

std::uint32_t FlowCore::number_in_rank(const Thread& thread) const
{
    return static_cast<std::uint32_t>(&thread - threads_.data()) - thread.job->thread(thread.rank, 0);
}

// How much later the store is acknowledged by the rank there because lines that it stores parts of come from memory first.
std::uint32_t FlowCore::fetch_ps(const Move& move, std::uint32_t difference) const
{
    const Thread& thread = threads_[move.thread];
    const Job& job = *thread.job;
    if (job.what.shared_lines == nullptr) return 0;
    const std::uint32_t at = job.program().grid.peer(thread.rank, difference);
    const bool waits = job.what.shared_lines->fetches(thread.rank, number_in_rank(thread), move.op, at);
    return waits ? static_cast<std::uint32_t>(ranks_.of(job.what.members[at]).cold_ps) : 0;
}

// The first line leaves at `from`, the last one not before `ready`.
void FlowCore::store(const Move& move, Ps from, Ps ready)
{
    Thread& thread = threads_[move.thread];
    Job& job = *thread.job;
    const FlowTemplate& program = *thread.program;
    const FlowOp& op = program.ops[move.op];
    if (devices_) share_store(move, op, from, ready);
    ready = std::max(ready, read_by(move, op, from));
    if (op.own_destinations > 0)
        thread.settled = std::max(thread.settled, ready + thread.cost->load_ps + fetch_ps(move, 0));
    if (op.has(FlowOp::stores_group)) return in_switches_->store(move, from, ready);
    const std::uint32_t endpoint = thread.endpoint;
    if (job.what.step_bytes && move.bytes <= 0) return;
    if (op.has(FlowOp::packs_own)) pack_own(move, from, ready);
    for (std::uint32_t i = 0; i < op.destinations; ++i) {
        const FlowOperand& destination = program.operands[op.first + op.sources + i];
        if (border_ != nullptr && outside_[endpoint_at(thread, destination.peer)]) {
            store_outside(move, i, from, ready);
            continue;
        }
        const bool known = op.destinations == 1 && op.shape == thread.shape;
        const std::uint32_t path = known ? thread.path : book_.find(endpoint, endpoint_at(thread, destination.peer));
        Transfer transfer;
        transfer.flight = links_.put(path, endpoint, destination.packets ? move.packed : move.bytes, from);
        in_messages(transfer.flight, thread, move.part);
        transfer.thread = move.thread;
        transfer.began = from;
        transfer.earliest = ready + book_.path(path).put_ps;
        transfer.answer = book_.path(path).answer_ps;
        if (!destination.packets) transfer.fetch_ps = fetch_ps(move, destination.peer);
        if (move.singly) transfer.places = move.places;
        if (op.sources == 0)
            Windows::take_places_of_engine(transfer, move, book_.path(path).put_ps + book_.path(path).answer_ps);
        if (destination.packets) {
            transfer.target = share_of(job, thread.rank, destination, op);
            transfer.sent = log_sent(move.thread, from, book_.path(path).put_ps, move.record);
        }
        transfer.held = devices_ && !is_copy(thread, op);
        if (transfer.held) devices_->hold(move.thread, endpoint, transfer.flight.bytes, op.requests());
        thread.in_flight += launch_parts(transfer, ready - from, parts_of_store(move, transfer.flight, ready - from),
            move.late_ps, move.gives_way);
    }
}

// Asks for the pieces of its last move that find registers; how many.
std::uint32_t FlowCore::ask_rest(std::uint32_t index, Ps now)
{
    Thread& thread = threads_[index];
    if (thread.rest == none) return 0;
    Move piece = moves_[thread.rest];
    const ThreadPace pace = pace_of(thread);
    std::uint32_t asked = 0;
    for (; asked < piece.more && pace.fits(thread.sets, piece.sets); ++asked) thread.sets += piece.sets;
    // Wavefronts take turns: one operand of all pieces of a set, then the next operand; then the next set.
    const auto of_set = static_cast<std::uint32_t>(std::max(1.0, std::round(1 / std::max(piece.sets, 1e-6))));
    const Ps set_ps = of_set * piece.slots_ps * thread.program->ops[piece.op].sources;
    for (std::uint32_t i = 0; i < asked; ++i) {
        const std::uint32_t set = i / of_set;
        piece.stride_ps = std::min(of_set, asked - set * of_set) * piece.slots_ps;
        ask(piece, piece.singly ? now + set * set_ps + i % of_set * piece.slots_ps : now);
    }
    piece.more -= asked;
    moves_[thread.rest].more = piece.more;
    if (piece.more == 0) {
        moves_.give(thread.rest);
        thread.rest = none;
    }
    return asked;
}

// Its first lines have come, the last ones will have at move.loaded.
void FlowCore::loaded(std::uint32_t number)
{
    const std::uint32_t index = moves_[number].thread;
    if (!in_order(threads_[index])) return retire(number);
    moves_[number].here = true;
    while (threads_[index].oldest != none && moves_[threads_[index].oldest].here) {
        const std::uint32_t oldest = threads_[index].oldest;
        threads_[index].oldest = moves_[oldest].behind;
        moves_[oldest].loaded = std::max(moves_[oldest].loaded, threads_[index].loaded);
        retire(oldest);
    }
}

// Stores the data that the move has loaded, and frees its registers.
void FlowCore::retire(std::uint32_t number)
{
    const Move move = moves_[number];
    moves_.give(number);
    Thread& thread = threads_[move.thread];
    --thread.loading;
    thread.sets = thread.loading == 0 ? 0 : thread.sets - move.sets;
    if (logs()) log_loads(move.thread);
    thread.loaded = std::max(thread.loaded, move.loaded);
    store(move, now_, move.loaded);
    if (thread.in_flight == 0) thread.settled = std::max(thread.settled, move.loaded);
    ask_rest(move.thread, now_);
    if (thread.needs_set && thread.rest == none) {
        thread.needs_set = false;
        resume(move.thread, now_);
    }
    finish_blocked(move.thread);
}

}  // namespace weft
