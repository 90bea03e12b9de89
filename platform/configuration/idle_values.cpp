// Values that a user has set and that change nothing.
#include "platform/configuration/resolver.h"

namespace weft {

// Parameters of switches that a user has set and that count for none of the switches they were set for.
void Resolver::note_idle_values()
{
    const std::vector<const ParameterInfo*>& parameters = info_of(block_of<SwitchSpec>()).parameters;
    std::vector<bool> set(parameters.size(), false);
    std::vector<bool> counts(parameters.size(), false);
    for (NodeId n = 0; n < system_.nodes_.size(); ++n) {
        const ResolvedSystem::NodeEntry& node = system_.nodes_[n];
        const VariantId id = system_.slot(n, block_of<SwitchSpec>());
        if (id == no_variant || node.role != NodeRole::forwarder) continue;
        const Variant& variant = pool(block_of<SwitchSpec>()).at(id);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (system_.sources_[variant.sources[i]].file.empty()) continue;
            set[i] = true;
            if (blocks().counts(block_of<SwitchSpec>(), i, system_.names_[node.model])) counts[i] = true;
        }
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (set[i] && !counts[i])
            system_.notices.push_back("switch." + parameters[i]->name + " is set and changes nothing: " +
                (parameters[i]->model.empty() ? "no model of the switches that it was set for reads it"
                                              : "it belongs to model " + parameters[i]->model +
                            ", but none of the switches for which it is set has that model"));
    note_idle_links();
}

// The same of blocks that models of links bring.
void Resolver::note_idle_links()
{
    for (const Block block : blocks().of(BlockOwner::link)) {
        const BlockInfo& info = blocks()[block];
        if (info.models.empty()) continue;
        std::vector<bool> set(info.parameters.size(), false);
        std::vector<bool> counts(info.parameters.size(), false);
        for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
            const std::uint64_t model = system_.values(block_of<LinkSpec>(), system_.link_slot(edge))
                                            .values[*info_of(block_of<LinkSpec>()).find("model")];
            const Variant& variant = system_.values(block, instances(block)[edge]);
            for (std::size_t i = 0; i < set.size(); ++i) {
                if (system_.sources_[variant.sources[i]].file.empty()) continue;
                set[i] = true;
                if (info.of_model(system_.link_models_[model])) counts[i] = true;
            }
        }
        for (std::size_t i = 0; i < set.size(); ++i)
            if (set[i] && !counts[i])
                system_.notices.push_back(info.path_of(i) + " is set and changes nothing: it belongs to model " +
                    joined_names(info.models) + ", but none of the links for which it is set has that model");
    }
}

}  // namespace weft
