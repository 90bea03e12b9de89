// Profiles and models of nodes, and their blocks of parameters.
#include "platform/configuration/resolution/resolver.h"

namespace weft {

void Resolver::choose_profiles()
{
    profile_of_.assign(graph_.node_count(), nullptr);
    by_description_.assign(graph_.node_count(), false);
    const auto set_profile = [this](NodeId id, const Profile* profile) {
        profile_of_[id] = profile;
        by_description_[id] = false;
    };
    const auto lookup = [this](const std::string& name, const std::string& file, int line) -> const Profile* {
        try {
            return profiles_.get(name, file, line);
        } catch (const InputError& error) {
            problems_.insert(problems_.end(), error.diagnostics().begin(), error.diagnostics().end());
            return nullptr;
        }
    };
    const Profile* given = description_.profile.empty()
        ? nullptr
        : lookup(description_.profile, description_.profile_file, description_.profile_line);
    std::map<const Component*, const Profile*> described;
    for (const NodeId id : system_.endpoints_) {
        const Node& node = graph_.node(id);
        profile_of_[id] = given;
        if (given == nullptr) {
            const auto [entry, fresh] = described.try_emplace(node.component, nullptr);
            if (fresh) {
                const std::string text =
                    description_of(node) + (node.device == nullptr ? "" : " " + node.device->description);
                entry->second = profiles_.matching(text);
                // The device may hold others; what the component says of itself comes first.
                const std::vector<std::string> spoken_of = profiles_.all_matching(description_of(node));
                if (entry->second == nullptr) {
                    entry->second = profiles_.get("generic", "", 0);
                    open_profile_[node.component] = "its description names no part that has a profile";
                } else if (spoken_of.size() > 1) {
                    std::string names;
                    for (const std::string& name : spoken_of) names += (names.empty() ? "" : " and ") + name;
                    open_profile_[node.component] = "its description names " + names + ", that one first";
                }
            }
            profile_of_[id] = entry->second;
            by_description_[id] = true;
        }
        if (const Attribute* wish = Graph::find(graph_.node_attributes(id), "weft.profile"))
            if (const Profile* profile = lookup(wish->value, wish->file, wish->line)) set_profile(id, profile);
    }
    for (const NodeId id : system_.memories_) {
        profile_of_[id] = profiles_.get("generic", "", 0);
        by_description_[id] = true;
        if (const Attribute* wish = Graph::find(graph_.node_attributes(id), "weft.profile"))
            if (const Profile* profile = lookup(wish->value, wish->file, wish->line)) set_profile(id, profile);
    }
    for (const Binding& binding : description_.bindings) {
        if (binding.profile.empty()) continue;
        const Profile* profile = lookup(binding.profile, binding.file, binding.line);
        std::vector<NodeId> nodes;
        for (const NodeId id : selected(binding.nodes)) {
            if (!has_memory(system_.nodes_[id].role)) continue;
            nodes.push_back(id);
            if (profile != nullptr) set_profile(id, profile);
        }
        if (const std::string none = unmatched(binding.nodes, nodes); !none.empty())
            problem(binding.file, binding.line, "no xpu matches " + in_quotes(none),
                "nodes of type xpu or memory; other nodes have no profile");
    }
}

void Resolver::choose_models()
{
    const auto is_link = [this](const std::string& name) {
        const auto links = known_.models.find("link");
        return links != known_.models.end() &&
            std::find(links->second.begin(), links->second.end(), name) != links->second.end();
    };
    const auto set_model = [this, is_link](NodeId id, const std::string& said, const std::string& file, int line) {
        std::string name = said;
        if (system_.nodes_[id].role == NodeRole::memory) {
            problem(file, line, "model " + in_quotes(name) + " for " + graph_.node(id).name + ", which is a memory",
                "an xpu or a node that forwards; memories have one model only");
            return false;
        }
        const char* kind = system_.nodes_[id].role == NodeRole::endpoint ? "gpu" : "switch";
        const auto known = known_.models.find(kind);
        const auto is_known = [&] {
            return known == known_.models.end() ||
                std::find(known->second.begin(), known->second.end(), name) != known->second.end();
        };
        if (known == known_.models.end() || !is_known()) name = old_names_.model(kind, name, file, line);
        const bool good = is_known();
        if (!good)
            problem(file, line, "unknown model " + in_quotes(name) + " for " + graph_.node(id).name,
                is_link(name) ? "a model of kind " + std::string(kind) + "; for links use --set link.model=" + name
                              : expected_name(std::string("a model of kind ") + kind, name, known->second));
        system_.nodes_[id].model = name_index(name);
        return good;
    };
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        ResolvedSystem::NodeEntry& entry = system_.nodes_[id];
        if (entry.role == NodeRole::passive) continue;
        entry.model = name_index(entry.role == NodeRole::endpoint ? "gpu"
                : entry.role == NodeRole::memory                  ? "memory"
                                                                  : "switch");
        if (const Attribute* wish = Graph::find(graph_.node_attributes(id), "weft.model"))
            set_model(id, wish->value, wish->file, wish->line);
    }
    for (const Binding& binding : description_.bindings) {
        if (binding.model.empty()) continue;
        const std::vector<NodeId> nodes = selected(binding.nodes);
        for (const NodeId id : nodes) {
            if (!set_model(id, binding.model, binding.file, binding.line)) break;  // once is enough
            system_.nodes_[id].traffic = binding.traffic.empty() ? 0 : name_index(binding.traffic);
        }
        if (const std::string none = unmatched(binding.nodes, nodes); !none.empty())
            problem(binding.file, binding.line, "no node that is simulated matches " + in_quotes(none),
                "the name of an xpu or of a node that forwards" +
                    (graph_.node_count() == 0 ? "" : ", such as " + graph_.node(0).name));
    }
}

void Resolver::make_nodes()
{
    for (const NodeId id : with_memory()) {
        const Profile* profile = profile_of_[id];
        if (profile == nullptr) profile = profiles_.get("generic", "", 0);  // a problem is already noted
        profile_of_[id] = profile;
        ResolvedSystem::NodeEntry& entry = system_.nodes_[id];
        entry.profile = name_index(profile->name);
        for (const Block block : BlockTable::built_in()->of(BlockOwner::endpoint)) {
            Variant variant = defaults(block);
            apply(variant, profile->of(block), *profile);
            system_.slot(id, block) = pool(block).add(std::move(variant));
        }
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        if (fabric_of_[id] == nullptr || system_.nodes_[id].role != NodeRole::forwarder) continue;
        VariantId& slot = system_.slot(id, block_of<SwitchSpec>());
        Variant variant = pool(block_of<SwitchSpec>()).at(slot);
        apply(variant, fabric_of_[id]->of(block_of<SwitchSpec>()), *fabric_of_[id]);
        slot = pool(block_of<SwitchSpec>()).add(std::move(variant));
    }
}

// A node has the blocks of its model. An edge has those of all links and an accelerator those of all its parts, since
// their models are parameters.
void Resolver::make_model_blocks()
{
    for (const Block block : blocks().all()) {
        const BlockInfo& info = blocks()[block];
        if (info.models.empty()) continue;
        const VariantId fresh = pool(block).add(defaults(block));
        std::vector<VariantId>& slots = instances(block);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (on_nodes(info)) {
                const ResolvedSystem::NodeEntry& node = system_.nodes_[i];
                const bool fits = info.title.owner == BlockOwner::endpoint ? node.role == NodeRole::endpoint
                                                                           : node.role == NodeRole::forwarder;
                if (is_part(info.kind)) {
                    if (!has_memory(node.role)) continue;
                } else if (!fits || !info.of_model(system_.names_[node.model])) {
                    continue;
                }
            }
            slots[i] = fresh;
        }
    }
}

}  // namespace weft
