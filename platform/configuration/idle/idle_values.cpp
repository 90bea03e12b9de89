#include "platform/configuration/idle/idle_values.h"

#include "platform/configuration/around_parts.h"
#include "platform/configuration/idle/set_parameters.h"

namespace weft {

namespace {

// Parameters of switches that count for none of the switches they were set for.
void note_switches(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    const Block block = block_of<SwitchSpec>();
    SetParameters found(system, block);
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const VariantId id = system.variant(node, block);
        if (id == no_variant || system.role(node) != NodeRole::forwarder || !is_used(used.nodes, node)) continue;
        found.add(system.values(block, id),
            [&](std::size_t parameter) { return system.blocks().counts(block, parameter, system.model(node)); });
    }
    for (const std::size_t parameter : found.without_effect()) {
        const std::string& model = info_of(block).parameters[parameter]->model;
        out.push_back(info_of(block).path_of(parameter) + " is set and changes nothing: " +
            (model.empty() ? "no model of the switches that it was set for reads it"
                           : "it belongs to model " + model +
                        ", but none of the switches for which it is set has that model"));
    }
}

// The same of slices and memories, whose models may declare which parameters of l2.* and hbm.* they read.
void note_parts(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    std::vector<NodeId> with_memory = system.endpoints();
    with_memory.insert(with_memory.end(), system.memories().begin(), system.memories().end());
    for (const Block block : {block_of<L2Spec>(), block_of<HbmSpec>()}) {
        const BlockInfo& info = system.blocks()[block];
        const std::size_t model = *info.find("model");
        const std::string& kind = info.parameters[model]->kind;
        SetParameters found(system, block);
        for (const NodeId node : with_memory) {
            if (!is_used(used.nodes, node)) continue;
            const Variant& variant = system.values(block, system.variant(node, block));
            const std::string& chosen = system.models_of(kind)[variant.values[model]];
            found.add(variant, [&](std::size_t parameter) {
                return system.blocks().counts(block, parameter, chosen) ||
                    read_around_part(system, node, block, parameter);
            });
        }
        for (const std::size_t parameter : found.without_effect())
            out.push_back(info.path_of(parameter) + " is set and changes nothing: no model of the " +
                (kind == "memory" ? "memories" : kind + "s") + " that it was set for reads it");
    }
}

// The same of links, whose models may declare what they read of link.*.
void note_links(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    const Block block = block_of<LinkSpec>();
    const std::size_t model = *info_of(block).find("model");
    SetParameters found(system, block);
    for (std::size_t edge = 0; edge < system.variants(block).size(); ++edge) {
        const VariantId id = system.variants(block)[edge];
        if (id == no_variant || !is_used(used.edges, edge)) continue;
        const Variant& variant = system.values(block, id);
        const std::string& chosen = system.models_of("link")[variant.values[model]];
        found.add(variant, [&](std::size_t parameter) { return system.blocks().counts(block, parameter, chosen); });
    }
    for (const std::size_t parameter : found.without_effect())
        out.push_back(info_of(block).path_of(parameter) +
            " is set and changes nothing: no model of the links that it was set for reads it");
}

// The same of blocks that models of links and of parts of accelerators bring.
void note_models(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    for (const Block block : system.blocks().all()) {
        const BlockInfo& info = system.blocks()[block];
        if (info.kind != "link" && !is_part(info.kind)) continue;
        const Block chooses = info.kind == "link" ? block_of<LinkSpec>()
            : info.kind == "slice"                ? block_of<L2Spec>()
                                                  : block_of<HbmSpec>();
        const std::size_t model = *info_of(chooses).find("model");
        SetParameters found(system, block);
        for (std::size_t i = 0; i < system.variants(block).size(); ++i) {
            if (system.variants(block)[i] == no_variant || !is_used(info.kind == "link" ? used.edges : used.nodes, i))
                continue;
            const std::uint64_t chosen = system.values(chooses, system.variants(chooses)[i]).values[model];
            found.add(system.values(block, system.variants(block)[i]),
                [&](std::size_t) { return info.of_model(system.models_of(info.kind)[chosen]); });
        }
        for (const std::size_t parameter : found.without_effect())
            out.push_back(info.path_of(parameter) + " is set and changes nothing: it belongs to model " +
                joined_names(info.models) + ", but none of the " +
                (info.kind == "memory" ? "memories" : info.kind + "s") + " for which it is set has that model");
    }
}

}  // namespace

std::vector<std::string> idle_module_values(const ResolvedSystem& system, const UsedParts& used)
{
    std::vector<std::string> out;
    note_switches(system, used, out);
    note_parts(system, used, out);
    note_models(system, used, out);
    note_links(system, used, out);
    note_idle_conditions(system, used, out);
    return out;
}

std::vector<std::string> idle_values(const ResolvedSystem& system, const Workload& workload)
{
    std::vector<std::string> out = idle_module_values(system, {});
    note_idle_workload(workload, out);
    note_idle_engine(system, workload, out);
    return out;
}

}  // namespace weft
