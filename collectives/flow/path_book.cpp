#include "collectives/flow/path_book.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/diagnostic.h"

namespace weft {

std::uint32_t PathBook::find(std::uint32_t from, std::uint32_t to)
{
    const std::uint64_t key = std::uint64_t{from} << 32 | to;
    const std::uint32_t known = numbers_.find(key);
    if (known != FlatMap::none) return known;
    const CostPath made = source_(from, to);
    if (made.stages.empty())
        throw InputError("", 0, "no path from rank " + std::to_string(from) + " to rank " + std::to_string(to),
            "ranks that reach each other");
    const std::uint32_t number = add(made);
    paths_[number].from = from;
    paths_[number].to = to;
    numbers_.insert(key, number);
    return number;
}

std::uint32_t PathBook::add(const CostPath& made)
{
    FlowPath path;
    path.first = static_cast<std::uint32_t>(stages_.size());
    path.stages = static_cast<std::uint32_t>(made.stages.size());
    path.neighbours = made.neighbours;
    path.put_ps = made.put_ps;
    path.answer_ps = made.answer_ps;
    for (const PathStage& stage : made.stages) path.head_ps += stage.before_ps;
    std::uint64_t passed = 0;
    for (const PathStage& stage : made.stages) {
        passed += stage.before_ps;
        FlowStage out;
        out.before_ps = stage.before_ps;
        out.left_ps = path.head_ps - passed;
        out.first = static_cast<std::uint32_t>(shares_.size());
        for (const GroupShare& share : cover(stage.links)) {
            LinkGroup& group = groups_[share.group];
            group.shared = group.shared || group.used;
            group.used = true;
            shares_.push_back(share);
        }
        out.count = static_cast<std::uint32_t>(shares_.size()) - out.first;
        stages_.push_back(out);
    }
    const auto number = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back(path);
    return number;
}

std::vector<GroupShare> PathBook::cover(const std::vector<LinkShare>& links)
{
    // Links that are alike so far: of one group, or of none and with the same figures.
    using Likeness = std::tuple<std::uint32_t, std::array<double, 10>>;
    std::map<Likeness, std::vector<std::uint32_t>> alike;
    for (const LinkShare& part : links) {
        const CostLink& link = links_[part.link];
        const std::array<double, 10> figures{part.share, link.ps_per_byte, link.back_ps_per_byte, link.buffer,
            link.packet_ps, link.message_ps, link.signal_ps, link.packet_time_ps, link.group_ps_per_byte,
            link.group_back_ps_per_byte};
        alike[{group_of(part.link), figures}].push_back(part.link);
    }
    std::vector<GroupShare> out;
    for (const auto& [likeness, members] : alike) {
        const std::uint32_t group = std::get<0>(likeness);
        const double share = std::get<1>(likeness).front();
        if (group == no_group) {
            out.push_back({new_group(members), share});
        } else if (groups_[group_of(members.front())].members.size() == members.size()) {
            out.push_back({group_of(members.front()), share});
        } else {
            out.push_back({split_off(group_of(members.front()), members), share});
        }
    }
    return out;
}

std::uint32_t PathBook::new_group(const std::vector<std::uint32_t>& members)
{
    const auto number = static_cast<std::uint32_t>(groups_.size());
    const CostLink& link = links_[members.front()];
    LinkGroup group;
    group.ps_per_byte = link.ps_per_byte;
    group.back_ps_per_byte = link.back_ps_per_byte;
    group.buffer = link.buffer;
    group.figures = members.front();
    group.members = members;
    groups_.push_back(std::move(group));
    if (group_of_.size() < links_.size()) group_of_.resize(links_.size(), no_group);
    for (const std::uint32_t member : members) group_of_[member] = number;
    return number;
}

// The group of `members`, all of them in `group`; the others get a group as well.
std::uint32_t PathBook::split_off(std::uint32_t group, const std::vector<std::uint32_t>& members)
{
    const LinkGroup before = groups_[group];
    std::vector<std::uint32_t> sorted = members;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> others;
    for (const std::uint32_t member : before.members)
        if (!std::binary_search(sorted.begin(), sorted.end(), member)) others.push_back(member);
    const auto part = [&](const std::vector<std::uint32_t>& of) {
        const std::uint32_t number = new_group(of);
        LinkGroup& made = groups_[number];
        made.free_ps = before.free_ps;
        made.signals_free_ps = before.signals_free_ps;
        made.answers_free_ps = before.answers_free_ps;
        made.busy_ps = before.busy_ps;
        made.payload = before.payload;
        made.sender = before.sender;
        made.mixed = before.mixed;
        made.path = before.path;
        made.several_paths = before.several_paths;
        made.used = before.used;
        made.shared = before.shared;
        return number;
    };
    const std::uint32_t first = part(members);
    const std::uint32_t second = part(others);
    groups_[group].split = true;
    groups_[group].parts = {first, second};
    groups_[group].members.clear();
    return first;
}

const std::vector<std::uint32_t>& PathBook::reverse_of(std::uint32_t group)
{
    if (!groups_[group].has_reverse) {
        std::vector<LinkShare> links;
        for (const std::uint32_t member : groups_[group].members)
            if (links_[member].reverse >= 0) links.push_back({static_cast<std::uint32_t>(links_[member].reverse), 1});
        std::vector<std::uint32_t> reverse;
        for (const GroupShare& share : cover(links)) {
            groups_[share.group].shared = true;
            reverse.push_back(share.group);
        }
        groups_[group].reverse = std::move(reverse);
        groups_[group].has_reverse = true;
    }
    return groups_[group].reverse;
}

double PathBook::size(std::uint32_t number) const
{
    const LinkGroup& group = groups_[number];
    if (!group.split) return static_cast<double>(group.members.size());
    double out = 0;
    for (const std::uint32_t part : group.parts) out += size(part);
    return out;
}

double PathBook::busy_ps(std::uint32_t link) const
{
    const std::uint32_t group = group_of(link);
    return group == no_group ? 0 : groups_[group].busy_ps;
}

double PathBook::payload(std::uint32_t link) const
{
    const std::uint32_t group = group_of(link);
    return group == no_group ? 0 : groups_[group].payload;
}

PathBook book_of(const CostGraph& graph)
{
    return PathBook(graph.links, [&graph](std::uint32_t from, std::uint32_t to) { return graph.path(from, to); });
}

}  // namespace weft
