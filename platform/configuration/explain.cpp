#include "platform/configuration/explain.h"

#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "platform/configuration/around_parts.h"
#include "platform/configuration/parameters/grouping.h"

namespace weft {

namespace {

// Modules with the same values.
struct Alike {
    std::string title;  // "gpu, model gpu, profile h100"
    std::string model;  // of an accelerator, or of a switch
    std::vector<std::pair<Block, VariantId>> blocks;
    std::vector<std::string> names;
    NodeId first = 0;  // of the nodes

    bool accelerator() const { return blocks.front().first == block_of<GpuSpec>(); }

    void add(const ResolvedSystem& system, NodeId node, BlockOwner owner)
    {
        for (const Block block : system.blocks().of(owner))
            if (system.variant(node, block) != no_variant && system.has_block(node, system.blocks()[block]))
                blocks.emplace_back(block, system.variant(node, block));
    }
};

// Somebody has set how the node forwards.
bool sets_switch(const ResolvedSystem& system, NodeId id)
{
    const VariantId variant = system.variant(id, block_of<SwitchSpec>());
    if (variant == no_variant) return false;
    const std::vector<SourceId>& sources = system.values(block_of<SwitchSpec>(), variant).sources;
    return std::any_of(sources.begin(), sources.end(),
        [&system](SourceId from) { return !system.source(from).file.empty(); });
}

std::vector<Alike> alike_nodes(const ResolvedSystem& system, const UsedParts& used)
{
    using Key = std::tuple<std::string, std::vector<std::pair<Block, VariantId>>>;
    std::map<Key, std::size_t> index;
    std::vector<Alike> groups;
    for (NodeId id = 0; id < system.graph().node_count(); ++id) {
        if (system.role(id) == NodeRole::passive || !is_used(used.nodes, id)) continue;
        const bool memory = system.role(id) == NodeRole::memory;
        const bool endpoint = memory || system.role(id) == NodeRole::endpoint;
        Alike node;
        if (endpoint) node.add(system, id, BlockOwner::endpoint);
        const bool forwards =
            used.nodes.empty() ? sets_switch(system, id) : id < used.transit.size() && used.transit[id];
        if (!endpoint || forwards) node.add(system, id, BlockOwner::forwarder);
        node.title = endpoint ? fmt::format("{}, model {}{}, profile {}", memory ? "memory" : "gpu", system.model(id),
                                    system.traffic(id).empty() ? "" : " of " + system.traffic(id), system.profile(id))
                              : fmt::format("switch, model {}", system.model(id));
        const auto [entry, fresh] = index.try_emplace({node.title, node.blocks}, groups.size());
        node.model = system.model(id);
        node.first = id;
        if (fresh) groups.push_back(std::move(node));
        groups[entry->second].names.push_back(system.graph().node(id).name);
    }
    return groups;
}

std::vector<Alike> alike_links(const ResolvedSystem& system, const UsedParts& used)
{
    std::map<std::pair<std::string, std::vector<std::pair<Block, VariantId>>>, std::size_t> index;
    std::vector<Alike> groups;
    for (EdgeId id = 0; id < system.graph().edge_count(); ++id) {
        if (!is_used(used.edges, id)) continue;
        const std::string& link = system.graph().kind(id).link;
        // A link without a bandwidth has no model yet that could bring blocks.
        std::vector<std::pair<Block, VariantId>> blocks;
        for (const Block block : system.blocks().of(BlockOwner::link))
            if (system.blocks()[block].models.empty() ||
                (system.has_bandwidth(id) && system.blocks()[block].of_model(system.link_model(id))))
                blocks.emplace_back(block, system.link_variant(id, block));
        const auto [entry, fresh] = index.try_emplace({link, blocks}, groups.size());
        if (fresh)
            groups.push_back(
                {"link " + link, system.has_bandwidth(id) ? system.link_model(id) : "", std::move(blocks), {}, 0});
        groups[entry->second].names.push_back(edge_name(system.graph(), id));
    }
    return groups;
}

// What a replay GPU has of a GPU's parameters.
bool counts_for_replay(const BlockInfo& block, const std::string& parameter)
{
    static const std::set<std::string> names{"gpu.unit_to_port", "gpu.port_to_unit", "gpu.port_to_l2", "gpu.l2_to_port",
        "gpu.replay_in_flight", "l2.slices", "l2.bandwidth", "l2.latency", "hbm.capacity"};
    return block.title.owner == BlockOwner::forwarder || names.count(block.name() + "." + parameter) > 0;
}

// What a memory has of them.
bool counts_for_memory(const BlockInfo& block, const std::string& parameter)
{
    static const std::set<std::string> names{"gpu.port_to_l2", "gpu.l2_to_port", "gpu.port_arbiter",
        "gpu.port_control_weight", "gpu.port_data_weight"};
    static const std::set<std::string> blocks{"network", "l2", "memory_side", "hbm"};
    return blocks.count(block.name()) > 0 || names.count(block.name() + "." + parameter) > 0;
}

// Whether a parameter counts for the module that the block belongs to: traffic that passes an accelerator goes through
// a switch of ours.
bool counts(const BlockTable& blocks, Block block, std::size_t parameter, const std::string& model, bool accelerator)
{
    const BlockInfo& info = blocks[block];
    if (!info.models.empty()) return true;  // the model declares them
    const std::string& name = info.parameters[parameter]->name;
    if (accelerator && model == "replay" && !counts_for_replay(info, name)) return false;
    if (accelerator && model == "memory" && !counts_for_memory(info, name)) return false;
    return blocks.counts(block, parameter, accelerator && info.title.owner == BlockOwner::forwarder ? "switch" : model);
}

// `node`: the first of those that have the values of a slice or a memory.
void list_values(const ResolvedSystem& system, Block block, VariantId id, const std::string& prefix,
    const std::string& model, bool accelerator, NodeId node, std::vector<ExplainedParameter>& out)
{
    const BlockInfo& info = system.blocks()[block];
    const Variant& variant = system.values(block, id);
    std::string part;  // the model of a slice or a memory, which may declare what it reads
    for (std::size_t i = 0; i < variant.values.size(); ++i)
        if (is_part(info.parameters[i]->kind)) part = system.models_of(info.parameters[i]->kind)[variant.values[i]];
    for (std::size_t i = 0; i < variant.values.size(); ++i) {
        if (!counts(system.blocks(), block, i, model, accelerator)) continue;
        if (!part.empty() && !system.blocks().counts(block, i, part) && !read_around_part(system, node, block, i))
            continue;
        const SourceId source = variant.sources[i];
        const ParameterInfo& parameter = *info.parameters[i];
        std::string text = system.source(source).text;
        if (source == default_source && !parameter.source.empty()) text += ": " + parameter.source;
        out.push_back(
            {prefix + info.path_of(i), &parameter, variant.values[i], source != unknown_source, std::move(text)});
        if (!parameter.kind.empty()) out.back().name = system.models_of(parameter.kind)[variant.values[i]];
    }
}

std::string value_lines(const std::vector<ExplainedParameter>& parameters)
{
    std::string out;
    for (const ExplainedParameter& parameter : parameters)
        out += fmt::format("    {:<26} {:<16} {}\n", parameter.path, parameter.text(), parameter.source);
    return out;
}

std::vector<Alike> all_groups(const ResolvedSystem& system, const UsedParts& used)
{
    std::vector<Alike> groups = alike_nodes(system, used);
    std::vector<Alike> links = alike_links(system, used);
    groups.insert(groups.end(), std::make_move_iterator(links.begin()), std::make_move_iterator(links.end()));
    return groups;
}

}  // namespace

std::vector<ExplainedParameter> explained_parameters(const ResolvedSystem& system, const UsedParts& used)
{
    std::vector<ExplainedParameter> out;
    for (const Block block : system.blocks().of(BlockOwner::system))
        list_values(system, block, system.system_variant(block), "", "", false, 0, out);
    std::set<std::string> taken;
    for (const Alike& group : all_groups(system, used)) {
        for (const NameGroup& names : group_names(group.names)) {
            // Groups that are not exact may look alike.
            std::string name = names.text;
            for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{} ({})", names.text, copy);
            for (const auto& [block, variant] : group.blocks)
                list_values(system, block, variant, name + ".", group.model, group.accelerator(), group.first, out);
        }
    }
    return out;
}

std::string explain(const ResolvedSystem& system, const UsedParts& used)
{
    std::string out = fmt::format("system {} from {}{}\n{} nodes, {} edges, {} endpoints, seed {}\n", system.name,
        system.infrastructure, system.file.empty() ? "" : " as " + system.file + " says", system.graph().node_count(),
        system.graph().edge_count(), system.endpoints().size(), system.seed);
    for (const std::string& notice : system.notices) out += "notice: " + notice + "\n";
    for (const std::string& assumed : assumption_lines(assumptions_among(system.assumptions, used)))
        out += "assumed: " + assumed + "\n";
    for (const Block block : system.blocks().of(BlockOwner::system)) {
        std::vector<ExplainedParameter> values;
        list_values(system, block, system.system_variant(block), "", "", false, 0, values);
        out += "\n" + system.blocks()[block].name() + "\n" + value_lines(values);
    }
    for (const Alike& group : all_groups(system, used)) {
        out += "\n";
        for (const NameGroup& names : group_names(group.names))
            out += names.text + (names.count > 1 ? fmt::format("  ({})", names.count) : "") + "\n";
        out += "  " + group.title + "\n";
        std::vector<ExplainedParameter> values;
        for (const auto& [block, variant] : group.blocks)
            list_values(system, block, variant, "", group.model, group.accelerator(), group.first, values);
        out += value_lines(values);
    }
    return out;
}

}  // namespace weft
