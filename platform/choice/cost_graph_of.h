// The cost graph of a resolved system: real routes, real latencies, rates after packetisation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/synthesis/cost_graph.h"
#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

constexpr std::uint32_t most_ranks_priced = 256;

// Throws InputError for more ranks than can be priced.
void require_priceable(const ResolvedSystem& system, std::size_t ranks);

// Of these endpoints of the plan, rank after rank; or of the first `ranks`. Copy engines and bulk copy engines are priced
// as units.
// Throws InputError for more ranks than can be priced.
CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan,
    const std::vector<std::uint32_t>& endpoints);
CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks);

// A path of which a part of the nodes is somebody else's: as far as these, or from them on.
struct PartialPath {
    struct Exit {  // a link that leads to them
        NodeId node = 0;
        EdgeId edge = 0;
        double share = 1;
        unsigned vc_set = 0;
        std::vector<unsigned> inputs;  // ports of `node` that what leaves here has come by; empty: it begins there
    };
    CostPath path;  // what ends (begins) at the border is at the node in front of it, ready for the wire of the exit
    std::uint64_t signal_ps = 0;  // as path.put_ps, of a signal
    CostPath back;                // the same links the other way, for what comes back
    std::vector<Exit> exits;
    std::vector<unsigned>
        answers;           // of path_from(): ports of its first node that answers come by; empty: they begin there
    bool message = false;  // a network card has made messages of what crosses
};

// Paths of any number of ranks, one at a time. `system` and `plan` must outlive it.
class CostPaths {
public:
    CostPaths(const ResolvedSystem& system, const FabricPlan& plan, std::vector<std::uint32_t> endpoints);
    ~CostPaths();
    CostPaths(const CostPaths&) = delete;
    CostPaths& operator=(const CostPaths&) = delete;

    CostPath path(std::uint32_t from, std::uint32_t to);
    // From an endpoint as far as the nodes that are `apart`, on the way to one of these.
    PartialPath path_to(std::uint32_t from, std::uint32_t to, const std::vector<bool>& apart);
    // From `node` on, which `before` is in front of, to an endpoint; or, where that is `apart` too, as far as such nodes.
    PartialPath path_from(NodeId before, NodeId node, std::uint32_t to, const std::vector<bool>& apart);
    // Those of the paths so far.
    const std::vector<CostLink>& links() const;
    // The graph of accelerators with all their paths, and of the switches that combine and copy for them; its links are those
    // above, and more. Throws InputError for more ranks than can be priced.
    const CostGraph& with_switches();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// engine.wavefronts, but no more than a unit has places for.
std::uint64_t wavefronts_of_workgroup(const EngineSpec& engine, const GpuSpec& gpu);

// The cost of threads on a GPU at this node.
CostRank rank_cost_of(const ResolvedSystem& system, NodeId node);

// One direction of a link, without its number of the other one. `by_card`: network cards make messages. `split`: the part of its traffic
// that has equal paths (split_links.h).
CostLink link_cost_of(const ResolvedSystem& system, EdgeId edge, bool by_card, double split);

}  // namespace weft
