// The groups of a system: switches that multicast and reduce for endpoints that they are attached to.
//
// A group is known to every switch in the fabric with a link to each of its members and to whoever else uses it: on a
// board of four switches to all four, so that lines spread over them as others do. Member m lists the same number of
// links to a switch as the member with the fewest, switch by switch in the same order: a line's address leads all members
// to the same switch.
#pragma once

#include <map>
#include <tuple>

#include "collectives/engine/group_registry.h"
#include "platform/assembly/system.h"

namespace weft {

class SwitchGroups : public GroupRegistry {
public:
    // Both must outlive it.
    SwitchGroups(System& system, const FabricPlan& plan);

    // Throws InputError when no switch is attached to all members, or one that is has no room or no model for it.
    std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& outsiders,
        ElementType type, ReduceOp op) override;

private:
    // Ports of an endpoint by the node of the switch at their other end.
    using Attached = std::map<NodeId, std::vector<std::uint16_t>>;

    const Attached& attached(std::uint32_t endpoint);
    std::vector<NodeId> common_switches(const std::vector<std::uint32_t>& members);
    [[noreturn]] void refuse(const std::vector<std::uint32_t>& members);

    System& system_;
    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
    std::map<std::uint32_t, Attached> attached_;
    std::map<std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, ElementType, ReduceOp>, std::uint16_t>
        known_;
    std::map<NodeId, std::uint16_t> next_;  // by node of a switch or a member: first number that is free there
};

}  // namespace weft
