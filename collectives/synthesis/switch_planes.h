// Planes of a group whose members have no switch in common: of each plane one leaf for every member, and the spines above all of
// these leaves. The rules are those of the simulation (platform/assembly/group_trees.h), on a cost graph.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct SwitchPlane {
    std::map<std::uint32_t, std::uint32_t> leaf;  // by rank: of CostGraph::switches
    std::vector<std::uint32_t> spines;            // above all leaves; not empty
    std::uint32_t ports = 0;                      // to its leaf, of the rank with the fewest
};

// Of the ranks that use the group. Leaves that some spine connects belong together; of several such leaves of one rank the n-th is of
// the n-th plane, and spines above several planes take turns. Empty: there are none, or ranks have different numbers of leaves.
std::vector<SwitchPlane> planes_of(const CostGraph& graph, const std::vector<std::uint32_t>& users);

}  // namespace weft
