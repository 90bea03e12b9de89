// Trees of two tiers of switches for a group whose members have no switch in common: leaves, which members are attached to,
// and spines, which all leaves of a tree are attached to.
//
// A plane is a leaf for each member, and the spines above all of these leaves. Leaves that some spine connects belong
// together; of several such leaves of one member the n-th is of the n-th plane, and spines above several planes take turns in
// serving them. Each spine of a plane is the root of a tree. Addresses spread over planes and spines, over as many links as the member or leaf with the fewest has.
//
// Deadlock: a request goes up by a route that ordinary requests take from the leaf to members behind other leaves. The way down
// from a spine is used only if every ordinary request that passes it goes from the leaf to an endpoint at once: nothing waits
// there for a way up, so that operations on groups close no cycle. With routes in several phases or VC sets this is not
// shown, and refused.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "tlm_interconnect/switch/group_tier.h"

namespace weft {

class GroupTrees {
public:
    // Number of a node's port of the fabric in its module, -1: unused.
    using PortNumber = std::function<int(NodeId node, std::size_t port)>;
    // Switches that an endpoint is attached to, with its ports to each.
    using Attached = std::map<NodeId, std::vector<std::uint16_t>>;
    using AttachedOf = std::function<const Attached&(std::uint32_t endpoint)>;
    // Whether a node is a switch that members could be attached to.
    using IsSwitch = std::function<bool(NodeId)>;

    GroupTrees(const FabricPlan& plan, const std::vector<std::vector<Fabric::Port>>& ports, PortNumber number,
        IsSwitch is_switch, AttachedOf attached);

    // Of `members`, in the order in which they are combined, and others that use the group. False: there are none, and
    // why() says so in the second half of a sentence.
    bool find(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& others);
    const std::string& why() const { return why_; }

    // The part of each switch, without number, type and operation; and the ports by which each user reaches the leaves.
    const std::map<NodeId, GroupTier>& parts() const { return parts_; }
    const std::vector<std::uint16_t>& ports_of(std::uint32_t user) const { return ports_of_.at(user); }

private:
    struct Plane {
        std::map<std::uint32_t, NodeId> leaf;  // by user
        std::size_t number;                    // among those whose leaves belong together
        std::size_t count;
    };

    std::vector<Plane> planes(const std::vector<std::uint32_t>& users);
    void add_plane(const Plane& plane, const std::vector<std::uint32_t>& members);
    bool add_tree(NodeId spine, const std::vector<NodeId>& leaves, const std::map<NodeId, std::uint16_t>& first);
    std::vector<NodeId> switches_at(NodeId node) const;
    std::vector<std::uint16_t> routes(NodeId node, std::uint32_t destination, NodeId next) const;
    bool only_endpoints_behind(NodeId leaf, NodeId spine) const;
    std::string not_joined(NodeId a, NodeId b) const;
    const std::string& name(NodeId node) const { return plan_.fabric.nodes[node].name; }

    const FabricPlan& plan_;
    const std::vector<std::vector<Fabric::Port>>& all_ports_;
    PortNumber number_;
    IsSwitch is_switch_;
    AttachedOf attached_;
    std::string why_;
    std::map<NodeId, GroupTier> parts_;
    std::map<std::uint32_t, std::vector<std::uint16_t>> ports_of_;
};

}  // namespace weft
