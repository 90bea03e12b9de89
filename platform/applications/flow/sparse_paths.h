// Paths in documents that are too large for routing tables: found for one pair of accelerators at a time, by a search from
// both ends. They are those of the routing policy `minimal`: fewest links, of these the widest narrowest link, equal ones side
// by side. No table has nodes times ranks entries.
//
// A chain of nodes that join two links each (a card, a port) is one stage: its latencies add up, its slowest link counts. For
// transfers that follow each other that is exact, since what passes one link of the chain passes all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/synthesis/cost_graph.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

class SparsePaths {
public:
    // `system` must outlive it. `collapse`: chains are one stage.
    SparsePaths(const ResolvedSystem& system, std::vector<NodeId> members, bool collapse = true);

    // Throws InputError when there is no route, and for links without a bandwidth.
    CostPath path(std::uint32_t from, std::uint32_t to);
    // Those of the paths so far; without names.
    const std::vector<CostLink>& links() const { return links_; }
    struct LinkPlace {
        EdgeId edge = 0;
        bool forward = true;  // from the edge's a to its b
    };
    const std::vector<LinkPlace>& places() const { return places_; }

private:
    static constexpr std::uint32_t far = ~std::uint32_t{0};

    // One end of a search: nodes by their distance from it.
    struct Side {
        std::vector<std::uint32_t> stamp;  // by node: search that reached it last
        std::vector<std::uint32_t> hops;
        std::vector<std::vector<NodeId>> levels;
    };

    bool passes(NodeId node) const { return system_.role(node) == NodeRole::forwarder; }
    bool reached(const Side& side, NodeId node) const { return side.stamp[node] == search_; }
    void begin(Side& side, NodeId node);
    bool expand(Side& side, const Side& other);
    // Nodes on shortest routes, by distance from the first; empty: there is no route.
    std::vector<std::vector<NodeId>> layers(NodeId from, NodeId to);
    void find_widths(const std::vector<std::vector<NodeId>>& layers);
    // `split`: its first path has others beside it there.
    std::uint32_t link(EdgeId edge, bool forward, bool split);
    std::uint64_t bandwidth(EdgeId edge) const
    {
        return system_.has_bandwidth(edge) ? system_.link(edge).bandwidth : 0;
    }
    void join_chains(const std::vector<std::vector<NodeId>>& layers, CostPath& path) const;

    const ResolvedSystem& system_;
    std::vector<NodeId> members_;
    bool collapse_;
    bool by_card_ = false;
    std::uint32_t search_ = 0;
    Side near_;
    Side far_;
    std::vector<std::uint32_t> layer_stamp_;  // by node: search whose shortest routes it is on
    std::vector<std::uint32_t> layer_;
    std::vector<std::uint64_t> width_;
    std::vector<double> share_;
    std::vector<CostLink> links_;
    std::vector<LinkPlace> places_;
    std::vector<std::uint32_t> numbers_;  // by direction of an edge
};

}  // namespace weft
