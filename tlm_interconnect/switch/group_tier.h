// The part of one switch in a group whose members are attached to several switches: a tree of two tiers.
//
// Members are attached to leaves, and every leaf to every spine of its trees. A tree has one spine; the address of a line
// selects the tree, at each leaf and each member by the same rule with the same result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm_interconnect/protocol/switch_group.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft {

// With none of these routes it is a group of one tier, whose members are all attached to the switch. Routes are
// RouteTable::entry, a port and a VC set.
struct GroupTier : SwitchGroup {
    GroupTier() = default;
    explicit GroupTier(const SwitchGroup& group) : SwitchGroup(group) {}

    // Of a leaf. Its members are those attached to it, none where only others use the group there.
    std::vector<std::uint16_t> up;     // routes to the spines
    std::vector<std::uint16_t> above;  // its ports to them
    // Of a spine. Its members are the first of each leaf: they stand for all behind the leaf.
    std::vector<std::vector<std::uint16_t>> down;  // routes to the leaf, by member

    bool leaf() const { return !up.empty(); }
    bool spine() const { return !down.empty(); }
    bool from_above(unsigned port) const { return std::find(above.begin(), above.end(), port) != above.end(); }
    // Whether a spine reaches the leaf of its member `member` by `port`.
    bool leads_to(std::size_t member, unsigned port) const
    {
        return std::any_of(down[member].begin(), down[member].end(),
            [port](std::uint16_t route) { return RouteTable::port_of(route) == port; });
    }
};

}  // namespace weft
