// FlowCore: places of requests in flight of units and engines, and who waits for one.
#include "collectives/flow/flow_windows.h"

#include <algorithm>
#include <cmath>

#include "base/line_size.h"

namespace weft {

namespace {

constexpr double short_parts = 8;         // so many in flight together, and more, are short
constexpr double least_in_flight = 1e-6;  // B, of sums

}  // namespace

RequestWindow& FlowCore::Windows::of_thread(std::uint32_t thread)
{
    if (of_threads_.size() < core_.threads_.size()) of_threads_.resize(core_.threads_.size());
    return of_threads_[thread];
}

void FlowCore::Windows::begin(std::uint32_t thread)
{
    if (thread < of_threads_.size()) of_threads_[thread].most = RequestWindow{}.most;
}

std::uint32_t FlowCore::Windows::add_engine(double most)
{
    of_engines_.emplace_back().most = most;
    return static_cast<std::uint32_t>(of_engines_.size());
}

// Whose places a transfer takes: its thread, or an engine that copies.
std::uint32_t FlowCore::Windows::number_of(const Transfer& transfer)
{
    return transfer.window > 0 ? of_engine(transfer.window) : transfer.thread;
}

RequestWindow& FlowCore::Windows::window(std::uint32_t number)
{
    const bool engine = (number & FlowTransfer::of_engine) != 0;
    return engine ? of_engines_[number & ~FlowTransfer::of_engine] : of_thread(number);
}

// A unit has only so many requests in flight. Further ones wait, in their order. A part that is long beside the limit takes the places
// that are free; each of its further lines has one when an answer comes, so that those beyond the limit come at the limit in each round
// trip. Of short ones it does not matter that they wait whole.
bool FlowCore::Windows::may_issue(Transfer& transfer)
{
    const Thread& thread = core_.threads_[transfer.thread];
    RequestWindow& window = this->window(number_of(transfer));
    window.collect(core_.now_);
    const double places = transfer.window > 0        ? window.most
        : thread.job->what.mover == FlowMover::units ? core_.pace_of(thread).outstanding()
                                                     : 0;
    const double most = places > 0 ? std::min(places, window.most) : 0;
    const double bytes = transfer.flight.bytes * transfer.places;
    const double beyond = most > 0 ? window.in_flight + bytes - most : 0;
    if (beyond > 0) {
        const bool line_by_line = places <= window.most && bytes * short_parts > most;
        if (window.in_flight >= (line_by_line ? most : least_in_flight)) return false;
        if (line_by_line) {
            // A request is at its first link now, a store at its unit, whose answer begins when the last line is there.
            const FlowPath& path = core_.book_.path(transfer.flight.path);
            const bool load = transfer.use == Use::request;
            const Ps round_ps = path.put_ps + path.answer_ps + (load ? transfer.answer : 0);
            const Ps first = load ? round_ps - core_.book_.stage(path.first).before_ps : path.put_ps;
            transfer.earliest = std::max(transfer.earliest,
                core_.now_ + first + static_cast<Ps>(static_cast<double>(round_ps) * beyond / most));
        }
    }
    window.in_flight += bytes;
    return true;
}

void FlowCore::Windows::issue(std::uint32_t number)
{
    const std::uint32_t thread = core_.transfers_[number].thread;
    const std::uint32_t from = number_of(core_.transfers_[number]);
    std::deque<std::uint32_t>& waiting = window(from).waiting;
    if (waiting.empty() && may_issue(core_.transfers_[number])) return core_.hop(number);
    if (core_.logs() && from == thread && waiting.empty()) core_.log_full(thread);
    waiting.push_back(number);
    await_places(from);
}

void FlowCore::Windows::issue_more(std::uint32_t from)
{
    window(from).armed = false;
    while (!window(from).waiting.empty()) {
        const std::uint32_t number = window(from).waiting.front();
        if (!may_issue(core_.transfers_[number])) break;
        window(from).waiting.pop_front();
        Transfer& transfer = core_.transfers_[number];
        transfer.began = core_.now_;
        if (transfer.takes_place()) transfer.flight.head_ps = core_.now_;
        if (core_.logs() && from == transfer.thread && window(from).waiting.empty()) core_.log_room(from);
        core_.hop(number);
    }
    if (window(from).waiting.empty()) {
        for (const std::uint32_t sleeper : window(from).sleepers) core_.resume(sleeper, core_.now_);
        window(from).sleepers.clear();
    }
    await_places(from);
}

bool FlowCore::Windows::waits(std::uint32_t index, std::uint32_t from)
{
    RequestWindow& of = window(from);
    if (of.waiting.empty()) return false;
    of.sleepers.push_back(index);
    core_.blocked_for(index, FlowCause::outstanding);
    return true;
}

void FlowCore::Windows::await_places(std::uint32_t from)
{
    RequestWindow& of = window(from);
    if (of.armed || of.waiting.empty() || of.returns.empty()) return;
    of.armed = true;
    core_.push(of.returns.front().time, Kind::issue_more, from);
}

void FlowCore::Windows::take_places_of_engine(Transfer& transfer, const Move& move, Ps way)
{
    if (move.window == 0) return;
    transfer.window = move.window;
    transfer.places = move.places;
    transfer.after_ps = static_cast<std::uint32_t>(move.held_ps - std::min(move.held_ps, way));
}

bool FlowCore::Windows::issues_singly(const Thread& thread, const FlowOp& op)
{
    if (thread.job->what.mover != FlowMover::units || op.sources == 0 || op.has(FlowOp::loads_group)) return false;
    const std::uint32_t owner = endpoint_at(thread, thread.program->operands[op.first].peer);
    if (core_.is_outside(owner)) return false;
    const std::uint32_t request = core_.book_.find(thread.endpoint, owner);
    return core_.asks_by_wire(request, core_.book_.back(request));
}

// Whether what a rank stores at others takes the first link of this path, or links alike.
bool FlowCore::Windows::leaves_by_one_link(const Thread& thread, std::uint32_t path) const
{
    const std::vector<std::uint32_t>& members = thread.job->what.members;
    const std::uint32_t to = core_.book_.path(path).to;
    const auto other = std::find_if(members.begin(), members.end(),
        [&](std::uint32_t member) { return member != to && member != thread.endpoint; });
    return other == members.end() || core_.book_.begins_as(path, *other);
}

// Lines that are stored for each that is loaded: where they come to lie across two lines, each instruction stores one more.
double FlowCore::Windows::lines_stored(const Thread& thread, const FlowOp& op, const ThreadPace& pace)
{
    const bool across = std::fmod(thread.job->chunk_bytes / op.parts, line_bytes) != 0;
    return across ? 1 + line_bytes / pace.instruction() : 1;
}

// Whether all that the thread stores from one fence to the next, this move among it, has places at once. A line holds one while it is
// loaded, then one for each store, so places for all stores are places for all. Signals are fences; waits and steps without work are none.
bool FlowCore::Windows::stores_fit(const Thread& thread, const FlowOp& op, const ThreadPace& pace) const
{
    const std::vector<FlowOp>& ops = thread.program->ops;
    const auto holds = [&](const FlowOp& each) {
        const auto places = std::max<double>(each.destinations, each.own_sources);
        return core_.held_bytes(thread, each) * places * lines_stored(thread, each, pace);
    };
    constexpr std::ptrdiff_t most =
        64;  // so many to each side are looked at: a run of more is taken for one that does not fit
    const auto fences = [](const FlowOp& each) {
        return each.kind != FlowKind::move && each.kind != FlowKind::wait && each.kind != FlowKind::nop;
    };
    double all = holds(op);
    const auto fits = [&](const FlowOp& each) {
        if (each.kind == FlowKind::move && each.destinations > 0) all += holds(each);
        return all <= pace.outstanding();
    };
    const FlowOp* begin = &op;
    for (; begin != ops.data() && !begin->has(FlowOp::needs_fence) && !fences(begin[-1]); --begin)
        if (&op - begin == most || !fits(begin[-1])) return false;
    const FlowOp* end = &op + 1;
    for (; end != ops.data() + ops.size() && !fences(*end) && !end->has(FlowOp::needs_fence); ++end)
        if (end - &op == most || !fits(*end)) return false;
    return all <= pace.outstanding();
}

// A byte takes places by itself if the requests of the thread to all peers can reach the limit. The limit holds for the move as a whole
// if the path passes ranks (buffers are the limit), or if a move is more than sixteen times the limit and does not go to one of several
// peers by a link of its own (its beginning counts for little).
double FlowCore::Windows::store_places(const Thread& thread, const FlowOp& op, MoveLoad& load, const ThreadPace& pace)
{
    constexpr double most = 16;
    if (!core_.profile_.links.buffers || thread.job->what.mover != FlowMover::units) return 0;
    if (op.destinations == 0 || op.has(FlowOp::stores_group) || pace.outstanding() <= 0 || load.remote <= 0) return 0;
    const FlowProgram& program = thread.job->program();
    const double all = load.in_flight() * lines_stored(thread, op, pace) * (program.ranks() - 1);
    if (all <= pace.outstanding()) return 0;
    const std::uint32_t peer = endpoint_at(thread, thread.program->operands[op.first + op.sources].peer);
    if (peer == thread.endpoint) return 0;
    const std::uint32_t path = core_.is_outside(peer) ? core_.border_->path_out(thread.endpoint, peer, false)
                                                      : core_.book_.find(thread.endpoint, peer);
    if (core_.buffers_.takes(core_.links_.put(path, thread.endpoint, 1, core_.now_))) return 0;
    if (load.gets == 0 && stores_fit(thread, op, pace)) {
        load.remote = load.own_byte_ps = 0;  // no limit at all
        return 0;
    }
    // All that the threads of a rank may have in flight, on this path. Below a round trip the limit binds, up to two the link does and is
    // seldom empty. A longer queue, where all that they store goes into it, holds each place for its own length, and requests to the own
    // memory take fewer of the places.
    const bool one_link = leaves_by_one_link(thread, path);
    const bool in_turn = op.destinations == 1 && !one_link;  // peers, each by its own link
    if (!in_turn && load.in_flight() / op.moves > most * pace.outstanding()) return 0;
    const double queue_ps = pace.outstanding() * core_.threads_at_once(thread) * core_.book_.ps_per_byte(path);
    const auto round_ps = static_cast<double>(load.round_ps);
    if (queue_ps < round_ps) return load.in_flight() / load.remote;
    // Stores that all leave by one link and fit within the limit pass it in the same order with the limit and without it. Where there are
    // several links, a move waits for the moves before it. Its loads hold places by lines, too; they are not counted here, a small error
    // where the queue or the move is long. A thread that stands for several channels would have all of them wait at one link; by lines
    // they do not.
    // Measured, not derived (docs/models/flow.md, Engines and units that wait for links).
    constexpr double long_queue = 8;  // round trips
    constexpr double long_move = 4;   // limits
    const double limits = load.remote / op.moves / pace.outstanding();
    const bool fits = limits <= 1;
    const bool is_long = limits / op.destinations >= long_move;
    const bool in_a_row = op.has(FlowOp::goes_on) || op.has(FlowOp::with_previous);
    // Where all threads go through the peers in one order, all that they have in flight is at one link, elsewhere a part of it.
    const bool together = in_a_row && thread.job->begins_alike(thread.rank);
    const double least_queue = one_link || is_long || together ? 2 : long_queue;
    if (queue_ps < least_queue * round_ps || (fits && (one_link || !in_a_row))) return 0;
    if (!one_link && thread.job->what.threads_each > 1) return 0;
    return (load.remote + load.own_byte_ps / queue_ps) / load.remote;
}

std::uint32_t FlowCore::Windows::least_parts(const Thread& thread, double bytes) const
{
    const double most = core_.pace_of(thread).outstanding();
    constexpr double most_parts = 128;
    return most > 0 ? static_cast<std::uint32_t>(std::ceil(std::min(most_parts, bytes * short_parts / most))) : 1;
}

void FlowCore::Windows::load_came(const Transfer& transfer, Ps tail)
{
    const FlowPath& back = core_.book_.path(transfer.flight.path);
    const FlowPath& path = core_.book_.path(core_.book_.find(back.to, back.from));
    // A request that follows is at the first link so much later.
    answered(transfer, tail + core_.book_.stage(path.first).before_ps);
}

void FlowCore::Windows::answered(const Transfer& transfer, Ps time)
{
    const std::uint32_t from = number_of(transfer);
    window(from).add({time + transfer.after_ps, transfer.flight.bytes * transfer.places});
    await_places(from);
}

}  // namespace weft
