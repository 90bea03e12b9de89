#include "platform/configuration/resolved_system.h"

#include <set>

namespace weft {

namespace {

constexpr std::size_t bandwidth = 0;  // first in LinkSpec's table

template <class Spec>
void make(const VariantPool& pool, std::vector<Spec>& out)
{
    out.clear();
    for (VariantId id = 0; id < pool.size(); ++id) out.push_back(spec_from<Spec>(pool.at(id).values));
}

}  // namespace

std::string edge_name(const Graph& graph, EdgeId edge)
{
    return graph.node(graph.edge(edge).a).name + "~" + graph.node(graph.edge(edge).b).name;
}

void ResolvedSystem::make_specs()
{
    const auto pool = [this](Block block) -> const VariantPool& {
        return pools_[static_cast<std::size_t>(block)];
    };
    make(pool(Block::gpu), gpu_);
    make(pool(Block::network), network_);
    make(pool(Block::l1), l1_);
    make(pool(Block::l2), l2_);
    make(pool(Block::memory_side), memory_side_);
    make(pool(Block::hbm), hbm_);
    make(pool(Block::copy), copy_);
    make(pool(Block::bulk), bulk_);
    make(pool(Block::switch_), switch_);
    make(pool(Block::link), link_);
    engine_ = spec_from<EngineSpec>(values(Block::engine, engine_variant_).values);
    routing_ = spec_from<RoutingSpec>(values(Block::routing, routing_variant_).values);
}

bool ResolvedSystem::has_bandwidth(EdgeId edge) const
{
    return values(Block::link, edges_[edge]).sources[bandwidth] != unknown_source;
}

const LinkSpec& ResolvedSystem::link(EdgeId edge) const
{
    if (!has_bandwidth(edge)) throw InputError(missing_bandwidth(edge));
    return link_[edges_[edge]];
}

void ResolvedSystem::require_links(const std::vector<bool>& used) const
{
    std::vector<Diagnostic> problems;
    std::set<const void*> reported;
    for (EdgeId edge = 0; edge < edges_.size() && edge < used.size(); ++edge)
        if (used[edge] && !has_bandwidth(edge) && reported.insert(&graph_->kind(edge)).second)
            problems.push_back(missing_bandwidth(edge));
    if (!problems.empty()) throw InputError(std::move(problems));
}

Diagnostic ResolvedSystem::missing_bandwidth(EdgeId edge) const
{
    const EdgeKind& kind = graph_->kind(edge);
    const int line = kind.declared != nullptr ? kind.declared->line : graph_->edge(edge).line;
    std::string what =
        "nothing gives a bandwidth for link " + in_quotes(kind.link) + " (" + edge_name(*graph_, edge) + ")";
    if (kind.bandwidth && !kind.bytes_per_second)
        what +=
            ": " + kind.bandwidth->text() + " is a rate per lane, and neither lanes nor encoding are known";
    return {infrastructure, line, what,
        "a bandwidth in the document, links: {" + kind.link + ": {bandwidth: 25 GB/s}} in the system file, --set 'links." +
            kind.link + ".bandwidth=25 GB/s', or links: {" + kind.link + ": {protocol: NAME}} with a protocol that has one"};
}

}  // namespace weft
