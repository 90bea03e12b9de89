// Values that a user has set and that change nothing.
#include "platform/configuration/resolver.h"

#include "collectives/schedule/algorithms/algorithms.h"

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
    note_idle_parts();
    note_idle_models();
    note_idle_workload();
    note_idle_conditions();
}

// Rings, pipeline and dimensions of a workload whose algorithm does not use them.
void Resolver::note_idle_workload()
{
    const Workload& workload = description_.workload;
    if (workload.kind != Workload::Kind::collective || workload.algorithm == "auto") return;
    OptionUse use;
    std::string who = "a plan";
    if (workload.plan.empty()) {
        CollectiveOp op = CollectiveOp::custom;
        if (!collective_from_name(workload.collective, op)) return;
        const std::string algorithm = workload.algorithm.empty() ? algorithm_names(op).front() : workload.algorithm;
        use = option_use(op, algorithm);
        who = "the algorithm " + algorithm + " of " + workload.collective;
    }
    const auto note = [this, &who](const char* option, bool set, bool used) {
        if (set && !used)
            system_.notices.push_back(
                std::string(option) + " of the workload is set and changes nothing: " + who + " does not use it");
    };
    note("rings", workload.rings > 0, use.rings);
    note("pipeline", workload.pipeline > 0, use.pipeline);
    note("dimensions", !workload.dimensions.empty(), use.dimensions);
}

// The same of slices and memories, whose models may declare which parameters of l2.* and hbm.* they read.
void Resolver::note_idle_parts()
{
    for (const Block block : {block_of<L2Spec>(), block_of<HbmSpec>()}) {
        const BlockInfo& info = blocks()[block];
        const std::size_t model = *info.find("model");
        const std::string& kind = info.parameters[model]->kind;
        std::vector<bool> set(info.parameters.size(), false);
        std::vector<bool> counts(info.parameters.size(), false);
        for (const NodeId node : with_memory()) {
            const Variant& variant = pool(block).at(system_.slot(node, block));
            const std::string& chosen = system_.models_of(kind)[variant.values[model]];
            for (std::size_t i = 0; i < set.size(); ++i) {
                if (system_.sources_[variant.sources[i]].file.empty()) continue;
                set[i] = true;
                if (i == model || blocks().counts(block, i, chosen)) counts[i] = true;
            }
        }
        for (std::size_t i = 0; i < set.size(); ++i)
            if (set[i] && !counts[i])
                system_.notices.push_back(info.path_of(i) + " is set and changes nothing: no model of the " +
                    (kind == "memory" ? "memories" : kind + "s") + " that it was set for reads it");
    }
}

// The same of blocks that models of links and of parts of accelerators bring.
void Resolver::note_idle_models()
{
    for (const Block block : blocks().all()) {
        const BlockInfo& info = blocks()[block];
        if (info.kind != "link" && !is_part(info.kind)) continue;
        const Block chooses = info.kind == "link" ? block_of<LinkSpec>()
            : info.kind == "slice"                ? block_of<L2Spec>()
                                                  : block_of<HbmSpec>();
        const std::size_t model = *info_of(chooses).find("model");
        std::vector<bool> set(info.parameters.size(), false);
        std::vector<bool> counts(info.parameters.size(), false);
        for (std::size_t i = 0; i < instances(block).size(); ++i) {
            if (instances(block)[i] == no_variant) continue;
            const std::uint64_t chosen = pool(chooses).at(instances(chooses)[i]).values[model];
            const Variant& variant = pool(block).at(instances(block)[i]);
            for (std::size_t p = 0; p < set.size(); ++p) {
                if (system_.sources_[variant.sources[p]].file.empty()) continue;
                set[p] = true;
                if (info.of_model(system_.models_of(info.kind)[chosen])) counts[p] = true;
            }
        }
        for (std::size_t p = 0; p < set.size(); ++p)
            if (set[p] && !counts[p])
                system_.notices.push_back(info.path_of(p) + " is set and changes nothing: it belongs to model " +
                    joined_names(info.models) + ", but none of the " +
                    (info.kind == "memory" ? "memories" : info.kind + "s") + " for which it is set has that model");
    }
}

}  // namespace weft
