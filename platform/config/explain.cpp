#include "platform/config/explain.h"

#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "platform/config/grouping.h"

namespace weft {

namespace {

// Modules with the same values.
struct Alike {
    std::string title;  // "gpu, model gpu, profile h100"
    std::string model;
    std::vector<std::pair<Block, VariantId>> blocks;
    std::vector<std::string> names;
};

bool is_used(const std::vector<bool>& used, std::size_t index)
{
    return used.empty() || (index < used.size() && used[index]);
}

std::vector<Alike> alike_nodes(const ResolvedSystem& system, const UsedParts& used)
{
    using Key = std::tuple<std::string, std::vector<std::pair<Block, VariantId>>>;
    std::map<Key, std::size_t> index;
    std::vector<Alike> groups;
    for (NodeId id = 0; id < system.graph().node_count(); ++id) {
        if (system.role(id) == NodeRole::passive || !is_used(used.nodes, id)) continue;
        const bool endpoint = system.role(id) == NodeRole::endpoint;
        std::vector<std::pair<Block, VariantId>> blocks;
        if (endpoint)
            for (const Block block : endpoint_blocks)
                blocks.emplace_back(block, system.variant(id, block));
        if (!endpoint || (id < used.transit.size() && used.transit[id]))
            blocks.emplace_back(Block::switch_, system.variant(id, Block::switch_));
        std::string title = endpoint
            ? fmt::format("gpu, model {}, profile {}", system.model(id), system.profile(id))
            : fmt::format("switch, model {}", system.model(id));
        const auto [entry, fresh] = index.try_emplace({title, blocks}, groups.size());
        // Traffic that passes an accelerator goes through a switch of ours.
        if (fresh) groups.push_back({std::move(title), endpoint ? "switch" : system.model(id), std::move(blocks), {}});
        groups[entry->second].names.push_back(system.graph().node(id).name);
    }
    return groups;
}

std::vector<Alike> alike_links(const ResolvedSystem& system, const UsedParts& used)
{
    std::map<std::pair<std::string, VariantId>, std::size_t> index;
    std::vector<Alike> groups;
    for (EdgeId id = 0; id < system.graph().edge_count(); ++id) {
        if (!is_used(used.edges, id)) continue;
        const std::string& link = system.graph().kind(id).link;
        const VariantId variant = system.link_variant(id);
        const auto [entry, fresh] = index.try_emplace({link, variant}, groups.size());
        if (fresh) groups.push_back({"link " + link, "", {{Block::link, variant}}, {}});
        groups[entry->second].names.push_back(edge_name(system.graph(), id));
    }
    return groups;
}

void list_values(const ResolvedSystem& system, Block block, VariantId id, const std::string& prefix,
    const std::string& model, std::vector<ExplainedParameter>& out)
{
    const Variant& variant = system.values(block, id);
    for (std::size_t i = 0; i < variant.values.size(); ++i) {
        if (!counts_for(*info_of(block).parameters[i], model)) continue;
        const SourceId source = variant.sources[i];
        out.push_back({prefix + parameter_name(block, i), info_of(block).parameters[i], variant.values[i],
            source != unknown_source, system.source(source).text});
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
    list_values(system, Block::engine, system.system_variant(Block::engine), "", "", out);
    list_values(system, Block::routing, system.system_variant(Block::routing), "", "", out);
    std::set<std::string> taken;
    for (const Alike& group : all_groups(system, used)) {
        for (const NameGroup& names : group_names(group.names)) {
            // Groups that are not exact may look alike.
            std::string name = names.text;
            for (int copy = 2; !taken.insert(name).second; ++copy)
                name = fmt::format("{} ({})", names.text, copy);
            for (const auto& [block, variant] : group.blocks)
                list_values(system, block, variant, name + ".", group.model, out);
        }
    }
    return out;
}

std::string explain(const ResolvedSystem& system, const UsedParts& used)
{
    std::string out = fmt::format("system {} from {}{}\n{} nodes, {} edges, {} endpoints, seed {}\n",
        system.name, system.infrastructure, system.file.empty() ? "" : " as " + system.file + " says",
        system.graph().node_count(), system.graph().edge_count(), system.endpoints().size(), system.seed);
    for (const std::string& notice : system.notices) out += "notice: " + notice + "\n";
    const auto add_block = [&](Block block) {
        std::vector<ExplainedParameter> values;
        list_values(system, block, system.system_variant(block), "", "", values);
        out += "\n" + info_of(block).name + "\n" + value_lines(values);
    };
    add_block(Block::engine);
    add_block(Block::routing);
    for (const Alike& group : all_groups(system, used)) {
        out += "\n";
        for (const NameGroup& names : group_names(group.names))
            out += names.text + (names.count > 1 ? fmt::format("  ({})", names.count) : "") + "\n";
        out += "  " + group.title + "\n";
        std::vector<ExplainedParameter> values;
        for (const auto& [block, variant] : group.blocks) list_values(system, block, variant, "", group.model, values);
        out += value_lines(values);
    }
    return out;
}

}  // namespace weft
