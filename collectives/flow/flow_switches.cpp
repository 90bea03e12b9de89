// FlowCore: what switches combine and copy for groups of ranks, by the rules of switch_routes.h.
#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/flow_in_switches.h"

namespace weft {

void FlowCore::InSwitches::require(const std::string& algorithm)
{
    if (switches_ == nullptr && find_) switches_ = find_();
    if (switches_ == nullptr)
        throw InputError(algorithm, 0,
            "this algorithm has steps in switches, but no switch of this run combines or copies for its ranks",
            "switches with multicast groups, an algorithm of loads and stores, or --fidelity line");
}

// Of the sources (the destinations), in their order.
std::vector<std::uint32_t> FlowCore::InSwitches::endpoints_of(const Thread& thread, const FlowOp& op, bool loads) const
{
    std::vector<std::uint32_t> out;
    const std::uint32_t first = op.first + (loads ? 0 : op.sources);
    for (std::uint32_t i = 0; i < (loads ? op.sources : op.destinations); ++i)
        out.push_back(endpoint_at(thread, thread.program->operands[first + i].peer));
    return out;
}

const SwitchGroupRoutes& FlowCore::InSwitches::routes(const Thread& thread, std::vector<std::uint32_t> members,
    bool in_order)
{
    if (!in_order) std::sort(members.begin(), members.end());
    const SwitchGroupRoutes* found = switches_->of(members, thread.endpoint);
    if (found == nullptr)
        throw InputError(thread.job->what.name, 0,
            fmt::format(
                "no switch that all {} members of a group are attached to can serve it, nor do planes of two tiers: "
                "a leaf of each plane for every rank, and switches above all of these leaves",
                members.size()),
            "ranks behind the same switches or under planes of two tiers, or an algorithm of loads and stores");
    return *found;
}

const FlowGroupPaths& FlowCore::InSwitches::paths_of(const SwitchRoute& route)
{
    const auto [entry, fresh] = group_paths_.try_emplace(&route);
    if (fresh)
        entry->second = {core_.book_.add(route.store), core_.book_.add(route.push), core_.book_.add(route.operand),
            core_.book_.add(route.result), core_.book_.add(route.copy)};
    return entry->second;
}

void FlowCore::InSwitches::launch_group(const Transfer& transfer)
{
    core_.push(transfer.flight.head_ps, Kind::hop, core_.transfers_.take(transfer));
}

// The routes of each plane of a group, with its share of the lines.
template <class Visit>
void FlowCore::InSwitches::for_planes(const SwitchGroupRoutes& found, const Visit& visit)
{
    if (found.planes.empty()) return visit(found, 0U);
    for (std::uint32_t plane = 0; plane < found.planes.size(); ++plane) visit(found.planes[plane], plane);
}

void FlowCore::InSwitches::ask(std::uint32_t number, Ps now, Ps earliest)
{
    const Thread& thread = core_.threads_[core_.moves_[number].thread];
    const std::vector<std::uint32_t> members = endpoints_of(thread, thread.program->ops[core_.moves_[number].op], true);
    core_.moves_[number].pending = 0;
    for_planes(routes(thread, members, true), [&](const SwitchGroupRoutes& found, std::uint32_t) {
        ++core_.moves_[number].pending;
        ask_by(found, members, number, now, earliest);
    });
}

void FlowCore::InSwitches::ask_by(const SwitchGroupRoutes& found, const std::vector<std::uint32_t>& members,
    std::uint32_t number, Ps now, Ps earliest)
{
    const Move& move = core_.moves_[number];
    const Thread& thread = core_.threads_[move.thread];
    const FlowOp& op = thread.program->ops[move.op];
    bool cold = false;
    for (std::uint32_t i = 0; i < op.sources; ++i)
        cold = cold || core_.is_cold(thread, op, thread.program->operands[op.first + i]);
    FlowGathering gathering;
    gathering.routes = &found;
    gathering.threads = {move.thread};
    gathering.destinations = members;
    gathering.move = number;
    gathering.pending = found.parts(members.size());
    gathering.bytes = move.bytes * found.share;
    gathering.earliest = earliest;
    const Ps asked = now + found.of.at(core_.threads_[move.thread].endpoint).asked_ps;
    for (const std::uint32_t member : members) paths_of(found.of.at(member));
    const std::uint32_t at = gatherings_.take(std::move(gathering));
    for (const std::uint32_t member : members) {
        Transfer transfer;
        transfer.flight =
            core_.links_.of_group(paths_of(found.of.at(member)).operand, member, move.bytes * found.share, asked, 0);
        transfer.flight.cold = cold;
        transfer.use = Use::operand;
        transfer.target = part_of(at, found.of.at(member).leaf);
        launch_group(transfer);
    }
}

// Where the contribution of a member of this leaf goes: the gathering itself, or the part of it that the leaf has.
std::uint32_t FlowCore::InSwitches::part_of(std::uint32_t number, std::uint32_t leaf)
{
    if (leaf == SwitchRoute::no_leaf) return number;
    for (const auto& [of, part] : gatherings_[number].leaves)
        if (of == leaf) return part;
    FlowGathering made;
    made.routes = gatherings_[number].routes;
    made.destinations = gatherings_[number].destinations;
    made.bytes = gatherings_[number].bytes;
    made.pushed = gatherings_[number].pushed;
    made.above = number;
    made.leaf = leaf;
    made.pending = made.routes->leaves[leaf].members;
    const std::uint32_t part = gatherings_.take(std::move(made));
    gatherings_[number].leaves.emplace_back(leaf, part);
    return part;
}

const FlowLeafPaths& FlowCore::InSwitches::paths_of(const SwitchLeaf& leaf)
{
    const auto [entry, fresh] = leaf_paths_.try_emplace(&leaf);
    if (fresh)
        entry->second = {core_.book_.add(leaf.raised), core_.book_.add(leaf.brought, false),
            core_.book_.add(leaf.lowered), core_.book_.add(leaf.stored, false)};
    return entry->second;
}

void FlowCore::InSwitches::store(const Move& move, Ps from, Ps ready)
{
    const Thread& thread = core_.threads_[move.thread];
    const FlowOp& op = thread.program->ops[move.op];
    const std::vector<std::uint32_t> members = endpoints_of(thread, op, false);
    for_planes(routes(thread, members, op.has(FlowOp::pushes)),
        [&](const SwitchGroupRoutes& found, std::uint32_t plane) {
            store_by(found, plane, members, move, from, ready);
        });
}

void FlowCore::InSwitches::store_by(const SwitchGroupRoutes& found, std::uint32_t plane,
    const std::vector<std::uint32_t>& members, const Move& move, Ps from, Ps ready)
{
    Thread& thread = core_.threads_[move.thread];
    const FlowOp& op = thread.program->ops[move.op];
    const bool pushes = op.has(FlowOp::pushes);
    std::uint32_t at = 0;
    if (pushes) {
        at = push_gathering(op, members, move.thread, plane);
    } else {
        FlowGathering gathering;
        gathering.threads = {move.thread};
        gathering.pending = 1;
        at = gatherings_.take(std::move(gathering));
    }
    FlowGathering& gathering = gatherings_[at];
    gathering.routes = &found;
    gathering.destinations = members;
    gathering.bytes = move.bytes * found.share;
    gathering.pushed = pushes;
    if (pushes && gathering.threads.size() == 1) gathering.pending = found.parts(members.size());
    const SwitchRoute& route = found.of.at(thread.endpoint);
    const FlowGroupPaths& paths = paths_of(route);
    Transfer transfer;
    transfer.flight =
        core_.links_.of_group(pushes ? paths.push : paths.store, thread.endpoint, gathering.bytes, from, 0);
    transfer.flight.pushed = pushes;
    transfer.flight.turn_ps =
        core_.book_.path(paths.push).head_ps + core_.book_.path(paths.copy).head_ps + route.copy_ps;
    transfer.use = pushes ? Use::pushed : Use::to_switch;
    transfer.target = pushes ? part_of(at, route.leaf) : at;
    transfer.earliest = transfer.flight.tail_ps = ready + core_.book_.path(transfer.flight.path).head_ps;
    ++thread.in_flight;
    launch_group(transfer);
}

// What a contribution goes with: the oldest push of the same chunks that its rank has no part in yet.
std::uint32_t FlowCore::InSwitches::push_gathering(const FlowOp& op, const std::vector<std::uint32_t>& members,
    std::uint32_t index, std::uint32_t plane)
{
    const Thread& thread = core_.threads_[index];
    std::vector<std::uint64_t> key{thread.job->id, thread.program->operands[op.first + op.sources].slot, op.count,
        op.part, op.parts, plane};
    key.insert(key.end(), members.begin(), members.end());
    std::vector<std::uint32_t>& open = pushes_[key];
    for (std::size_t i = 0; i < open.size(); ++i) {
        FlowGathering& gathering = gatherings_[open[i]];
        const bool has_part = std::any_of(gathering.threads.begin(), gathering.threads.end(),
            [&](std::uint32_t other) { return core_.threads_[other].rank == thread.rank; });
        if (has_part) continue;
        const std::uint32_t found = open[i];
        gathering.threads.push_back(index);
        if (gathering.threads.size() == members.size()) open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        return found;
    }
    FlowGathering gathering;
    gathering.threads = {index};
    gathering.pending = static_cast<std::uint32_t>(members.size());
    const std::uint32_t made = gatherings_.take(std::move(gathering));
    if (members.size() > 1) open.push_back(made);
    return made;
}

// One of the parts of what a switch does has come to an end; behind the last one what follows begins.
void FlowCore::InSwitches::gathered(const Transfer& transfer, Ps tail)
{
    FlowGathering& gathering = gatherings_[transfer.target];
    gathering.head = std::max(gathering.head, transfer.flight.head_ps);
    gathering.tail = std::max(gathering.tail, tail);
    if (--gathering.pending > 0) return;
    if (gathering.above != none) return pass_tier(transfer.target, transfer.use);
    ++core_.messages_;
    if (transfer.use == Use::operand) {
        const Thread& reader = core_.threads_[gathering.threads.front()];
        const SwitchRoute& route = gathering.routes->of.at(reader.endpoint);
        Transfer result;
        result.flight = core_.links_.of_group(paths_of(route).result, reader.endpoint, gathering.bytes, gathering.head,
            route.result_ps);
        const Ps rest = core_.book_.path(result.flight.path).head_ps + route.result_ps;
        result.flight.tail_ps = gathering.tail + rest;
        result.use = Use::get;
        result.thread = gathering.threads.front();
        result.target = gathering.move;
        result.earliest = std::max(gathering.earliest, result.flight.tail_ps);
        gatherings_.give(transfer.target);
        return launch_group(result);
    }
    if (transfer.use != Use::copy) return send_copies(transfer.target);
    const std::vector<std::uint32_t> threads = std::move(gathering.threads);
    const SwitchGroupRoutes& routes = *gathering.routes;
    const Ps stored = gathering.tail;
    gathering.threads.clear();
    gatherings_.give(transfer.target);
    for (const std::uint32_t index : threads) {
        Thread& thread = core_.threads_[index];
        --thread.in_flight;
        thread.settled = std::max(thread.settled, stored + routes.of.at(thread.endpoint).answer_ps);
        core_.finish_blocked(index);
    }
}

// A leaf has all that it waits for: the contributions of its members, what comes from above, or what is stored at its members.
void FlowCore::InSwitches::pass_tier(std::uint32_t number, Use use)
{
    if (use == Use::lowered) return copy_to_members(number);
    const FlowGathering& part = gatherings_[number];
    gatherings_.give(number);
    Transfer transfer;
    transfer.use = use;
    transfer.target = part.above;
    if (use == Use::copy) {
        transfer.flight.head_ps = part.head;
        return gathered(transfer, part.tail);
    }
    const FlowLeafPaths& paths = paths_of(part.routes->leaves[part.leaf]);
    const std::uint32_t path = use == Use::pushed ? paths.raised : paths.brought;
    transfer.flight = core_.links_.of_group(path, part.destinations.front(), part.bytes, part.head, 0);
    transfer.flight.pushed = use == Use::pushed;
    transfer.flight.turn_ps = core_.book_.path(path).head_ps + core_.book_.path(paths.lowered).head_ps;
    transfer.earliest = transfer.flight.tail_ps = part.tail + core_.book_.path(path).head_ps;
    launch_group(transfer);
}

// Stores what a leaf has at its members.
void FlowCore::InSwitches::copy_to_members(std::uint32_t number)
{
    FlowGathering& part = gatherings_[number];
    part.pending = part.routes->leaves[part.leaf].members;
    for (const std::uint32_t member : part.destinations) {
        const SwitchRoute& route = part.routes->of.at(member);
        if (route.leaf != part.leaf) continue;
        Transfer transfer;
        transfer.flight = core_.links_.of_group(paths_of(route).copy, member, part.bytes, part.head, route.copy_ps);
        transfer.flight.copied = part.pushed;
        transfer.use = Use::copy;
        transfer.target = number;
        transfer.earliest = part.tail + core_.book_.path(transfer.flight.path).head_ps + route.copy_ps;
        launch_group(transfer);
    }
}

// Sends what the switches above have to all leaves.
void FlowCore::InSwitches::send_down(std::uint32_t number)
{
    const SwitchGroupRoutes& routes = *gatherings_[number].routes;
    gatherings_[number].leaves.clear();
    gatherings_[number].pending = static_cast<std::uint32_t>(routes.leaves.size());
    for (std::uint32_t leaf = 0; leaf < routes.leaves.size(); ++leaf) {
        const std::uint32_t part = part_of(number, leaf);
        gatherings_[part].pending = 1;
        const FlowGathering& whole = gatherings_[number];
        Transfer transfer;
        const FlowLeafPaths& paths = paths_of(routes.leaves[leaf]);
        transfer.flight = core_.links_.of_group(whole.pushed ? paths.lowered : paths.stored, whole.destinations.front(),
            whole.bytes, whole.head, 0);
        transfer.flight.tail_ps = whole.tail;
        transfer.flight.copied = whole.pushed;
        transfer.use = Use::lowered;
        transfer.target = part;
        transfer.earliest = whole.tail;
        launch_group(transfer);
    }
}

// Stores what a switch has at all members.
void FlowCore::InSwitches::send_copies(std::uint32_t number)
{
    FlowGathering& gathering = gatherings_[number];
    if (!gathering.routes->leaves.empty()) return send_down(number);
    const std::uint32_t sender = core_.threads_[gathering.threads.front()].endpoint;
    gathering.pending = static_cast<std::uint32_t>(gathering.destinations.size());
    for (const std::uint32_t member : gathering.destinations) {
        const SwitchRoute& route = gathering.routes->of.at(member);
        Transfer transfer;
        transfer.flight =
            core_.links_.of_group(paths_of(route).copy, sender, gathering.bytes, gathering.head, route.copy_ps);
        transfer.flight.copied = gathering.pushed;
        transfer.use = Use::copy;
        transfer.target = number;
        transfer.earliest = gathering.tail + core_.book_.path(transfer.flight.path).head_ps + route.copy_ps;
        launch_group(transfer);
    }
}

}  // namespace weft
