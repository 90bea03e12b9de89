#include "platform/configuration/resolved_system.h"

#include <set>

namespace weft {

namespace {

constexpr std::size_t bandwidth = 0;  // first in LinkSpec's table

}  // namespace

std::string edge_name(const Graph& graph, EdgeId edge)
{
    return graph.node(graph.edge(edge).a).name + "~" + graph.node(graph.edge(edge).b).name;
}

void ResolvedSystem::make_specs()
{
    specs_.resize(blocks_->size());
    for (const Block block : blocks_->all()) {
        const VariantPool& pool = pools_[index(block)];
        for (VariantId id = 0; id < pool.size(); ++id)
            specs_[index(block)].push_back((*blocks_)[block].make(pool.at(id).values));
    }
}

ParameterSet ResolvedSystem::parameters(NodeId node) const
{
    ParameterSet out;
    for (const Block block : blocks_->all()) {
        if (!on_nodes((*blocks_)[block]) || variant(node, block) == no_variant || !has_block(node, (*blocks_)[block]))
            continue;
        out.put(blocks_->shared(block), specs_[index(block)][variant(node, block)]);
    }
    return out;
}

bool ResolvedSystem::has_block(NodeId node, const BlockInfo& info) const
{
    return info.models.empty() ||
        info.of_model(info.kind == "slice" ? slice_model(node)
                : info.kind == "memory"    ? memory_model(node)
                                           : model(node));
}

ParameterSet ResolvedSystem::link_parameters(EdgeId edge) const
{
    link(edge);  // throws where nothing gives a bandwidth
    ParameterSet out;
    for (const Block block : blocks_->of(BlockOwner::link))
        if ((*blocks_)[block].of_model(link_model(edge)))
            out.put(blocks_->shared(block), specs_[index(block)][link_variant(edge, block)]);
    return out;
}

bool ResolvedSystem::has_bandwidth(EdgeId edge) const
{
    return values(block_of<LinkSpec>(), link_variant(edge)).sources[bandwidth] != unknown_source;
}

const LinkSpec& ResolvedSystem::link(EdgeId edge) const
{
    if (!has_bandwidth(edge)) throw InputError(missing_bandwidth(edge));
    return spec<LinkSpec>(link_variant(edge));
}

void ResolvedSystem::require_links(const std::vector<bool>& used) const
{
    std::vector<Diagnostic> problems;
    std::set<const void*> reported;
    for (EdgeId edge = 0; edge < graph_->edge_count() && edge < used.size(); ++edge)
        if (used[edge] && !has_bandwidth(edge) && reported.insert(&graph_->kind(edge)).second)
            problems.push_back(missing_bandwidth(edge));
    if (!problems.empty()) throw InputError(std::move(problems));
}

Diagnostic ResolvedSystem::missing_bandwidth(EdgeId edge) const
{
    const EdgeKind& kind = graph_->kind(edge);
    const int line = kind.declared != nullptr ? kind.declared->line : graph_->edge(edge).line;
    std::string what = "no bandwidth is given for link " + in_quotes(kind.link) + " (" + edge_name(*graph_, edge) + ")";
    if (kind.bandwidth && !kind.bytes_per_second)
        what += ": " + kind.bandwidth->text() + " is a rate per lane, but lanes and encoding are unknown";
    std::string expected = "a bandwidth in the document, links: {" + kind.link +
        ": {bandwidth: 25 GB/s}} in the system file, --set 'links." + kind.link + ".bandwidth=25 GB/s', or links: {" +
        kind.link + ": {protocol: NAME}} with a protocol that has one";
    if (const auto profile = without_rate_.find(&kind); profile != without_rate_.end())
        expected = "scale_up: {links: 4, rate: 25 GB/s} in profile " + in_quotes(profile->second) + ", " + expected;
    return {infrastructure, line, what, expected};
}

}  // namespace weft
