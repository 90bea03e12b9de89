#include "collectives/flow/links/input_turns.h"

#include <algorithm>

namespace weft {

// One that stands for the links of a stage.
std::uint32_t InputTurns::link_of(const FlowStage& stage) const
{
    return book_.first_link(stage.count == 1 ? stage.first : book_.share(stage.first).group);
}

double InputTurns::room_behind(const FlowStage& stage) const
{
    double out = 0;
    for (std::uint32_t i = 0; i < stage.count; ++i) {
        const std::uint32_t group = stage.count == 1 ? stage.first : book_.share(stage.first + i).group;
        out += book_.room_behind(group);
    }
    return out;
}

std::uint32_t InputTurns::branch(std::uint32_t node, std::uint32_t from)
{
    for (const std::uint32_t known : nodes_[node].branches)
        if (nodes_[known].from == from) return known;
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_.back().from = from;
    nodes_.back().parent = node;
    nodes_.back().packet = nodes_[node].packet;
    nodes_[node].branches.push_back(number);
    return number;
}

std::uint32_t InputTurns::sender_of(const FlowPath& path, std::uint32_t at, std::uint32_t group)
{
    const std::uint32_t stage = path.first + at;
    if (book_.stage(stage).count == 1 && book_.stage(stage).first == group) {
        if (senders_.size() <= stage) senders_.resize(stage + 1, none);
        if (senders_[stage] == none) senders_[stage] = new_sender(path, at, group);
        return senders_[stage];
    }
    const std::uint64_t part = std::uint64_t{stage} << 32 | group;
    std::uint32_t node = senders_of_parts_.find(part);
    if (node == FlatMap::none) senders_of_parts_.insert(part, node = new_sender(path, at, group));
    return node;
}

std::uint32_t InputTurns::new_sender(const FlowPath& path, std::uint32_t at, std::uint32_t group)
{
    if (roots_.size() <= group) roots_.resize(group + 1, none);
    if (queued_.size() <= group) queued_.resize(group + 1);
    if (roots_[group] == none) {
        roots_[group] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
        const CostLink& link = book_.figures(book_.group(group));
        nodes_.back().packet = link.ps_per_byte > 0 ? book_.size(group) * link.packet_time_ps / link.ps_per_byte : 0;
    }
    std::uint32_t node = roots_[group];
    for (std::uint32_t before = at; before-- > 0;) {
        const FlowStage& stage = book_.stage(path, before);
        node = branch(node, link_of(stage));
        nodes_[node].capacity = room_behind(stage);
    }
    // This is the first link of the path: a switch sends its own transfers over it.
    if (at == 0) node = branch(node, none);
    return node;
}

// The branch with something to send that has been given least.
std::uint32_t InputTurns::choose(std::uint32_t node) const
{
    const Node& of = nodes_[node];
    if (of.last_branch != none) {
        const std::uint32_t next = nodes_[of.last_branch].first;
        if (next != none && waiting_[next].path == of.last_path && of.filled + waiting_[next].bytes <= of.packet)
            return of.last_branch;
    }
    std::uint32_t chosen = none;
    for (const std::uint32_t branch : nodes_[node].branches)
        if (nodes_[branch].first != none && (chosen == none || nodes_[branch].given < nodes_[chosen].given))
            chosen = branch;
    return chosen;
}

void InputTurns::serve(std::uint32_t branch, double bytes, std::uint32_t path)
{
    Node& parent = nodes_[nodes_[branch].parent];
    const bool same =
        parent.last_branch == branch && parent.last_path == path && parent.filled + bytes <= parent.packet;
    parent.filled = same ? parent.filled + bytes : bytes;
    parent.last_branch = branch;
    parent.last_path = path;
    parent.turn = std::max(parent.turn, nodes_[branch].given);
    nodes_[branch].given = parent.turn + bytes;
}

void InputTurns::append(std::uint32_t node, std::uint32_t transfer)
{
    Node& to = nodes_[node];
    // A branch that had nothing to send does not get its turns later.
    if (to.first == none) to.given = std::max(to.given, nodes_[to.parent].turn);
    (to.first == none ? to.first : waiting_[to.last].next) = transfer;
    to.last = transfer;
    to.held += waiting_[transfer].bytes;
    waiting_[transfer].next = none;
}

// The first transfer of a node, whose place is filled from its branches.
std::uint32_t InputTurns::take(std::uint32_t node)
{
    Node& of = nodes_[node];
    const std::uint32_t out = of.first;
    const double bytes = waiting_[out].bytes;
    of.first = waiting_[out].next;
    of.held = of.first == none ? 0 : of.held - bytes;
    serve(node, bytes, waiting_[out].path);
    fill(node);
    return out;
}

void InputTurns::fill(std::uint32_t node)
{
    for (std::uint32_t from = choose(node); from != none; from = choose(node)) {
        const Node& to = nodes_[node];
        if (to.first != none && to.held + waiting_[nodes_[from].first].bytes > to.capacity) return;
        append(node, take(from));
    }
}

void InputTurns::add(std::uint32_t number, std::uint32_t at, const GroupShare& group, std::uint32_t transfer,
    double bytes)
{
    if (free_waiting_.empty()) {
        free_waiting_.push_back(static_cast<std::uint32_t>(waiting_.size()));
        waiting_.emplace_back();
    }
    const std::uint32_t place = free_waiting_.back();
    free_waiting_.pop_back();
    waiting_[place] = {none, bytes, group.share, number, transfer};
    const FlowPath& path = book_.path(number);
    std::uint32_t node = sender_of(path, at, group.group);
    ++queued_[group.group];
    append(node, place);
    for (node = nodes_[node].parent; nodes_[node].parent != none; node = nodes_[node].parent) fill(node);
}

InputTurns::Turn InputTurns::next(std::uint32_t group)
{
    --queued_[group];
    const std::uint32_t place = take(choose(roots_[group]));
    free_waiting_.push_back(place);
    return {waiting_[place].transfer, waiting_[place].share};
}

}  // namespace weft
