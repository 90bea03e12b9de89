#include "platform/assembly/group_trees.h"

#include <algorithm>
#include <set>

namespace weft {

GroupTrees::GroupTrees(const FabricPlan& plan, const std::vector<std::vector<Fabric::Port>>& ports, PortNumber number,
    IsSwitch is_switch, AttachedOf attached)
    : plan_(plan), all_ports_(ports), number_(std::move(number)), is_switch_(std::move(is_switch)),
      attached_(std::move(attached))
{
}

std::string GroupTrees::not_joined(NodeId a, NodeId b) const
{
    return name(a) + " and " + name(b) +
        " are not attached to one switch above them; trees of more than two tiers are not supported";
}

bool GroupTrees::find(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& others)
{
    parts_.clear();
    ports_of_.clear();
    why_.clear();
    if (plan_.routing.phases() > 1 || plan_.routing.vc_sets() > 1) {
        why_ = "over two tiers of switches a group needs routes of one phase in one VC set";
        return false;
    }
    std::vector<std::uint32_t> users = members;
    users.insert(users.end(), others.begin(), others.end());
    for (const std::uint32_t user : users)
        if (attached_(user).empty()) return false;
    for (const Plane& plane : planes(users)) add_plane(plane, members);
    if (parts_.empty()) return false;
    why_.clear();
    return true;
}

std::vector<NodeId> GroupTrees::switches_at(NodeId node) const
{
    std::set<NodeId> out;
    for (std::size_t p = 0; p < all_ports_[node].size(); ++p)
        if (number_(node, p) >= 0 && is_switch_(all_ports_[node][p].peer)) out.insert(all_ports_[node][p].peer);
    return {out.begin(), out.end()};
}

// Leaves with a spine in common, and leaves that are connected by others in this way, belong together.
std::vector<GroupTrees::Plane> GroupTrees::planes(const std::vector<std::uint32_t>& users)
{
    std::map<NodeId, NodeId> first;  // by leaf: the first one of those that it belongs to
    std::map<NodeId, std::vector<NodeId>> below;
    for (const std::uint32_t user : users)
        for (const auto& [leaf, ports] : attached_(user)) first.emplace(leaf, leaf);
    for (const auto& [leaf, itself] : first)
        for (const NodeId spine : switches_at(leaf)) below[spine].push_back(leaf);
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [spine, leaves] : below)
            for (const NodeId leaf : leaves) {
                const NodeId lower = std::min(first[leaf], first[leaves.front()]);
                changed = changed || first[leaf] != lower || first[leaves.front()] != lower;
                first[leaf] = first[leaves.front()] = lower;
            }
    }
    std::map<NodeId, std::map<std::uint32_t, std::vector<NodeId>>> together;
    for (const std::uint32_t user : users)
        for (const auto& [leaf, ports] : attached_(user)) together[first[leaf]][user].push_back(leaf);
    std::vector<Plane> out;
    for (const auto& [lowest, leaves_of] : together) {
        if (leaves_of.size() < users.size()) continue;  // some user is not attached to any of them
        const std::size_t count = leaves_of.begin()->second.size();
        std::vector<Plane> found;
        for (std::size_t n = 0; n < count; ++n) found.push_back({{}, n, count});
        std::map<NodeId, std::size_t> turn;
        for (const auto& [user, leaves] : leaves_of) {
            const std::string& who = name(plan_.members[user]);
            if (leaves.size() != count) {
                why_ = who + " is attached to " + std::to_string(leaves.size()) + " of these switches, others to " +
                    std::to_string(count);
                found.clear();
                break;
            }
            for (std::size_t n = 0; n < count; ++n) {
                if (turn.emplace(leaves[n], n).first->second != n) {
                    why_ = name(leaves[n]) + " would belong to two planes of switches";
                    found.clear();
                    break;
                }
                found[n].leaf[user] = leaves[n];
            }
            if (found.empty()) break;
        }
        out.insert(out.end(), found.begin(), found.end());
    }
    if (out.empty() && why_.empty()) {
        const NodeId leaf = attached_(users.front()).begin()->first;
        for (const std::uint32_t user : users)
            if (const NodeId other = attached_(user).begin()->first; first[other] != first[leaf]) {
                why_ = not_joined(leaf, other);
                break;
            }
    }
    return out;
}

void GroupTrees::add_plane(const Plane& plane, const std::vector<std::uint32_t>& members)
{
    std::set<NodeId> all;
    std::map<NodeId, std::uint16_t> first;  // member of each leaf that has one
    std::vector<NodeId> leaves;             // with members, in the order of their first ones
    for (const auto& [user, leaf] : plane.leaf) all.insert(leaf);
    for (const std::uint32_t member : members)
        if (first.emplace(plane.leaf.at(member), static_cast<std::uint16_t>(member)).second)
            leaves.push_back(plane.leaf.at(member));
    for (const NodeId leaf : all)
        if (first.count(leaf) == 0) leaves.push_back(leaf);

    bool any = false;
    std::size_t turn = 0;
    for (const NodeId spine : switches_at(leaves.front())) {
        const std::vector<NodeId> below = switches_at(spine);
        const bool above_all = all.count(spine) == 0 && std::all_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
            return std::find(below.begin(), below.end(), leaf) != below.end();
        });
        if (above_all && turn++ % plane.count == plane.number) any = add_tree(spine, leaves, first) || any;
    }
    if (!any) {
        if (why_.empty()) why_ = not_joined(leaves.front(), leaves.back());
        return;
    }
    for (const std::uint32_t member : members)
        parts_[plane.leaf.at(member)].members.push_back(static_cast<std::uint16_t>(member));
    std::size_t links = ~std::size_t{0};
    for (const auto& [user, leaf] : plane.leaf) links = std::min(links, attached_(user).at(leaf).size());
    for (const auto& [user, leaf] : plane.leaf) {
        const std::vector<std::uint16_t>& ports = attached_(user).at(leaf);
        ports_of_[user].insert(ports_of_[user].end(), ports.begin(),
            ports.begin() + static_cast<std::ptrdiff_t>(links));
    }
}

// Of `leaves` only those in `first` have members.
bool GroupTrees::add_tree(NodeId spine, const std::vector<NodeId>& leaves, const std::map<NodeId, std::uint16_t>& first)
{
    std::map<NodeId, std::vector<std::uint16_t>> up;
    std::map<NodeId, std::vector<std::uint16_t>> down;
    std::size_t links = ~std::size_t{0};
    for (const NodeId leaf : leaves) {
        if (!only_endpoints_behind(leaf, spine)) {
            why_ = "routes lead from " + name(spine) + " through " + name(leaf) +
                " to further switches; trees of more than two tiers are not supported";
            return false;
        }
        bool is_first = true;
        for (const auto& [other, member] : first) {
            if (other == leaf) continue;
            const std::vector<std::uint16_t> ways = routes(leaf, member, spine);
            std::vector<std::uint16_t> both;
            std::set_intersection(up[leaf].begin(), up[leaf].end(), ways.begin(), ways.end(), std::back_inserter(both));
            up[leaf] = is_first ? ways : both;
            is_first = false;
        }
        links = std::min(links, up[leaf].size());
        if (const auto member = first.find(leaf); member != first.end()) {
            down[leaf] = routes(spine, member->second, leaf);
            links = std::min(links, down[leaf].size());
        }
    }
    if (links == 0) {
        why_ = "the routes between members do not pass " + name(spine);
        return false;
    }
    for (const NodeId leaf : leaves) {
        GroupTier& part = parts_[leaf];
        part.up.insert(part.up.end(), up[leaf].begin(), up[leaf].begin() + static_cast<std::ptrdiff_t>(links));
        for (std::size_t p = 0; p < all_ports_[leaf].size(); ++p)
            if (all_ports_[leaf][p].peer == spine && number_(leaf, p) >= 0)
                part.above.push_back(static_cast<std::uint16_t>(number_(leaf, p)));
        if (first.count(leaf) == 0) continue;
        parts_[spine].members.push_back(first.at(leaf));
        parts_[spine].down.push_back(down[leaf]);
    }
    return true;
}

std::vector<std::uint16_t> GroupTrees::routes(NodeId node, std::uint32_t destination, NodeId next) const
{
    std::vector<std::uint16_t> out;
    for (const std::uint16_t port : plan_.routing.ports_to(node, destination))
        if (all_ports_[node][port].peer == next)
            out.push_back(RouteTable::entry(static_cast<unsigned>(number_(node, port)), 0));
    std::sort(out.begin(), out.end());
    return out;
}

bool GroupTrees::only_endpoints_behind(NodeId leaf, NodeId spine) const
{
    for (std::uint32_t endpoint = 0; endpoint < plan_.fabric.endpoints; ++endpoint) {
        if (routes(spine, endpoint, leaf).empty()) continue;
        for (const std::uint16_t port : plan_.routing.ports_to(leaf, endpoint))
            if (all_ports_[leaf][port].peer != plan_.routing.node_of(endpoint)) return false;
    }
    return true;
}

}  // namespace weft
