#include "platform/workload/combining.h"

#include <algorithm>
#include <map>
#include <set>

#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/workload/chosen_schedule.h"

namespace weft {

namespace {

// Switches with groups that at least two of `below` are attached to; `of_all`: whether one has all of them.
std::set<NodeId> switches_above(const ResolvedSystem& system, const FabricPlan& plan, const std::set<NodeId>& below,
    bool& of_all)
{
    const std::vector<std::vector<Fabric::Port>> ports = plan.fabric.ports();
    std::map<NodeId, std::size_t> tally;
    for (const NodeId node : below) {
        std::set<NodeId> peers;
        for (const Fabric::Port& port : ports[node])
            if (plan.used.edges[port.edge] && plan.used.nodes[port.peer] && !plan.used.transit[port.peer] &&
                system.role(port.peer) == NodeRole::forwarder && system.model(port.peer) == "switch" &&
                system.switch_of(port.peer).multicast_groups > 0)
                peers.insert(port.peer);
        for (const NodeId peer : peers) ++tally[peer];
    }
    std::set<NodeId> out;
    of_all = false;
    for (const auto& [node, count] : tally) {
        if (count > 1) out.insert(node);
        of_all = of_all || count == below.size();
    }
    return out;
}

}  // namespace

bool combines_in_switches(const Schedule& schedule)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            if (std::any_of(thread.steps.begin(), thread.steps.end(),
                    [](const Step& step) { return in_switch(step.kind); }))
                return true;
    return false;
}

bool may_combine_in_switches(const std::string& algorithm)
{
    if (is_choice(algorithm)) return true;
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op) {
        const AlgorithmInfo* const info = algorithm_info(static_cast<CollectiveOp>(op), algorithm);
        if (info != nullptr && info->carrier == Carrier::in_switch) return true;
    }
    return false;
}

std::vector<Assumption> combining_assumptions(const ResolvedSystem& system, const FabricPlan& plan, std::size_t ranks)
{
    const std::set<NodeId> members(plan.members.begin(), plan.members.begin() + static_cast<std::ptrdiff_t>(ranks));
    bool of_all = false;
    std::set<NodeId> used = switches_above(system, plan, members, of_all);
    if (!of_all) {
        bool any = false;
        used.merge(switches_above(system, plan, used, any));
    }
    UsedParts parts;
    parts.combining.assign(system.graph().node_count(), false);
    for (const NodeId node : used) parts.combining[node] = true;
    std::vector<Assumption> entries;
    for (const Assumption& assumption : system.assumptions)
        if (assumption.combining) entries.push_back(assumption);
    return assumptions_among(entries, parts);
}

}  // namespace weft
