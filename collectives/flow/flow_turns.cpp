// FlowCore: transfers pass the links of a stage, and wait there for their turns (links/input_turns.h).
//
// Where a stage is several groups of links, and others pass some of these beside other ones, the part of a transfer on each group
// waits for its turn by itself. The transfer goes on when all its parts have begun to pass.
#include <algorithm>
#include <utility>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

// For how long the buffer behind its last link holds a line of a store.
FlowCore::Ps FlowCore::held_behind(const Transfer& transfer)
{
    const bool last = transfer.flight.passed + 1 == transfer.flight.stages;
    if (!devices_ || transfer.use != Use::put || !last) return 0;
    return devices_->held_behind(book_.path(transfer.flight.path).to, now_);
}

// Where most ranks store to the same one first, the buffers of a switch fill with that, and what a sender has for others waits behind it at
// its first link. Elsewhere what waits at a switch is spread over its outputs. This tells of stores that wait behind the first link and hold
// room there; those that go on at once hold none, but come to the link in the same order (waits_its_turn).
bool FlowCore::fills_first_link(const Transfer& transfer)
{
    const FlowFlight& flight = transfer.flight;
    if (transfer.use != Use::put || flight.passed > 0 || flight.stages < 2 || border_ != nullptr) return false;
    if (!threads_[transfer.thread].job->crowded()) return false;
    const FlowStage& first = book_.stage(flight.stage);
    const FlowStage& next = book_.stage(flight.stage + 1);
    const auto one = [&](const FlowStage& stage) { return stage.count == 1 && !book_.group(stage.first).split; };
    return one(first) && one(next) && !book_.group(first.first).merges && book_.group(next.first).merges &&
        book_.room_behind(first.first) > 0;
}

// It begins to pass the next link. Credits take the way back.
void FlowCore::give_room_back(Transfer& transfer)
{
    const std::uint32_t group = std::exchange(transfer.room, none);
    const CostLink& link = book_.figures(book_.group(group));
    after(static_cast<Ps>(link.answer_round_ps / 2), [this, group, bytes = transfer.flight.bytes] {
        if (room_.release(group, bytes)) push(std::max(now_, book_.group(group).free_ps), Kind::turn, group);
    });
}

void FlowCore::pass_stage(std::uint32_t number, Ps waited_ps)
{
    Transfer& transfer = transfers_[number];
    if (transfer.room != none)
        give_room_back(transfer);
    else if (fills_first_link(transfer))
        room_.hold(transfer.room = book_.stage(transfer.flight.stage).first, transfer.flight.bytes);
    if (links_.pass(transfer.flight, held_behind(transfer), waited_ps))
        return push(transfer.flight.head_ps, Kind::hop, number);
    arrived(number);
}

// Cards in front of the links may begin with its messages later: the transfer comes again then.
bool FlowCore::starts_later(std::uint32_t number, const FlowStage& stage)
{
    FlowFlight& flight = transfers_[number].flight;
    if (!profile_.links.starts || flight.started) return false;
    flight.started = true;
    links_.for_groups(stage, [&](std::uint32_t group, double share) {
        flight.head_ps = std::max(flight.head_ps, links_.start_messages(group, share, flight, now_));
    });
    links_.end_starts();
    if (flight.head_ps <= now_) return false;
    push(flight.head_ps, Kind::hop, number);
    return true;
}

// Whether the transfer waits, for the card in front of its link or for its turn at a link that several senders share.
bool FlowCore::waits_its_turn(std::uint32_t number)
{
    FlowFlight& flight = transfers_[number].flight;
    if (flight.bytes <= 0 || flight.acknowledges || flight.of_line) return false;
    const FlowStage stage = book_.stage(flight.stage);
    if (stage.count != 1 || book_.group(stage.first).split) return waits_in_parts(number, stage);
    LinkGroup& group = book_.group(stage.first);
    const bool fills = fills_first_link(transfers_[number]);
    // A full or queued first link keeps every store of its rank, whatever link is next and whatever job it is of.
    const bool leaves = transfers_[number].use == Use::put && flight.passed == 0;
    const bool full = leaves && room_.holds(stage.first) && room_.full(stage.first, book_.room_behind(stage.first));
    if (!group.merges && !fills && !full && !(leaves && group.queued)) return false;
    if (starts_later(number, stage)) return true;
    if (!group.queued && group.free_ps <= now_ && !full) return false;
    queue(number, {stage.first, stage.share});
    return true;
}

void FlowCore::queue(std::uint32_t number, const GroupShare& part)
{
    LinkGroup& group = book_.group(part.group);
    if (!group.queued) push(std::max(now_, group.free_ps), Kind::turn, part.group);
    group.queued = true;
    const FlowFlight& flight = transfers_[number].flight;
    const double bytes = flight.bytes * part.share;
    turns_.add(flight.path, flight.passed, part, number, bytes);
    links_.waits(part.group, bytes);
}

// The same on several groups of links. Where all who pass them do so together, they keep their places in the order of their arrival.
bool FlowCore::waits_in_parts(std::uint32_t number, const FlowStage& stage)
{
    if (!links_.crossed(stage)) return false;
    if (starts_later(number, stage)) return true;
    begin_parts(number);
    for (std::uint32_t i = 0; i < stage.count; ++i)
        pass_or_queue(number, stage.count == 1 ? GroupShare{stage.first, stage.share} : book_.share(stage.first + i));
    end_part(number);
    return true;
}

// One part until all of them have been told where to wait.
void FlowCore::begin_parts(std::uint32_t number)
{
    if (parts_.size() <= number) parts_.resize(number + 1);
    parts_[number] = {1, transfers_[number].flight.head_ps};
}

void FlowCore::end_part(std::uint32_t number)
{
    if (--parts_[number].left > 0) return;
    if (transfers_[number].room != none) give_room_back(transfers_[number]);
    FlowFlight& flight = transfers_[number].flight;
    if (links_.go_on(flight, parts_[number].head_ps)) return push(flight.head_ps, Kind::hop, number);
    arrived(number);
}

// A part of the transfer comes to a group of its stage, which may have been split.
void FlowCore::pass_or_queue(std::uint32_t number, const GroupShare& of)
{
    links_.for_parts(of.group, of.share, [&](std::uint32_t number_of_group, double share) {
        ++parts_[number].left;
        const LinkGroup& group = book_.group(number_of_group);
        const bool turns = group.crossed && group.merges;
        if (turns && (group.queued || group.free_ps > now_)) return queue(number, {number_of_group, share});
        pass_part(number, {number_of_group, share});
    });
}

void FlowCore::pass_part(std::uint32_t number, const GroupShare& part)
{
    Transfer& transfer = transfers_[number];
    const Ps behind = held_behind(transfer);
    links_.pass_part(transfer.flight, part, now_, behind, now_ - transfer.flight.head_ps, parts_[number].head_ps);
    end_part(number);
}

// The links of a group may be free for what waits for them.
void FlowCore::take_turn(std::uint32_t group)
{
    // Signals and acknowledges may have taken the wire. Parts of a group have times of their own.
    if (!book_.group(group).split && book_.group(group).free_ps > now_)
        return push(book_.group(group).free_ps, Kind::turn, group);
    if (room_.full(group, book_.room_behind(group))) return room_.block(group);
    const InputTurns::Turn turn = turns_.next(group);
    const bool more = turns_.waits(group);
    book_.group(group).queued = more;
    FlowFlight& flight = transfers_[turn.transfer].flight;
    links_.waits(group, -flight.bytes * turn.share);
    pass_in_turn(turn.transfer, {group, turn.share});
    links_.pass_others(group, now_);
    if (more) push(std::max(now_, book_.group(group).free_ps), Kind::turn, group);
}

void FlowCore::pass_in_turn(std::uint32_t number, const GroupShare& part)
{
    FlowFlight& flight = transfers_[number].flight;
    const bool in_parts = number < parts_.size() && parts_[number].left > 0;
    const bool split = book_.group(part.group).split;
    if (in_parts && !split) return pass_part(number, part);
    if (in_parts || (split && links_.crossed(book_.stage(flight.stage)))) {
        // Its group was split while it waited.
        if (!in_parts) begin_parts(number);
        pass_or_queue(number, part);
        return end_part(number);
    }
    const Ps waited = now_ - flight.head_ps;
    flight.head_ps = now_;
    pass_stage(number, waited);
}

}  // namespace weft
