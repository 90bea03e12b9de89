#include "platform/choice/cost_graph_of.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/synthesis/turned_path.h"
#include "platform/choice/cost_graph_maker.h"

namespace weft {

void require_priceable(const ResolvedSystem& system, std::size_t ranks)
{
    if (ranks > most_ranks_priced)
        throw InputError(system.file, system.workload.line,
            fmt::format("{} plays all transfers of every algorithm on the paths of all pairs of ranks, for up to {} "
                        "ranks, and this run has {}",
                system.workload.algorithm.empty() ? "auto" : system.workload.algorithm, most_ranks_priced, ranks),
            fmt::format("an algorithm by its name; with --ranks {} auto says which it takes there", most_ranks_priced));
}

struct CostPaths::Parts {
    const ResolvedSystem& system;
    const FabricPlan& plan;
    bool has_switches = false;

    Parts(const ResolvedSystem& system, const FabricPlan& plan, std::vector<std::uint32_t> of)
        : system(system), plan(plan), endpoints(std::move(of)), maker(system, plan, endpoints, graph)
    {
    }

    std::vector<std::uint32_t> endpoints;
    CostGraph graph;
    CostGraphMaker maker;
};

CostPaths::CostPaths(const ResolvedSystem& system, const FabricPlan& plan, std::vector<std::uint32_t> endpoints)
    : parts_(std::make_unique<Parts>(system, plan, std::move(endpoints)))
{
}

CostPaths::~CostPaths() = default;

CostPath CostPaths::path(std::uint32_t from, std::uint32_t to) { return parts_->maker.path(from, to); }

PartialPath CostPaths::path_to(std::uint32_t from, std::uint32_t to, const std::vector<bool>& apart)
{
    return parts_->maker.path_to(from, to, apart);
}

PartialPath CostPaths::path_from(NodeId before, NodeId node, std::uint32_t to, const std::vector<bool>& apart)
{
    return parts_->maker.path_from(before, node, to, apart);
}

const std::vector<CostLink>& CostPaths::links() const { return parts_->graph.links; }

const CostGraph& CostPaths::with_switches()
{
    Parts& parts = *parts_;
    if (parts.has_switches) return parts.graph;
    parts.has_switches = true;
    const auto ranks = static_cast<std::uint32_t>(parts.endpoints.size());
    std::vector<std::uint32_t> gpus;  // beside them there are memories
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (parts.system.role(parts.plan.members[parts.endpoints[rank]]) == NodeRole::endpoint) gpus.push_back(rank);
    require_priceable(parts.system, gpus.size());
    parts.graph.ranks.resize(ranks);
    parts.graph.paths.resize(std::size_t{ranks} * ranks);
    for (const std::uint32_t from : gpus)
        for (const std::uint32_t to : gpus)
            if (from != to) parts.graph.path(from, to) = parts.maker.path(from, to);
    for (const std::uint32_t rank : gpus) parts.maker.attach(rank, true);
    return parts.graph;
}

CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan,
    const std::vector<std::uint32_t>& endpoints)
{
    const auto ranks = static_cast<std::uint32_t>(endpoints.size());
    require_priceable(system, ranks);
    CostGraph graph;
    for (const std::uint32_t endpoint : endpoints) {
        graph.ranks.push_back(rank_cost_of(system, plan.members[endpoint]));
        graph.ranks.back().name = plan.fabric.nodes[plan.members[endpoint]].name;
    }
    graph.paths.resize(std::size_t{ranks} * ranks);
    CostGraphMaker maker(system, plan, endpoints, graph);
    for (std::uint32_t from = 0; from < ranks; ++from)
        for (std::uint32_t to = 0; to < ranks; ++to)
            if (from != to) graph.path(from, to) = maker.path(from, to);
    add_answers(graph);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) maker.attach(rank, false);
    return graph;
}

CostGraph cost_graph_of(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t ranks)
{
    std::vector<std::uint32_t> endpoints;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) endpoints.push_back(rank);
    return cost_graph_of(system, plan, endpoints);
}

}  // namespace weft
