// The routes between ranks and the switches that combine and copy for them: which switches serve a group, the links
// from and to each of its members, and what limits the switches themselves (CostSwitch).
//
// As in the simulation every switch that all members are attached to serves a group, and lines spread evenly over as
// many links to each as the member with the fewest has. Where there is none, trees of two
// tiers do: leaves, and the switches above all of them, each the root of a tree with a part of the lines. A leaf adds up what its
// members send, and what comes of it goes up once; what comes down goes to its members from there. Ranks that are attached to several
// leaves have several planes of such trees (switch_planes.h), each with a part of the lines.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"
#include "collectives/synthesis/switch_planes.h"
#include "collectives/synthesis/switch_ways.h"

namespace weft {

// Whether the sources (the destinations) of such a step are one place of a group to the rank that issues it.
inline bool loads_group(StepKind kind) { return kind == StepKind::load_reduce || kind == StepKind::reduce_multicast; }
inline bool stores_group(StepKind kind) { return in_switch(kind) && kind != StepKind::load_reduce; }

// The routes of one rank in a group. The stages are those of a CostPath; the latencies count behind the last stage.
struct SwitchRoute {
    static constexpr std::uint32_t no_leaf = ~std::uint32_t{0};

    CostPath store;              // to the switches, which take it up as an operation
    CostPath push;               // to the switches, which add it to what others push
    CostPath operand;            // what the switches load from it, through their adders: from the request at the top on
    CostPath result;             // what they have combined, to who loads it
    CostPath copy;               // what they store
    std::uint64_t asked_ps = 0;  // a load to the switches that all lines pass
    std::uint64_t result_ps = 0;  // of `result`
    std::uint64_t copy_ps =
        0;  // of `copy`, and of its acknowledge what it takes longer than that of the nearest member
    std::uint64_t answer_ps = 0;   // acknowledges of what was stored everywhere, back: that of the nearest member
    std::uint32_t leaf = no_leaf;  // of SwitchGroupRoutes::leaves; `push` and `operand` end there, `copy` begins there

    void take_latencies(const SwitchWay& way);
};

// A switch below those that all of a group's lines pass. What comes from there takes a context of its own, but the result of a push.
struct SwitchLeaf {
    CostPath raised;   // what it has added up of pushes
    CostPath brought;  // of what it has loaded
    CostPath lowered;  // the result of a push
    CostPath stored;   // a store
    std::uint32_t members = 0;
};

struct SwitchGroupRoutes {
    std::map<std::uint32_t, SwitchRoute> of;  // by rank
    std::uint32_t switches = 0;
    std::set<std::uint32_t> at;      // these
    std::vector<SwitchLeaf> leaves;  // one tier: none
    double share = 1;                // of the lines
    // Several planes: each with its share, in place of `of` and `leaves`.
    std::vector<SwitchGroupRoutes> planes;

    // Contributions that come to the switches of one tier, or to those above the leaves; copies from there.
    std::uint32_t parts(std::size_t members) const;
};

class SwitchRoutes {
public:
    // `several_planes`: also where ranks are attached to several leaves.
    explicit SwitchRoutes(const CostGraph& graph, bool several_planes = false)
        : graph_(graph), several_planes_(several_planes), known_(graph.switches.size())
    {
    }

    // Of `members`, in the order in which they are combined, and `user`. Null where no switch serves them or one that does
    // can know no more groups. Valid as long as this object.
    const SwitchGroupRoutes* of(const std::vector<std::uint32_t>& members, std::uint32_t user);
    // Most switches that serve one group.
    std::uint32_t most() const { return most_; }

private:
    SwitchGroupRoutes make(const std::vector<std::uint32_t>& users, std::size_t members) const;
    SwitchGroupRoutes make_trees(const std::vector<std::uint32_t>& users, std::size_t members) const;
    SwitchGroupRoutes make_tree(const SwitchPlane& plane, const std::vector<std::uint32_t>& users,
        std::size_t members) const;

    const CostGraph& graph_;
    bool several_planes_;
    std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, SwitchGroupRoutes> made_;  // with an outsider, or ~0
    std::set<std::vector<std::uint32_t>> groups_;
    std::vector<std::uint32_t> known_;  // by switch: groups so far
    std::uint32_t most_ = 0;
};

}  // namespace weft
