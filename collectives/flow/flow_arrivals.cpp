// FlowCore: transfers that come to a stage of their path, and their ends.
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_in_switches.h"
#include "collectives/flow/flow_job.h"
#include "collectives/flow/flow_windows.h"

namespace weft {

void FlowCore::hop(std::uint32_t number)
{
    Transfer& transfer = transfers_[number];
    const bool at_once = transfer.use == Use::signal && profile_.signals_with_data;
    if (profile_.links.buffers && !at_once && buffers_.takes(transfer.flight)) {
        buffers_.enter(number, transfer.flight, now_);
        return after_buffers();
    }
    if (ties_.watched() && transfer.flight.bytes > 0)
        note_tie(transfer.thread, transfer.flight.stage, transfer.flight.passed == 0);
    if (at_once) return arrived(number);
    // Lines of a border book links line by line, and would keep those who wait from their turns.
    if (!profile_.links.turns || border_ != nullptr || !waits_its_turn(number)) pass_stage(number, 0);
}

// A transfer of a thread comes to a stage now, `first` that of its sender. Others of the thread at this stage come in the order in
// which it sent them.
void FlowCore::note_tie(std::uint32_t thread, std::uint32_t stage, bool first)
{
    constexpr std::uint64_t back = std::uint64_t{1} << 63;
    const std::uint64_t who = std::uint64_t{thread} << 32 | stage;
    const std::uint32_t group = book_.stage(stage).first;  // the only one: there are no equal paths
    const LinkGroup& links = book_.group(group);
    ties_.come(group, who, now_);
    if (profile_.links.turns && !first) ties_.wait(group, who, now_, std::max(now_, links.free_ps));
    const CostLink& link = book_.figures(links);
    if (link.back_ps_per_byte > 0 || (profile_.links.packets && link.answer_ps > 0))
        book_.for_reverse_of(group, [&](std::uint32_t reverse) { ties_.come(reverse, who | back, now_); });
}

// What buffers let go on, and when they are to be asked again.
void FlowCore::after_buffers()
{
    for (const FlowBuffers::Event& event : buffers_.events())
        push(event.time, event.piece ? Kind::piece : Kind::wire, event.index);
    buffers_.events().clear();
    for (std::size_t i = 0; i < buffers_.passed().size(); ++i) {
        const FlowBuffers::Passed passed = buffers_.passed()[i];
        transfers_[passed.transfer].flight = passed.flight;
        arrived(passed.transfer);
    }
    buffers_.passed().clear();
}

void FlowCore::arrived(std::uint32_t number)
{
    if (devices_ && comes_later(number)) return;
    // Read where it is: what follows may make transfers, and takes copies of what it needs.
    const Transfer& transfer = transfers_[number];
    transfers_.give(number);
    const Ps tail = std::max(transfer.flight.tail_ps, transfer.earliest) + (devices_ ? late_arrival(transfer) : 0);
    switch (transfer.use) {
    case Use::signal:
        return arrive(*jobs_[transfer.job], transfer.target, profile_.signals_with_data ? transfer.earliest : tail,
            now_, transfer.sent);
    case Use::direct: return push(std::max(now_, tail + transfer.answer), Kind::timer, transfer.target);
    case Use::get: {
        Move& move = moves_[transfer.target];
        move.head = std::max(move.head, transfer.flight.head_ps + transfer.flight.rest_ps);
        move.loaded = std::max(move.loaded, tail);
        if (logs()) log_loaded(transfer, tail);
        if (transfer.flight.asked)
            windows_->load_came(transfer, tail);
        else if (transfer.window > 0)
            windows_->answered(transfer, tail);
        if (--move.pending == 0) push(std::max(now_, move.head), Kind::loaded, transfer.target);
        return;
    }
    case Use::acknowledge: {
        const std::uint32_t index = transfer.thread;
        --threads_[index].in_flight;
        threads_[index].settled = std::max(threads_[index].settled, tail);
        if (transfer.places > 0) windows_->answered(transfer, tail);
        if (logs()) log_stored(transfer, tail, tail);
        if (transfer.held) let_go(transfer, tail);
        return finish_blocked(index);
    }
    case Use::request: return answer_request(Transfer(transfer));
    case Use::operand:
    case Use::to_switch:
    case Use::pushed:
    case Use::copy:
    case Use::lowered: return in_switches_->gathered(Transfer(transfer), tail);
    case Use::leaving:
    case Use::leaving_signal:
    case Use::brought:
    case Use::line:
    case Use::answer: return arrived_outside(Transfer(transfer), tail);
    case Use::put: break;
    }
    const std::uint32_t index = transfer.thread;
    Thread& thread = threads_[index];
    if (transfer.target != none) {
        Job::Share& share = thread.job->shares[transfer.target];
        share.here = true;
        share.head = transfer.flight.head_ps + transfer.flight.rest_ps;
        share.tail = tail;
        share.sent = transfer.sent;
        for (const std::uint32_t sleeper : share.sleepers) resume(sleeper, now_);
        share.sleepers.clear();
    }
    if (transfer.flight.buffered || (profile_.links.waits && transfer.earliest > 0))
        return acknowledge(Transfer(transfer), tail + transfer.fetch_ps);
    --thread.in_flight;
    thread.settled = std::max(thread.settled, tail + transfer.answer + transfer.fetch_ps);
    if (transfer.places > 0) windows_->answered(transfer, tail + transfer.answer);
    if (logs()) log_stored(transfer, transfer.flight.tail_ps, tail + transfer.answer + transfer.fetch_ps);
    if (transfer.held) let_go(transfer, tail + transfer.answer);
    finish_blocked(index);
}

// Sends the acknowledge of a transfer's last part. On its way back it waits for packets of data.
void FlowCore::acknowledge(const Transfer& of, Ps tail)
{
    const FlowPath there = book_.path(of.flight.path);
    Transfer transfer;
    transfer.flight =
        links_.acknowledge(book_.back(of.flight.path), there.to, of.flight.path, of.flight.bytes, std::max(now_, tail));
    transfer.use = Use::acknowledge;
    transfer.thread = of.thread;
    transfer.places = of.places;
    transfer.window = of.window;
    transfer.after_ps = of.after_ps;
    transfer.held = of.held;
    if (logs()) log_stored_at(of, tail, transfer);
    push(transfer.flight.head_ps, Kind::hop, transfers_.take(transfer));
}

}  // namespace weft
