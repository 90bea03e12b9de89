#include "testbenches/tlm_interconnect/group_tree.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tlm_interconnect/link/buffer_space.h"

namespace weft::testing {

namespace {

std::uint16_t number(std::size_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

GroupTree::GroupTree(const TreeSpec& tree) : spec(tree), event_queue("event_queue"), checkers(event_queue)
{
    for (unsigned l = 0; l < spec.members.size(); ++l) leaf_of.insert(leaf_of.end(), spec.members[l], l);
    std::vector<std::vector<std::uint16_t>> of_spine;
    for (const unsigned leaf : leaf_of) of_spine.push_back({number(leaf)});
    for (unsigned s = 0; s < spec.spines; ++s) {
        const std::string name = "spine" + std::to_string(s);
        spines.push_back(std::make_unique<Switch>(name.c_str(), event_queue, name, spec.spine,
            static_cast<unsigned>(spec.members.size()), RouteTable(of_spine)));
    }
    const ProtocolChecker::Rules to_member = ProtocolChecker::Rules::of(buffer_space(spec.member), true);
    const ProtocolChecker::Rules to_switch = ProtocolChecker::Rules::of(buffer_space(spec.trunk), true);
    unsigned m = 0;
    for (unsigned l = 0; l < spec.members.size(); ++l) {
        const std::string name = "leaf" + std::to_string(l);
        leaves.push_back(std::make_unique<Switch>(name.c_str(), event_queue, name, spec.leaf,
            spec.members[l] + spec.spines, RouteTable(routes_of_leaf(l))));
        Switch& leaf = *leaves.back();
        for (unsigned port = 0; port < spec.members[l]; ++port, ++m) {
            const std::string of = std::to_string(m);
            members.push_back(
                std::make_unique<GroupMember>(("m" + of).c_str(), event_queue, "m" + of, pool, number(m), 1));
            member_links.push_back(std::make_unique<Link>(("link" + of).c_str(), event_queue, spec.member));
            Link& link = *member_links.back();
            checkers.bind(members[m]->out(0), link.target(0), to_member);
            checkers.bind(link.initiator(1), leaf.target(port), to_member);
            checkers.bind(leaf.initiator(port), link.target(1), to_member);
            checkers.bind(link.initiator(0), members[m]->in(0), to_member);
            members[m]->output(0).set_credits(buffer_space(spec.member));
            leaf.set_credits(port, buffer_space(spec.member));
        }
        trunk_links.emplace_back();
        for (unsigned s = 0; s < spec.spines; ++s) {
            const unsigned port = spec.members[l] + s;
            trunk_links[l].push_back(std::make_unique<Link>(
                ("trunk" + std::to_string(l) + "_" + std::to_string(s)).c_str(), event_queue, spec.trunk));
            Link& link = *trunk_links[l].back();
            if (spec.thief >= 0 && l == 1 && s == 0) {
                thief = std::make_unique<ContributionThief>("thief", static_cast<unsigned>(spec.thief));
                leaf.initiator(port).bind(thief->in);
                thief->out.bind(link.target(0));
            } else {
                checkers.bind(leaf.initiator(port), link.target(0), to_switch);
            }
            checkers.bind(link.initiator(1), spines[s]->target(l), to_switch);
            checkers.bind(spines[s]->initiator(l), link.target(1), to_switch);
            checkers.bind(link.initiator(0), leaf.target(port), to_switch);
            leaf.set_credits(port, buffer_space(spec.trunk));
            spines[s]->set_credits(l, buffer_space(spec.trunk));
        }
    }
}

// To own members by their ports, to others by all spines.
std::vector<std::vector<std::uint16_t>> GroupTree::routes_of_leaf(unsigned leaf) const
{
    std::vector<std::vector<std::uint16_t>> out;
    std::uint16_t own = 0;
    for (const unsigned other : leaf_of) {
        out.emplace_back();
        if (other == leaf) out.back().push_back(own++);
        for (unsigned s = 0; other != leaf && s < spec.spines; ++s)
            out.back().push_back(number(spec.members[leaf] + s));
    }
    return out;
}

void GroupTree::group(const std::vector<std::uint16_t>& order)
{
    GroupTier top;
    top.id = first_group;
    std::vector<GroupTier> parts(leaves.size(), top);
    for (const std::uint16_t member : order) {
        GroupTier& part = parts[leaf_of[member]];
        if (part.members.empty()) {
            top.members.push_back(member);
            top.down.push_back({number(leaf_of[member])});
        }
        part.members.push_back(member);
    }
    for (std::size_t l = 0; l < leaves.size(); ++l) {
        for (unsigned s = 0; s < spec.spines; ++s) parts[l].up.push_back(number(spec.members[l] + s));
        parts[l].above = parts[l].up;
        leaves[l]->add_tier(parts[l], pool);
    }
    for (const auto& spine : spines) spine->add_tier(top, pool);
}

void GroupTree::group_of_all()
{
    std::vector<std::uint16_t> order(members.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    group(order);
}

void GroupTree::finish(bool clean)
{
    sc_core::sc_start();
    if (!clean) return;
    checkers.finish();
    EXPECT_EQ(checkers.problems(), 0u);
    EXPECT_EQ(pool.live(), 0u);
    for (const auto* tier : {&leaves, &spines})
        for (const auto& module : *tier) EXPECT_TRUE(module->blocked().empty()) << module->blocked().front();
}

double statistic_of(const Switch& module, const std::string& name)
{
    for (const Statistic& entry : module.statistics())
        if (entry.name == name) return entry.value;
    return -1;
}

}  // namespace weft::testing
