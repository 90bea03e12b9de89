// Makes cost graphs: paths between ranks (cost_graph_paths.cpp), paths of which only a part is asked for (partial_paths.cpp), and the
// switches that combine and copy for ranks (cost_graph_switches.cpp). A link is added to the graph when a path first passes it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "platform/choice/cost_graph_of.h"
#include "platform/choice/split_links.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class CostGraphMaker {
public:
    // All must outlive it; `endpoints`: of the plan, rank after rank.
    CostGraphMaker(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& endpoints,
        CostGraph& graph);

    CostPath path(std::uint32_t from_rank, std::uint32_t to_rank);
    PartialPath path_to(std::uint32_t from_rank, std::uint32_t to_rank, const std::vector<bool>& apart);
    PartialPath path_from(NodeId before, NodeId node, std::uint32_t to_rank, const std::vector<bool>& apart);
    // Switches of the model that has groups, and the links of ranks that see them; `tiers`: also switches above these.
    void attach(std::uint32_t rank, bool tiers);

private:
    void stages(std::uint32_t from, std::uint32_t to, CostPath& path);
    // Equal routes spread lines evenly at every node, or one of them has all lines of the pair, by what selects among them. Links to
    // nodes that are `apart` are exits; a path with such nodes is known in part only, so it spreads. `inputs`: ports of `first` that it has
    // come by.
    void walk(NodeId first, std::uint32_t from, std::uint32_t to, CostPath& path, const std::vector<bool>* apart,
        std::vector<PartialPath::Exit>* exits, std::vector<unsigned> inputs);
    // The port of `node` that leads to `peer`.
    unsigned port_towards(NodeId node, NodeId peer) const;
    void latencies_of(const std::vector<std::uint32_t>& nodes, Time first, bool first_passes, CostPath& path) const;
    std::uint32_t link(std::uint32_t edge, bool forward);
    // A path without links has one that costs nothing.
    void finish(PartialPath& out);

    bool combines(NodeId node) const;
    // The switches above a leaf: once, and all its members with them.
    void attach_above(NodeId leaf, NodeId member, std::uint32_t edge);
    static Time answer_time(const LinkSpec& wire);
    // `beyond`: to a leaf and back, where `edge` is below that.
    std::uint32_t switch_at(NodeId node, NodeId member, std::uint32_t edge, Time beyond = 0);

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
    const std::vector<std::uint32_t>& endpoints_;
    CostGraph& graph_;
    bool by_card_;
    SplitLinks split_;
    std::vector<bool> takes_part_;                    // by endpoint
    std::map<std::uint32_t, std::uint32_t> numbers_;  // of an edge's first direction
    std::map<NodeId, std::uint32_t> switches_;
    std::map<std::uint32_t, std::pair<Time, Time>> ways_;  // to each of them, of the nearest and the farthest member
    std::set<NodeId> tiered_;                              // leaves whose switches above are known
    std::int64_t nothing_ = -1;                            // the link of paths without links
    static constexpr std::uint32_t none_ = ~std::uint32_t{0};
};

}  // namespace weft
