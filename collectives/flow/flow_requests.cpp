// FlowCore: requests of loads. By LinkRules::requests they travel ahead of their data, on the wires and in the buffers of requests
// (flow_buffers.h).
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

namespace {

constexpr double short_parts = 8;         // so many in flight together, and more, are short
constexpr double least_in_flight = 1e-6;  // B, of sums

}  // namespace

// Asks peers for what the move loads from them.
void FlowCore::ask(const Move& move, Ps now)
{
    const Thread& thread = threads_[move.thread];
    const FlowTemplate& program = *thread.program;
    const FlowOp& op = program.ops[move.op];
    const std::uint32_t endpoint = thread.endpoint;
    const std::uint32_t number = take(moves_, free_moves_, move);
    if (in_order(thread)) {
        Thread& owner = threads_[move.thread];
        (owner.oldest == none ? owner.oldest : moves_[owner.newest].behind) = number;
        owner.newest = number;
    }
    if (op.has(FlowOp::loads_group)) return ask_members(number, now, now + move.load_ps + move.issue_ps);
    const bool nothing = thread.job->what.step_bytes && move.bytes <= 0;
    if (profile_.links.requests && op.has(FlowOp::own_cold))
        reads_memory(*thread.job, endpoint, move.bytes * op.own_sources);
    for (std::uint32_t i = 0; i < op.sources && !nothing; ++i) {
        const std::uint32_t owner = endpoint_at(thread, program.operands[op.first + i].peer);
        if (is_outside(owner)) {
            ask_outside(number, i, now);
            continue;
        }
        const std::uint32_t request = book_.find(endpoint, owner);
        const std::uint32_t back = book_.back(request);
        const bool ahead = asks_by_wire(request, back);
        FlowDevices::Delay shared;
        // Memory has its latency here, not its rate.
        if (devices_ && !ahead) shared = devices_->access(owner, move.bytes, false, now);
        Transfer transfer;
        transfer.flight =
            links_.answer(back, owner, request, move.bytes, now + shared.first + book_.path(request).put_ps);
        in_messages(transfer.flight, thread, move.part);
        transfer.use = Use::get;
        transfer.flight.loaded = true;
        transfer.thread = move.thread;
        transfer.target = number;
        Ps load = move.load_ps;
        transfer.answer = load - std::min(load, round_trip(endpoint, owner));
        if (ahead) {
            transfer.answer = is_cold(thread, op, program.operands[op.first + i]) ? ranks_.of(owner).cold_ps : 0;
            load = std::max(own_load_ps(thread, op), round_trip(endpoint, owner));
        }
        transfer.earliest = now + load + move.issue_ps + shared.last;
        transfer.began = now;
        transfer.places = move.places;
        take_places_of_engine(transfer, move, ahead ? round_trip(endpoint, owner) : book_.path(request).answer_ps);
        moves_[number].pending += ahead
            ? send_requests(transfer, request, now + move.stride_ps * i, move.slots_ps,
                  parts_of(move, move.bytes, std::max<Ps>(1, move.slots_ps)))
            : launch_parts(transfer, move.issue_ps, parts_of(move, move.bytes, move.issue_ps));
    }
    if (moves_[number].pending == 0) push(now, Kind::loaded, number);
}

// Input that several ranks load comes from memory once: the first loads are cold, until they have all bytes that the owner has; later
// ones find it in the cache.
bool FlowCore::reads_memory(Job& job, std::uint32_t owner, double bytes)
{
    if (job.unread.empty())
        job.unread.assign(*std::max_element(job.what.members.begin(), job.what.members.end()) + 1, job.input_bytes());
    if (job.all_read(owner)) return false;
    job.unread[owner] -= bytes;
    return true;
}

// Whether requests on this path, and the data that come back, wait in buffers.
bool FlowCore::asks_by_wire(std::uint32_t path, std::uint32_t back)
{
    if (!profile_.links.requests) return false;
    FlowFlight request = links_.put(path, 0, 1, now_);
    request.asks = true;
    FlowFlight data = links_.put(back, 0, 1, now_);
    data.asked = true;
    return buffers_.takes(request) && buffers_.takes(data);
}

// Asks by `path` for what `answer` brings, the first line at `from`, the last one `span` later. How many parts are under way then.
std::uint32_t FlowCore::send_requests(const Transfer& answer, std::uint32_t path, Ps from, Ps span, std::uint32_t parts)
{
    const double bytes = answer.flight.bytes;
    Transfer whole = answer;
    whole.flight = links_.put(path, threads_[answer.thread].endpoint, bytes / parts, from);
    whole.flight.asks = true;
    whole.flight.message = answer.flight.message;
    whole.flight.messages = answer.flight.messages / parts;
    whole.use = Use::request;
    ++messages_;
    for (std::uint32_t part = 0; part < parts; ++part) {
        std::uint32_t number = 0;
        Transfer& made = new_transfer(number);
        made = whole;
        const Ps later = span * part / parts;
        made.began = from + later;
        made.flight.head_ps += later;
        made.earliest = part + 1 == parts ? answer.earliest : 0;
        push(made.flight.head_ps, Kind::issue, number);
    }
    return parts;
}

LoadWindow& FlowCore::load_window(std::uint32_t thread)
{
    if (load_windows_.size() < threads_.size()) load_windows_.resize(threads_.size());
    return load_windows_[thread];
}

// Whose places a transfer takes: its thread, or an engine that copies.
std::uint32_t FlowCore::window_of(const Transfer& transfer)
{
    return transfer.window > 0 ? FlowTransfer::of_engine | (transfer.window - 1) : transfer.thread;
}

LoadWindow& FlowCore::window(std::uint32_t number)
{
    const bool engine = (number & FlowTransfer::of_engine) != 0;
    return engine ? engine_windows_[number & ~FlowTransfer::of_engine] : load_window(number);
}

// A unit has only so many requests in flight. Further ones wait, in their order. A part that is long beside the limit takes the places
// that are free; each of its further lines has one when an answer comes, so that those beyond the limit come at the limit in each round
// trip. Of short ones it does not matter that they wait whole.
bool FlowCore::may_issue(Transfer& transfer)
{
    const Thread& thread = threads_[transfer.thread];
    LoadWindow& window = this->window(window_of(transfer));
    window.collect(now_);
    const double places = transfer.window > 0        ? window.most
        : thread.job->what.mover == FlowMover::units ? pace_of(thread).outstanding()
                                                     : 0;
    const double most = places > 0 ? std::min(places, window.most) : 0;
    const double bytes = transfer.flight.bytes * transfer.places;
    const double beyond = most > 0 ? window.in_flight + bytes - most : 0;
    if (beyond > 0) {
        const bool line_by_line = places <= window.most && bytes * short_parts > most;
        if (window.in_flight >= (line_by_line ? most : least_in_flight)) return false;
        if (line_by_line) {
            // A request is at its first link now, a store at its unit, whose answer begins when the last line is there.
            const FlowPath& path = book_.path(transfer.flight.path);
            const bool load = transfer.use == Use::request;
            const Ps round_ps = path.put_ps + path.answer_ps + (load ? transfer.answer : 0);
            const Ps first = load ? round_ps - book_.stage(path.first).before_ps : path.put_ps;
            transfer.earliest = std::max(transfer.earliest,
                now_ + first + static_cast<Ps>(static_cast<double>(round_ps) * beyond / most));
        }
    }
    window.in_flight += bytes;
    return true;
}

void FlowCore::issue(std::uint32_t number)
{
    const std::uint32_t thread = transfers_[number].thread;
    const std::uint32_t from = window_of(transfers_[number]);
    std::deque<std::uint32_t>& waiting = window(from).waiting;
    if (waiting.empty() && may_issue(transfers_[number])) return hop(number);
    if (logs() && from == thread && waiting.empty()) log_full(thread);
    waiting.push_back(number);
    await_places(from);
}

void FlowCore::issue_more(std::uint32_t from)
{
    window(from).armed = false;
    while (!window(from).waiting.empty()) {
        const std::uint32_t number = window(from).waiting.front();
        if (!may_issue(transfers_[number])) break;
        window(from).waiting.pop_front();
        Transfer& transfer = transfers_[number];
        transfer.began = now_;
        if (transfer.takes_place()) transfer.flight.head_ps = now_;
        if (logs() && from == transfer.thread && window(from).waiting.empty()) log_room(from);
        hop(number);
    }
    if (window(from).waiting.empty()) {
        for (const std::uint32_t sleeper : window(from).sleepers) resume(sleeper, now_);
        window(from).sleepers.clear();
    }
    await_places(from);
}

// Whether requests wait for places there: then the thread goes on when all of them have some.
bool FlowCore::waits_for_places(std::uint32_t index, std::uint32_t from)
{
    LoadWindow& of = window(from);
    if (of.waiting.empty()) return false;
    of.sleepers.push_back(index);
    blocked_for(index, FlowCause::outstanding);
    return true;
}

void FlowCore::await_places(std::uint32_t from)
{
    LoadWindow& of = window(from);
    if (of.armed || of.waiting.empty() || of.returns.empty()) return;
    of.armed = true;
    push(of.returns.front().time, Kind::issue_more, from);
}

// A copy's requests take places of its engine. The transfer takes `way` of the time for which each is held.
void FlowCore::take_places_of_engine(Transfer& transfer, const Move& move, Ps way) const
{
    if (move.window == 0) return;
    transfer.window = move.window;
    transfer.places = move.places;
    transfer.after_ps = static_cast<std::uint32_t>(move.held_ps - std::min(move.held_ps, way));
}

// The limit of requests in flight holds for those of this move one by one.
bool FlowCore::issues_singly(const Thread& thread, const FlowOp& op)
{
    if (thread.job->what.mover != FlowMover::units || op.sources == 0 || op.has(FlowOp::loads_group)) return false;
    const std::uint32_t owner = endpoint_at(thread, thread.program->operands[op.first].peer);
    if (is_outside(owner)) return false;
    const std::uint32_t request = book_.find(thread.endpoint, owner);
    return asks_by_wire(request, book_.back(request));
}

// Whether what a rank stores at others takes the first link of this path, or links alike.
bool FlowCore::leaves_by_one_link(const Thread& thread, std::uint32_t path) const
{
    const std::vector<std::uint32_t>& members = thread.job->what.members;
    const std::uint32_t to = book_.path(path).to;
    const auto other = std::find_if(members.begin(), members.end(),
        [&](std::uint32_t member) { return member != to && member != thread.endpoint; });
    return other == members.end() || book_.begins_as(path, *other);
}

// The same for stores from the own memory, if the requests of the thread to all peers can reach the limit: how many places of its unit
// a byte takes; 0: the limit holds for the move as a whole. So it is if the path passes ranks (buffers are the limit), or if a move is more
// than sixteen times the limit and does not go to one of several peers by a link of its own (its beginning counts for little).
double FlowCore::store_places(const Thread& thread, const FlowOp& op, const MoveLoad& load, const ThreadPace& pace)
{
    constexpr double most = 16;
    if (!profile_.links.buffers || thread.job->what.mover != FlowMover::units) return 0;
    if (op.destinations == 0 || op.has(FlowOp::stores_group) || pace.outstanding() <= 0 || load.remote <= 0) return 0;
    const FlowProgram& program = thread.job->program();
    const double all = load.in_flight() * (program.ranks() - 1);
    if (all <= pace.outstanding()) return 0;
    const std::uint32_t peer = endpoint_at(thread, thread.program->operands[op.first + op.sources].peer);
    if (peer == thread.endpoint) return 0;
    const std::uint32_t path =
        is_outside(peer) ? border_->path_out(thread.endpoint, peer, false) : book_.find(thread.endpoint, peer);
    if (buffers_.takes(links_.put(path, thread.endpoint, 1, now_))) return 0;
    // All that the threads of a rank may have in flight, on this path. Below a round trip the limit binds, up to two the link does and is
    // seldom empty. A longer queue, where all that they store goes into it, holds each place for its own length, and requests to the own
    // memory take fewer of the places.
    const bool one_link = leaves_by_one_link(thread, path);
    const bool in_turn = op.destinations == 1 && !one_link;  // peers, each by its own link
    if (!in_turn && load.in_flight() / op.moves > most * pace.outstanding()) return 0;
    const double queue_ps = pace.outstanding() * threads_at_once(thread) * book_.ps_per_byte(path);
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

std::uint32_t FlowCore::least_parts(const Thread& thread, double bytes) const
{
    const double most = pace_of(thread).outstanding();
    constexpr double most_parts = 128;
    return most > 0 ? static_cast<std::uint32_t>(std::ceil(std::min(most_parts, bytes * short_parts / most))) : 1;
}

// Data of a load will be at their unit at `tail`.
void FlowCore::load_came(const Transfer& transfer, Ps tail)
{
    const FlowPath& back = book_.path(transfer.flight.path);
    const FlowPath& path = book_.path(book_.find(back.to, back.from));
    // A request that follows is at the first link so much later.
    answered(transfer, tail + book_.stage(path.first).before_ps);
}

// A request has its answer at `time`, and gives its place back.
void FlowCore::answered(const Transfer& transfer, Ps time)
{
    const std::uint32_t from = window_of(transfer);
    window(from).add({time + transfer.after_ps, transfer.flight.bytes * transfer.places});
    await_places(from);
}

// Requests have come to their owner: their data set out.
void FlowCore::answer_request(const Transfer& asked)
{
    const FlowPath there = book_.path(asked.flight.path);
    FlowDevices::Delay shared;
    if (devices_) shared = devices_->access(there.to, asked.flight.bytes, false, now_);
    Transfer data = asked;
    if (data.answer > 0 && !reads_memory(*threads_[asked.thread].job, there.to, asked.flight.bytes)) data.answer = 0;
    const Ps at = std::max(now_, asked.flight.head_ps + asked.flight.rest_ps) + shared.first + data.answer;
    data.flight = links_.answer(book_.back(asked.flight.path), there.to, asked.flight.path, asked.flight.bytes, at);
    data.flight.message = asked.flight.message;
    data.flight.messages = asked.flight.messages;
    data.flight.loaded = data.flight.asked = true;
    data.use = Use::get;
    data.earliest = std::max(asked.earliest, asked.flight.tail_ps + data.answer + there.answer_ps) + shared.last;
    push(at, Kind::hop, take(transfers_, free_transfers_, data));
}

}  // namespace weft
