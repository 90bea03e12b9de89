// What data steps do in an estimate: loads, stores, packets.
#include <algorithm>
#include <cmath>

#include "collectives/synthesis/estimate_player.h"

namespace weft {

namespace {

constexpr double least_part = 256;  // bytes

bool is_packets(const ChunkRef& ref) { return ref.buffer == Buffer::packets; }
bool stores_to_others(const Step& step, std::uint32_t rank)
{
    return std::any_of(step.destinations.begin(), step.destinations.end(),
        [rank](const ChunkRef& to) { return to.rank != rank; });
}
bool any_packets(const std::vector<ChunkRef>& operands)
{
    return std::any_of(operands.begin(), operands.end(), is_packets);
}

}  // namespace

// False: the thread goes on when the packets that it reads have begun to come.
bool EstimatePlayer::packets_have_come(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    for (const ChunkRef& source : step.sources) {
        if (!is_packets(source)) continue;
        PacketArrivals::Share& share = packets_.of(source, step);
        if (!share.here) {
            share.sleepers.push_back(index);
            return false;
        }
        thread.base = std::max(thread.base, share.depth);
    }
    const MoveLoad load = move_load(graph_, thread.rank, step, chunk_bytes_ / step.parts, options_.format);
    thread.time = std::max(thread.time, packets_found(thread, step, load, !step.with_previous).first);
    thread.depth = std::max(thread.depth, thread.base);
    return true;
}

// False: the thread has to wait for something, or the step has no price.
bool EstimatePlayer::may_move(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    if (!step.with_previous) {
        if (!has_loaded(thread)) return false;
        thread.time = std::max(thread.time, thread.loaded);
    }
    const bool stores_packets = any_packets(step.destinations);
    const bool fenced = options_.fenced && stores_packets;
    const bool meets = !step.with_previous && thread.open.meets(schedule_, step);
    if ((fenced && !step.with_previous) || meets) {
        if (!settle(thread)) return false;
        thread.open.fence();
        thread.open.barrier();
        if (thread.fenced != thread.next) thread.time += (fenced && meets ? 2 : 1) * rank_of(thread).fence_ps;
        thread.fenced = thread.next;
        thread.packets.hold_until(thread.time, thread.next);
    }
    if (any_packets(step.sources)) {
        if (!step.with_previous) thread.packets.hold_until(thread.time, thread.next);
        if (!packets_have_come(index, step)) return false;
    }
    if (thread.time > now_) {
        resume(index, thread.time);
        return false;
    }
    unpriced_ = in_switch(step.kind) && (stores_packets || any_packets(step.sources));
    return !unpriced_ && finds_registers(index, step);
}

// False: the thread goes on when a load before it in the run has come, whose registers it takes.
bool EstimatePlayer::finds_registers(std::uint32_t index, const Step& step)
{
    Thread& thread = threads_[index];
    if (thread.loading == 0) return true;
    if (thread.rest == 0) {
        if (in_switch(step.kind)) return true;
        const MoveLoad load = move_load(graph_, thread.rank, step, chunk_bytes_ / step.parts, options_.format);
        const ThreadPace pace = pace_of(thread);
        if (load.gets == 0 || pace.fits(thread.sets, pieces_of(thread, step, load).sets)) return true;
    }
    thread.needs_set = true;
    return false;
}

ThreadPace EstimatePlayer::pace_of(const Thread& thread) const
{
    return {rank_of(thread), schedule_.ranks[thread.rank].threads.size(), each_};
}

// That of its moves, without the limit that all of them share.
ThreadPace EstimatePlayer::own_pace_of(const Thread& thread) const
{
    return options_.places_by_move ? pace_of(thread) : pace_of(thread).without_places();
}

// Places of its unit for requests of a move from `now` on: `byte_ps` of them, each for `round_ps` at most.
RequestPlaces::Delay EstimatePlayer::take_places(Thread& thread, Ps now, double byte_ps, Ps round_ps) const
{
    if (options_.places_by_move) return {};
    return thread.places.take(now, byte_ps, round_ps, pace_of(thread).outstanding());
}

// A step that stores at others what it loads goes in pieces.
MovePieces EstimatePlayer::pieces_of(const Thread& thread, const Step& step, const MoveLoad& load) const
{
    const ThreadPace pace = own_pace_of(thread);
    return stores_to_others(step, thread.rank) ? pace.in_pieces(load) : pace.whole(load);
}

void EstimatePlayer::move(std::uint32_t index, const Step& step, bool run_goes_on)
{
    Thread& thread = threads_[index];
    const double share = chunk_bytes_ / step.parts;
    const MoveLoad load = move_load(graph_, thread.rank, step, share, options_.format);
    if (load.remote > 0) thread.depth = std::max(thread.depth, thread.base + 1);
    note_alpha(thread, step);
    thread.open.add(schedule_, step);
    // Wavefronts come to a copy at its own place as they come to packets: each when it is done with the step before.
    const bool own = load.gets == 0 && !in_switch(step.kind) && has_packets_ && !stores_to_others(step, thread.rank);
    if (own || any_packets(step.sources) || any_packets(step.destinations))
        return move_packets(index, step, load, pace_of(thread));

    const ThreadPace pace = own_pace_of(thread);
    Move record;
    record.step = &step;
    record.thread = index;
    record.load_ps = load.load_ps;
    record.messages = each_;
    if (load.gets == 0) {
        record.bytes = load.data;
        record.issue_ps = pace.issue_ps(load);
        const RequestPlaces::Delay places =
            take_places(thread, thread.time, load.load_byte_ps + load.store_byte_ps, load.round_ps);
        const Ps from = thread.time + load.load_ps;
        const Ps last = std::max(record.issue_ps, places.last);
        store(record, from + places.first, from + last);
        thread.time += run_goes_on ? std::max(pace.turn_ps(load), places.last) : load.load_ps + last;
        return;
    }
    const MovePieces pieces = pieces_of(thread, step, load);
    record.bytes = load.data / pieces.count;
    record.messages /= pieces.count;
    record.sets = pieces.sets;
    record.parts = pieces.parts(most_parts);
    record.issue_ps = pieces.issue_ps;
    record.load_byte_ps = load.load_byte_ps / pieces.count;
    record.store_byte_ps = load.store_byte_ps / pieces.count;
    record.round_ps = load.round_ps;
    thread.loading += pieces.count;
    thread.rest = pieces.count;
    thread.resting = record;
    const std::uint32_t asked = ask_rest(index, thread.time);
    if (unpriced_) return;
    thread.time += in_switch(step.kind) ? pace.turn_ps(load) : pieces.turn_ps * asked;
}

// Asks for the pieces of its last move that find registers; how many.
std::uint32_t EstimatePlayer::ask_rest(std::uint32_t index, Ps now)
{
    Thread& thread = threads_[index];
    const ThreadPace pace = pace_of(thread);
    std::uint32_t asked = 0;
    for (; thread.rest > 0 && pace.fits(thread.sets, thread.resting.sets) && !unpriced_; --thread.rest, ++asked) {
        thread.sets += thread.resting.sets;
        ask(thread.resting, now);
    }
    return asked;
}

// Asks peers or switches for what the move loads from them.
void EstimatePlayer::ask(const Move& move, Ps now)
{
    Thread& thread = threads_[move.thread];
    const RequestPlaces::Delay places = take_places(thread, now, move.load_byte_ps, move.round_ps);
    const std::uint32_t number = take(moves_, free_moves_, move);
    const Ps last = std::max(move.issue_ps, places.last);
    const Ps earliest = now + move.load_ps + last;
    if (loads_group(move.step->kind)) {
        moves_[number].pending = 1;
        return ask_members(number, now + places.first, earliest);
    }
    for (const ChunkRef& source : move.step->sources) {
        if (source.rank == thread.rank) continue;
        const CostPath& request = graph_.path(thread.rank, source.rank);
        Transfer transfer;
        transfer.flight = LinkClock::answer(graph_.answer(source.rank, thread.rank), source.rank, request, move.bytes,
            now + places.first + request.put_ps);
        transfer.flight.messages = move.messages;
        transfer.flight.message = move.bytes / move.messages;
        transfer.use = Use::get;
        transfer.thread = move.thread;
        transfer.target = number;
        transfer.earliest = earliest;
        moves_[number].pending += launch_parts(transfer, last - places.first, move.parts);
    }
}

// When it finds the first and the last of the packets that the step reads, all of which have come.
PacketSteps::Found EstimatePlayer::packets_found(const Thread& thread, const Step& step, const MoveLoad& load,
    bool new_run)
{
    PacketSteps::Found out;
    for (const ChunkRef& source : step.sources) {
        if (!is_packets(source)) continue;
        const PacketArrivals::Share& share = packets_.of(source, step);
        const PacketSteps::Found found = thread.packets.found(rank_of(thread).packets, load, pace_of(thread), new_run,
            load.bytes / each_, share.head_ps, share.tail_ps);
        out.first = std::max(out.first, found.first);
        out.last = std::max(out.last, found.last);
    }
    return out;
}

void EstimatePlayer::move_packets(std::uint32_t index, const Step& step, const MoveLoad& load, const ThreadPace& pace)
{
    Thread& thread = threads_[index];
    if (!step.with_previous) thread.packets.begin_run();
    const Ps last = packets_found(thread, step, load, false).last;
    const auto [from, ready] = thread.packets.add(load, pace, thread.time, last);
    Move record;
    record.step = &step;
    record.thread = index;
    record.bytes = load.data;
    record.messages = each_;
    record.packed = load.bytes;
    store(record, from, ready);
}

void EstimatePlayer::note_alpha(const Thread& thread, const Step& step)
{
    const auto note = [&](std::uint32_t from, std::uint32_t to, bool packets) {
        if (from == to) return;
        const Ps alpha = packets
            ? graph_.ranks[from].load_ps + graph_.path(from, to).put_ps + graph_.ranks[to].packets.mean_ps()
            : step_ps(graph_, from, to);
        alpha_ = std::max(alpha_, alpha);
    };
    for (const ChunkRef& source : step.sources) note(source.rank, thread.rank, false);
    for (const ChunkRef& destination : step.destinations) note(thread.rank, destination.rank, is_packets(destination));
}

// The first line leaves at `from`, the last one not before `ready`.
void EstimatePlayer::store(const Move& move, Ps from, Ps ready)
{
    Thread& thread = threads_[move.thread];
    if (stores_group(move.step->kind)) return store_group(move, from, ready);
    for (const ChunkRef& destination : move.step->destinations) {
        if (destination.rank == thread.rank) {
            thread.settled = std::max(thread.settled, ready + rank_of(thread).load_ps);
            continue;
        }
        const CostPath& path = graph_.path(thread.rank, destination.rank);
        Transfer transfer;
        transfer.flight = LinkClock::put(path, thread.rank, is_packets(destination) ? move.packed : move.bytes, from);
        transfer.flight.messages = move.messages;
        transfer.flight.message = transfer.flight.bytes / move.messages;
        transfer.thread = move.thread;
        transfer.earliest = ready + path.put_ps;
        transfer.answer = path.answer_ps;
        transfer.depth = thread.depth;
        if (is_packets(destination)) transfer.packets = &packets_.of(destination, *move.step);
        thread.in_flight += launch_parts(transfer, ready - from, move.parts);
    }
}

// Its first lines have come, the last ones will have at move.loaded.
void EstimatePlayer::loaded(std::uint32_t number)
{
    const Move move = moves_[number];
    free_moves_.push_back(number);
    Thread& thread = threads_[move.thread];
    --thread.loading;
    thread.sets = thread.loading == 0 ? 0 : thread.sets - move.sets;
    thread.loaded = std::max(thread.loaded, move.loaded);
    const RequestPlaces::Delay places = take_places(thread, now_, move.store_byte_ps, move.round_ps);
    store(move, now_ + places.first, std::max(move.loaded, now_ + places.last));
    if (thread.in_flight == 0) thread.settled = std::max(thread.settled, move.loaded);
    if (thread.rest > 0) ask_rest(move.thread, now_);
    if (thread.needs_set && thread.rest == 0) {
        thread.needs_set = false;
        resume(move.thread, now_);
    }
    finish_blocked(move.thread);
}

// In the order in which its lines are issued, the last `span` after the first; how many parts that makes.
std::uint32_t EstimatePlayer::launch_parts(Transfer transfer, Ps span, std::uint32_t most)
{
    const double bytes = transfer.flight.bytes;
    const double messages = transfer.flight.messages;
    std::uint32_t parts = 1;
    if (span > 0 && transfer.packets == nullptr)
        parts = std::clamp(static_cast<std::uint32_t>(std::min(bytes / least_part, 1e6)), 1U, most);
    const Ps first = transfer.flight.head_ps;
    const Ps earliest = transfer.earliest;
    transfer.flight.bytes = bytes / parts;
    transfer.flight.messages = messages / parts;
    for (std::uint32_t part = 0; part < parts; ++part) {
        transfer.flight.head_ps = first + span * part / parts;
        transfer.earliest = part + 1 == parts ? earliest : 0;
        launch(transfer);
    }
    return parts;
}

void EstimatePlayer::launch(const Transfer& transfer)
{
    push(transfer.flight.head_ps, Kind::hop, take(transfers_, free_transfers_, transfer));
}

void EstimatePlayer::hop(std::uint32_t number)
{
    if (clock_.pass(transfers_[number].flight)) return push(transfers_[number].flight.head_ps, Kind::hop, number);
    arrived(number);
}

void EstimatePlayer::arrived(std::uint32_t number)
{
    const Transfer transfer = transfers_[number];
    free_transfers_.push_back(number);
    const Ps tail = std::max(transfer.flight.tail_ps, transfer.earliest);
    last_ = std::max(last_, tail);
    switch (transfer.use) {
    case Use::signal: return arrive(transfer.target, transfer.to, tail, transfer.depth);
    case Use::get: {
        Move& move = moves_[transfer.target];
        move.head = std::max(move.head, transfer.flight.head_ps + transfer.flight.rest_ps);
        move.loaded = std::max(move.loaded, tail);
        if (--move.pending == 0) push(std::max(now_, move.head), Kind::loaded, transfer.target);
        return;
    }
    case Use::put: {
        if (transfer.packets != nullptr) packets_arrived(transfer, tail);
        Thread& thread = threads_[transfer.thread];
        --thread.in_flight;
        thread.settled = std::max(thread.settled, tail + transfer.answer);
        return finish_blocked(transfer.thread);
    }
    case Use::operand:
    case Use::to_switch:
    case Use::pushed:
    case Use::copy:
    case Use::lowered: return gathered(transfer, tail);
    }
}

void EstimatePlayer::packets_arrived(const Transfer& transfer, Ps tail)
{
    PacketArrivals::Share& share = *transfer.packets;
    share.here = true;
    share.head_ps = transfer.flight.head_ps + transfer.flight.rest_ps;
    share.tail_ps = tail;
    share.depth = transfer.depth;
    for (const std::uint32_t sleeper : share.sleepers) resume(sleeper, now_);
    share.sleepers.clear();
}

}  // namespace weft
