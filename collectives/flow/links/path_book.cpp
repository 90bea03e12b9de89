#include "collectives/flow/links/path_book.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "collectives/synthesis/turned_path.h"

namespace weft {

std::uint32_t PathBook::find(std::uint32_t from, std::uint32_t to)
{
    const std::uint64_t key = std::uint64_t{from} << 32 | to;
    const std::uint32_t known = numbers_.find(key);
    if (known != FlatMap::none) return known;
    CostPath made = source_(from, to);
    if (made.stages.empty())
        throw InputError("", 0, "no path from rank " + std::to_string(from) + " to rank " + std::to_string(to),
            "ranks that reach each other");
    const std::uint32_t number = add_between(from, to, made);
    numbers_.insert(key, number);
    latest_ = {number, std::move(made)};
    return number;
}

std::uint32_t PathBook::add_between(std::uint32_t from, std::uint32_t to, const CostPath& made)
{
    const std::uint32_t number = add(made);
    paths_[number].from = from;
    paths_[number].to = to;
    return number;
}

std::uint32_t PathBook::back(std::uint32_t number)
{
    if (number < backs_.size() && backs_[number] != no_group) return backs_[number];
    const std::uint32_t from = paths_[number].to;
    const std::uint32_t to = paths_[number].from;
    CostPath made = number == latest_.first ? latest_.second : source_(to, from);
    CostPath own = source_(from, to);
    bool same = !turns(made, links_);
    if (!same) {
        made = turned(made, links_);
        same = same_links(made, own);
    }
    const std::uint64_t key = std::uint64_t{from} << 32 | to;
    std::uint32_t out = same ? numbers_.find(key) : FlatMap::none;
    if (out == FlatMap::none) {
        out = add_between(from, to, same ? own : made);
        if (same) {
            numbers_.insert(key, out);
            latest_ = {out, std::move(own)};
        }
    }
    backs_.resize(paths_.size(), no_group);
    backs_[number] = out;
    if (same) backs_[out] = number;
    return out;
}

std::uint32_t PathBook::add(const CostPath& made, bool counts)
{
    FlowPath path;
    path.first = static_cast<std::uint32_t>(stages_.size());
    path.stages = static_cast<std::uint32_t>(made.stages.size());
    path.neighbours = made.neighbours;
    path.put_ps = made.put_ps;
    path.answer_ps = made.answer_ps;
    for (const PathStage& stage : made.stages) path.head_ps += stage.before_ps;
    std::uint64_t passed = 0;
    std::uint32_t begins = no_group;
    for (const PathStage& stage : made.stages) {
        passed += stage.before_ps;
        FlowStage out;
        out.before_ps = stage.before_ps;
        out.left_ps = path.head_ps - passed;
        if (path.cards == 1) path.cards = cards_of(stage.links);
        std::vector<LinkShare> links = stage.links;
        for (LinkShare& share : links) share.link = clock_of(share.link);
        if (begins == no_group && links_[links.front().link].at_once <= 0) begins = links.front().link;
        const std::vector<GroupShare> shares = cover(links, apart_ && !made.neighbours);
        for (const GroupShare& share : shares) {
            LinkGroup& group = groups_[share.group];
            const bool used = sets_[share.group].beside != no_group;
            group.shared = group.shared || used;
            if (!used) sets_[share.group].begins = begins;
            group.merges = group.merges || sets_[share.group].begins != begins;
            group.through = group.through || (apart_ && !made.neighbours);
            sets_[share.group].paths += counts ? 1 : 0;
        }
        pass_beside(shares, links.size());
        out.count = static_cast<std::uint32_t>(shares.size());
        if (out.count == 1) {
            out.first = shares.front().group;
            out.share = shares.front().share;
            out.set = shares.front().set;
        } else {
            out.first = static_cast<std::uint32_t>(shares_.size());
            shares_.insert(shares_.end(), shares.begin(), shares.end());
        }
        stages_.push_back(out);
    }
    const auto number = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back(path);
    return number;
}

std::uint32_t PathBook::cards_of(const std::vector<LinkShare>& links) const
{
    if (links.size() == 1 || !links_[links.front().link].card) return 1;
    std::vector<std::int32_t> nodes;
    for (const LinkShare& share : links) {
        const CostLink& link = links_[share.link];
        if (link.card && std::find(nodes.begin(), nodes.end(), link.from) == nodes.end()) nodes.push_back(link.from);
    }
    return static_cast<std::uint32_t>(nodes.size());
}

void PathBook::pass_beside(const std::vector<GroupShare>& shares, std::size_t links)
{
    const std::uint32_t first = sets_[shares.front().group].beside;
    // All groups of one set, and all links of it: every path so far has passed them together.
    const bool same = first != no_group && besides_[first] == links &&
        std::all_of(shares.begin(), shares.end(),
            [&](const GroupShare& share) { return sets_[share.group].beside == first; });
    if (same) return;
    const auto fresh = static_cast<std::uint32_t>(besides_.size());
    for (const GroupShare& share : shares) {
        LinkSet& set = sets_[share.group];
        if (set.beside != no_group) groups_[share.group].crossed = true;
        if (set.beside == no_group) set.beside = fresh;
        if (set.beside == fresh && besides_.size() == fresh) besides_.push_back(links);
    }
}

PathBook::Figures PathBook::figures_array(const CostLink& link)
{
    return {link.ps_per_byte, link.back_ps_per_byte, link.buffer, link.packet_ps, link.message_ps, link.signal_ps,
        link.packet_time_ps, link.group_ps_per_byte, link.group_back_ps_per_byte, link.packet_payload, link.answer_ps,
        link.signal_back_ps, link.answer_credits, link.answer_round_ps, link.answer_dwell_ps, link.message_interval_ps,
        link.push_more_ps_per_byte, link.at_once, link.cold_more_ps_per_byte};
}

std::uint32_t PathBook::figures_of(std::uint32_t link)
{
    const auto [entry, fresh] =
        numbers_of_figures_.try_emplace(figures_array(links_[link]), static_cast<std::uint32_t>(figures_.size()));
    if (fresh) {
        figures_.push_back(links_[link]);
        figures_.back().name.clear();
        figures_.back().reverse = -1;
    }
    return entry->second;
}

std::vector<GroupShare> PathBook::cover(const std::vector<LinkShare>& links, bool apart)
{
    // Links that are alike so far: of one group, or of none and with the same figures.
    struct Likeness {
        std::uint32_t group;
        double share;
        std::uint32_t figures;
        std::uint32_t set;
        std::uint32_t alone;  // link that is kept apart
        bool operator<(const Likeness& other) const
        {
            return std::tie(group, share, figures, set, alone) <
                std::tie(other.group, other.share, other.figures, other.set, other.alone);
        }
    };
    if (links.size() == 1 && group_of(links.front().link) == no_group)
        return {{new_group({links.front().link}), links.front().share, links.front().set}};
    std::map<Likeness, std::vector<std::uint32_t>> alike;
    for (const LinkShare& part : links)
        alike[{group_of(part.link), part.share, figures_of(part.link), part.set, apart ? part.link : 0}].push_back(
            part.link);
    std::vector<GroupShare> out;
    for (const auto& [likeness, members] : alike) {
        if (likeness.group == no_group) {
            out.push_back({new_group(members), likeness.share, likeness.set});
        } else if (sets_[group_of(members.front())].members.size() == members.size()) {
            out.push_back({group_of(members.front()), likeness.share, likeness.set});
        } else {
            out.push_back({split_off(group_of(members.front()), members), likeness.share, likeness.set});
        }
    }
    return out;
}

std::uint32_t PathBook::new_group(const std::vector<std::uint32_t>& members)
{
    const auto number = static_cast<std::uint32_t>(groups_.size());
    LinkGroup group;
    group.figures = figures_of(members.front());
    groups_.push_back(group);
    sets_.push_back({members, {}, {}, 0, members.front(), no_group, no_group, no_group});
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
    for (const std::uint32_t member : sets_[group].members)
        if (!std::binary_search(sorted.begin(), sorted.end(), member)) others.push_back(member);
    const auto part = [&](const std::vector<std::uint32_t>& of) {
        const std::uint32_t number = new_group(of);
        const std::uint32_t figures = groups_[number].figures;
        groups_[number] = before;
        groups_[number].figures = figures;
        groups_[number].reverse = LinkGroup::unknown;
        groups_[number].queued = false;  // what waits does so for the whole of it
        return number;
    };
    const std::uint32_t first = part(members);
    const std::uint32_t second = part(others);
    groups_[group].split = true;
    sets_[group].parts = {first, second};
    sets_[group].members.clear();
    sets_[first].paths = sets_[second].paths = sets_[group].paths;
    sets_[first].begins = sets_[second].begins = sets_[group].begins;
    sets_[first].beside = sets_[second].beside = sets_[group].beside;
    sets_[first].split_from = sets_[second].split_from = group;
    return first;
}

void PathBook::find_reverse(std::uint32_t group)
{
    std::vector<LinkShare> links;
    for (const std::uint32_t member : sets_[group].members)
        if (links_[member].reverse >= 0)
            links.push_back({clock_of(static_cast<std::uint32_t>(links_[member].reverse)), 1});
    std::vector<std::uint32_t> reverse;
    for (const GroupShare& share : cover(links)) {
        groups_[share.group].shared = true;
        reverse.push_back(share.group);
    }
    groups_[group].reverse = reverse.empty() ? LinkGroup::none
        : reverse.size() == 1                ? reverse.front()
                                             : LinkGroup::several;
    sets_[group].reverse = std::move(reverse);
}

double PathBook::size(std::uint32_t number) const
{
    const LinkGroup& group = groups_[number];
    if (!group.split) return static_cast<double>(sets_[number].members.size());
    double out = 0;
    for (const std::uint32_t part : sets_[number].parts) out += size(part);
    return out;
}

double PathBook::busy_ps(std::uint32_t link) const
{
    const std::uint32_t group = group_of(clock_of(link));
    return group == no_group ? 0 : groups_[group].busy_ps;
}

double PathBook::payload(std::uint32_t link) const
{
    const std::uint32_t group = group_of(clock_of(link));
    return group == no_group ? 0 : groups_[group].payload;
}

PathBook book_of(const CostGraph& graph)
{
    return PathBook(graph.links, [&graph](std::uint32_t from, std::uint32_t to) { return graph.path(from, to); });
}

bool PathBook::begins_as(std::uint32_t path, std::uint32_t to) const
{
    const CostPath other = source_(paths_[path].from, to);
    const FlowStage& first = stages_[paths_[path].first];
    const std::uint32_t group = first.count == 1 ? first.first : shares_[first.first].group;
    return !other.stages.empty() && group_of(clock_of(other.stages.front().links.front().link)) == group;
}

double PathBook::ps_per_byte(std::uint32_t path) const
{
    double out = 0;
    const auto count = [&](std::uint32_t group, double share) {
        out = std::max(out, share * figures(groups_[group]).ps_per_byte);
    };
    for (std::uint32_t at = 0; at < paths_[path].stages; ++at) {
        const FlowStage& of = stage(paths_[path], at);
        if (of.count == 1) count(of.first, of.share);
        for (std::uint32_t i = 0; of.count > 1 && i < of.count; ++i)
            count(shares_[of.first + i].group, shares_[of.first + i].share);
    }
    return out;
}

}  // namespace weft
