// A resolved system as flow fidelity sees it: accelerators, links, and paths that are found when they are asked for.
//
// Documents that routing tables can be made for have the routes of the line model, by any policy. Larger ones have the paths of
// sparse_paths.h, by the policy `minimal` only, without a check for cycles of waiting buffers, which flows do not have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/flow/flow_executor.h"
#include "collectives/flow/devices/device_cost.h"
#include "collectives/flow/links/path_book.h"
#include "collectives/synthesis/switch_routes.h"
#include "platform/applications/flow/flow_calibration.h"
#include "platform/applications/flow/sparse_paths.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/configuration/resolved_system.h"
#include "platform/result/link_result.h"

namespace weft {

// What the line model does beyond bandwidths and latencies, as far as flow fidelity has it, for runs of so many ranks.
FlowProfile flow_rules(std::size_t ranks, const FlowCalibration& calibration = {});

// Whether tables of routes for so many ranks can be made.
bool has_tables(const ResolvedSystem& system, std::size_t ranks);

class FlowFabric {
public:
    // `system` must outlive it. The first `ranks` members carry something out, others are memories. Throws InputError for
    // what flow fidelity does not model, naming it. `apart`: nodes that somebody else simulates, empty: none.
    FlowFabric(const ResolvedSystem& system, std::vector<NodeId> members, const std::vector<bool>& apart = {});

    const std::vector<NodeId>& members() const { return members_; }
    // flow_rules() as they hold on it.
    FlowProfile rules(std::size_t ranks, const FlowCalibration& calibration = {}) const;
    const FabricPlan* plan() const { return plan_ ? &*plan_ : nullptr; }
    PathBook& book() { return *book_; }
    const PathBook& book() const { return *book_; }
    // Has one clock for links with the same traffic, where the ranks of `program`, rank i at member i, are alike; otherwise why not.
    // Before the first path.
    std::string fold_links(const FlowProgram& program);
    CostPaths* paths() { return routed_.get(); }  // null where there are no tables of routes
    const FlowRanks& ranks() const { return ranks_; }
    // By kind of rank.
    const std::vector<DeviceCost>& devices() const { return devices_; }
    std::vector<FlowEndpoint> endpoints() const;
    // Routes to switches that combine and copy; null where there are none. Made when first asked for. Throws InputError for more
    // ranks than estimates are made for.
    SwitchRoutes* switches();
    std::vector<std::string> notices() const;

    // The run ends there, before its work does: no link was busy for longer.
    void set_end(Time end) { end_ = end; }
    // Links that carried something, both directions where one did.
    std::vector<LinkResult> links() const;
    // The same of a link by its number in the book.
    std::optional<LinkResult> use(std::uint32_t number) const;
    // Edges between members and switches that take part, and these switches.
    std::size_t link_count() const;
    std::size_t switch_count() const;

private:
    const ResolvedSystem& system_;
    Time end_ = ~Time{0};
    std::vector<NodeId> members_;
    std::optional<FabricPlan> plan_;
    std::unique_ptr<CostPaths> routed_;
    std::unique_ptr<SparsePaths> sparse_;
    std::unique_ptr<SwitchRoutes> switch_routes_;
    std::unique_ptr<PathBook> book_;
    FlowRanks ranks_;
    std::vector<DeviceCost> devices_;
};

}  // namespace weft
