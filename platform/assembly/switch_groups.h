// The groups of a system: switches that multicast and reduce for endpoints that they are attached to.
//
// A group is known to every switch in the fabric with a link to each of its members and to whoever else uses it: on a
// board of four switches to all four, so that lines spread over them as others do. Member m lists the same number of
// links to a switch as the member with the fewest, switch by switch in the same order: a line's address leads all members
// to the same switch. Members without a common switch get trees of two tiers (group_trees.h).
#pragma once

#include <map>
#include <tuple>

#include "collectives/engine/lines/group_registry.h"
#include "platform/assembly/group_trees.h"
#include "platform/assembly/system.h"

namespace weft {

class SwitchGroups : public GroupRegistry {
public:
    // All must outlive it.
    SwitchGroups(System& system, const ResolvedSystem& resolved, const FabricPlan& plan);
    // Without modules: to find out whether there are switches with room for groups. Models other than `switch` say only as modules
    // what they have no room for.
    SwitchGroups(const ResolvedSystem& resolved, const FabricPlan& plan);

    // Throws InputError when no switch is attached to all members and no trees connect them, or when a switch has no room or
    // no model for it.
    std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& outsiders,
        ElementType type, ReduceOp op) override;

private:
    using Attached = GroupTrees::Attached;

    SwitchGroups(System* system, const ResolvedSystem& resolved, const FabricPlan& plan);

    bool is_switch(NodeId node) const;
    void take_place(NodeId node);
    const Attached& attached(std::uint32_t endpoint);
    std::vector<NodeId> common_switches(const std::vector<std::uint32_t>& members);
    std::uint16_t free_number(std::vector<NodeId> nodes, const std::vector<std::uint32_t>& users);
    template <class Add>
    void at_node(NodeId node, const Add& add) const;
    void add_trees(const SwitchGroup& group, const std::vector<std::uint32_t>& users);
    void add_switches(const SwitchGroup& group, const std::vector<NodeId>& switches,
        const std::vector<std::uint32_t>& users);
    [[noreturn]] void refuse(const std::vector<std::uint32_t>& members);

    System* system_;  // null: none
    const ResolvedSystem& resolved_;
    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
    std::vector<std::vector<int>> numbers_;  // of ports in the node's module, -1: unused
    GroupTrees trees_;
    std::map<std::uint32_t, Attached> attached_;
    std::map<std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, ElementType, ReduceOp>, std::uint16_t>
        known_;
    std::map<NodeId, std::uint16_t> next_;   // by node of a switch or a member: first number that is free there
    std::map<NodeId, std::uint64_t> taken_;  // without modules, by node of a switch: groups
};

}  // namespace weft
