// What switches carry out in an estimate.
#include <algorithm>

#include "collectives/synthesis/estimate_player.h"

namespace weft {

namespace {

// From the sender (the switch) to its last stage.
std::uint64_t way_ps(const CostPath& path)
{
    std::uint64_t sum = 0;
    for (const PathStage& stage : path.stages) sum += stage.before_ps;
    return sum;
}

}  // namespace

// Null, and no price, where no switch serves the ranks of these operands.
const SwitchGroupRoutes* EstimatePlayer::routes(const Thread& thread, const std::vector<ChunkRef>& operands,
    bool in_order)
{
    std::vector<std::uint32_t> members;
    for (const ChunkRef& operand : operands) members.push_back(operand.rank);
    if (!in_order) std::sort(members.begin(), members.end());
    const SwitchGroupRoutes* found = switch_routes_.of(members, thread.rank);
    unpriced_ = unpriced_ || found == nullptr;
    return found;
}

void EstimatePlayer::ask_members(std::uint32_t number, Ps now, Ps earliest)
{
    const Move& move = moves_[number];
    const SwitchGroupRoutes* found = routes(threads_[move.thread], move.step->sources, true);
    if (found == nullptr) return;
    Gathering gathering;
    gathering.step = move.step;
    gathering.routes = found;
    gathering.threads = {move.thread};
    gathering.move = number;
    gathering.pending = found->parts(move.step->sources.size());
    gathering.bytes = move.bytes;
    gathering.earliest = earliest;
    const bool cold = std::any_of(move.step->sources.begin(), move.step->sources.end(),
        [](const ChunkRef& source) { return source.buffer == Buffer::input; });
    const std::uint32_t at = take(gatherings_, free_gatherings_, gathering);
    const Ps asked = now + found->of.at(threads_[move.thread].rank).asked_ps;
    for (const ChunkRef& source : move.step->sources) {
        Transfer transfer;
        transfer.flight =
            LinkClock::of_group(found->of.at(source.rank).operand, source.rank, gathering.bytes, asked, 0);
        transfer.flight.cold = cold;
        transfer.use = Use::operand;
        transfer.target = part_of(at, found->of.at(source.rank).leaf);
        launch(transfer);
    }
}

// Where the contribution of a member of this leaf goes: the gathering itself, or the part of it that the leaf has.
std::uint32_t EstimatePlayer::part_of(std::uint32_t number, std::uint32_t leaf)
{
    if (leaf == SwitchRoute::no_leaf) return number;
    for (const auto& [of, part] : gatherings_[number].leaves)
        if (of == leaf) return part;
    Gathering made;
    made.step = gatherings_[number].step;
    made.routes = gatherings_[number].routes;
    made.bytes = gatherings_[number].bytes;
    made.above = number;
    made.leaf = leaf;
    made.pending = made.routes->leaves[leaf].members;
    const std::uint32_t part = take(gatherings_, free_gatherings_, made);
    gatherings_[number].leaves.emplace_back(leaf, part);
    return part;
}

void EstimatePlayer::store_group(const Move& move, Ps from, Ps ready)
{
    Thread& thread = threads_[move.thread];
    const bool pushes = move.step->kind == StepKind::push_reduce;
    const SwitchGroupRoutes* found = routes(thread, move.step->destinations, pushes);
    if (found == nullptr) return;
    std::uint32_t at = 0;
    if (pushes) {
        at = push_gathering(*move.step, move.thread);
    } else {
        Gathering gathering;
        gathering.threads = {move.thread};
        gathering.pending = 1;
        at = take(gatherings_, free_gatherings_, gathering);
    }
    Gathering& gathering = gatherings_[at];
    gathering.step = move.step;
    gathering.routes = found;
    gathering.bytes = move.bytes;
    if (pushes && gathering.threads.size() == 1) gathering.pending = found->parts(move.step->destinations.size());
    const SwitchRoute& route = found->of.at(thread.rank);
    Transfer transfer;
    transfer.flight = LinkClock::of_group(pushes ? route.push : route.store, thread.rank, move.bytes, from, 0);
    transfer.flight.pushed = pushes;
    transfer.use = pushes ? Use::pushed : Use::to_switch;
    transfer.target = pushes ? part_of(at, route.leaf) : at;
    transfer.earliest = transfer.flight.tail_ps = ready + way_ps(pushes ? route.push : route.store);
    if (pushes) push_way_ps_ = std::max(push_way_ps_, way_ps(route.push) + route.copy_ps + route.answer_ps);
    ++thread.in_flight;
    launch(transfer);
}

// What a contribution goes with: the oldest push of the same chunks that its rank has no part in yet.
std::uint32_t EstimatePlayer::push_gathering(const Step& step, std::uint32_t index)
{
    const ChunkRef& first = step.destinations.front();
    std::vector<std::uint64_t> key{static_cast<std::uint64_t>(first.buffer), first.index, first.count, step.part,
        step.parts};
    for (const ChunkRef& member : step.destinations) key.push_back(member.rank);
    std::vector<std::uint32_t>& open = pushes_[key];
    const std::uint32_t rank = threads_[index].rank;
    for (std::size_t i = 0; i < open.size(); ++i) {
        Gathering& gathering = gatherings_[open[i]];
        const bool has_part = std::any_of(gathering.threads.begin(), gathering.threads.end(),
            [&](std::uint32_t thread) { return threads_[thread].rank == rank; });
        if (has_part) continue;
        const std::uint32_t found = open[i];
        gathering.threads.push_back(index);
        if (gathering.threads.size() == step.destinations.size())
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        return found;
    }
    Gathering gathering;
    gathering.threads = {index};
    gathering.pending = static_cast<std::uint32_t>(step.destinations.size());
    const std::uint32_t made = take(gatherings_, free_gatherings_, gathering);
    if (step.destinations.size() > 1) open.push_back(made);
    return made;
}

// One of the parts of what a switch does has come to an end; behind the last one what follows begins.
void EstimatePlayer::gathered(const Transfer& transfer, Ps tail)
{
    Gathering& gathering = gatherings_[transfer.target];
    gathering.head = std::max(gathering.head, transfer.flight.head_ps);
    gathering.tail = std::max(gathering.tail, tail);
    if (--gathering.pending > 0) return;
    if (gathering.above != SwitchRoute::no_leaf) return pass_tier(transfer.target, transfer.use);
    if (transfer.use == Use::operand) {
        const Thread& reader = threads_[gathering.threads.front()];
        const SwitchRoute& route = gathering.routes->of.at(reader.rank);
        Transfer result;
        result.flight =
            LinkClock::of_group(route.result, reader.rank, gathering.bytes, gathering.head, route.result_ps);
        result.flight.tail_ps = gathering.tail + way_ps(route.result) + route.result_ps;
        result.use = Use::get;
        result.thread = gathering.threads.front();
        result.target = gathering.move;
        result.earliest = std::max(gathering.earliest, result.flight.tail_ps);
        free_gatherings_.push_back(transfer.target);
        return launch(result);
    }
    if (transfer.use != Use::copy) return send_copies(transfer.target);
    const std::vector<std::uint32_t> threads = std::move(gathering.threads);
    const SwitchGroupRoutes* routes = gathering.routes;
    const Ps stored = gathering.tail;
    gathering.threads.clear();
    free_gatherings_.push_back(transfer.target);
    for (const std::uint32_t index : threads) {
        Thread& thread = threads_[index];
        --thread.in_flight;
        thread.settled = std::max(thread.settled, stored + routes->of.at(thread.rank).answer_ps);
        finish_blocked(index);
    }
}

// A leaf has all that it waits for: the contributions of its members, what comes from above, or what is stored at its members.
void EstimatePlayer::pass_tier(std::uint32_t number, Use use)
{
    const Gathering part = gatherings_[number];
    const SwitchLeaf& leaf = part.routes->leaves[part.leaf];
    if (use == Use::lowered) return copy_to_members(number);
    free_gatherings_.push_back(number);
    Transfer transfer;
    transfer.use = use;
    transfer.target = part.above;
    if (use == Use::copy) {
        transfer.flight.head_ps = part.head;
        return gathered(transfer, part.tail);
    }
    const CostPath& path = use == Use::pushed ? leaf.raised : leaf.brought;
    transfer.flight = LinkClock::of_group(path, 0, part.bytes, part.head, 0);
    transfer.flight.pushed = use == Use::pushed;
    transfer.earliest = transfer.flight.tail_ps = part.tail + way_ps(path);
    launch(transfer);
}

// Stores what a leaf has at its members.
void EstimatePlayer::copy_to_members(std::uint32_t number)
{
    const Gathering part = gatherings_[number];
    gatherings_[number].pending = part.routes->leaves[part.leaf].members;
    for (const ChunkRef& member : part.step->destinations) {
        const SwitchRoute& route = part.routes->of.at(member.rank);
        if (route.leaf != part.leaf) continue;
        Transfer transfer;
        transfer.flight = LinkClock::of_group(route.copy, 0, part.bytes, part.head, route.copy_ps);
        transfer.use = Use::copy;
        transfer.target = number;
        transfer.earliest = part.tail + way_ps(route.copy) + route.copy_ps;
        launch(transfer);
    }
}

// Stores what a switch has at all members.
void EstimatePlayer::send_copies(std::uint32_t number)
{
    Gathering& gathering = gatherings_[number];
    const std::uint32_t sender = threads_[gathering.threads.front()].rank;
    const Ps head = gathering.head;
    const Ps tail = gathering.tail;
    if (!gathering.routes->leaves.empty()) return send_down(number);
    gathering.pending = static_cast<std::uint32_t>(gathering.step->destinations.size());
    for (const ChunkRef& member : gathering.step->destinations) {
        const SwitchRoute& route = gathering.routes->of.at(member.rank);
        Transfer transfer;
        transfer.flight = LinkClock::of_group(route.copy, sender, gathering.bytes, head, route.copy_ps);
        transfer.use = Use::copy;
        transfer.target = number;
        transfer.earliest = tail + way_ps(route.copy) + route.copy_ps;
        launch(transfer);
    }
}

// Sends what the switches above have to all leaves.
void EstimatePlayer::send_down(std::uint32_t number)
{
    const SwitchGroupRoutes* routes = gatherings_[number].routes;
    const bool pushed = gatherings_[number].step->kind == StepKind::push_reduce;
    gatherings_[number].leaves.clear();
    gatherings_[number].pending = static_cast<std::uint32_t>(routes->leaves.size());
    for (std::uint32_t leaf = 0; leaf < routes->leaves.size(); ++leaf) {
        const std::uint32_t part = part_of(number, leaf);
        gatherings_[part].pending = 1;
        Transfer transfer;
        const SwitchLeaf& below = routes->leaves[leaf];
        transfer.flight = LinkClock::of_group(pushed ? below.lowered : below.stored, 0, gatherings_[number].bytes,
            gatherings_[number].head, 0);
        transfer.flight.tail_ps = gatherings_[number].tail;
        transfer.use = Use::lowered;
        transfer.target = part;
        transfer.earliest = gatherings_[number].tail;
        launch(transfer);
    }
}

}  // namespace weft
