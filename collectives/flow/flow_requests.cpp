// FlowCore: requests of loads. By LinkRules::requests they travel ahead of their data, on the wires and in the buffers of requests
// (flow_buffers.h).
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_in_switches.h"
#include "collectives/flow/flow_job.h"
#include "collectives/flow/flow_windows.h"

namespace weft {

// Asks peers for what the move loads from them.
void FlowCore::ask(const Move& move, Ps now)
{
    const Thread& thread = threads_[move.thread];
    const FlowTemplate& program = *thread.program;
    const FlowOp& op = program.ops[move.op];
    const std::uint32_t endpoint = thread.endpoint;
    const std::uint32_t number = moves_.take(move);
    if (in_order(thread)) {
        Thread& owner = threads_[move.thread];
        (owner.oldest == none ? owner.oldest : moves_[owner.newest].behind) = number;
        owner.newest = number;
    }
    if (op.has(FlowOp::loads_group)) return in_switches_->ask(number, now, now + move.load_ps + move.issue_ps);
    const bool nothing = thread.job->what.step_bytes && move.bytes <= 0;
    if ((profile_.links.requests || border_ != nullptr) && op.has(FlowOp::own_cold) && op.behind == 0)
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
        if (border_ != nullptr && is_cold(thread, op, program.operands[op.first + i]))
            reads_memory(*thread.job, owner, move.bytes);
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
        Windows::take_places_of_engine(transfer, move,
            ahead ? round_trip(endpoint, owner) : book_.path(request).answer_ps);
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
        Transfer& made = transfers_.open(number);
        made = whole;
        const Ps later = span * part / parts;
        made.began = from + later;
        made.flight.head_ps += later;
        made.earliest = part + 1 == parts ? answer.earliest : 0;
        push(made.flight.head_ps, Kind::issue, number);
    }
    return parts;
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
    push(at, Kind::hop, transfers_.take(data));
}

}  // namespace weft
