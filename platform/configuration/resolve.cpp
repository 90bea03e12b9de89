#include "platform/configuration/resolve.h"

#include <algorithm>
#include <limits>

#include "infragraph/load.h"
#include "platform/configuration/glob.h"
#include "platform/configuration/node_table.h"
#include "platform/configuration/resolver.h"

namespace weft {

namespace {

const std::string& component_description(const Node& node)
{
    static const std::string none;
    return node.component == nullptr ? none : node.component->description;
}

}  // namespace

Resolver::Resolver(const SystemDescription& description, std::shared_ptr<const Graph> graph, const KnownNames& known)
    : description_(description), graph_(*graph), known_(known)
{
    system_.graph_ = std::move(graph);
    system_.name = description.name.empty() ? graph_.infrastructure().name : description.name;
    system_.infrastructure = description.infrastructure;
    system_.file = description.file;
    system_.seed = description.seed;
    system_.workload = description.workload;
    system_.blocks_ = known.blocks == nullptr ? BlockTable::built_in() : known.blocks;
    system_.pools_.resize(blocks().size());
    for (const Block block : blocks().all()) {
        const BlockInfo& info = blocks()[block];
        const std::size_t count = on_nodes(info)   ? graph_.node_count()
            : info.title.owner == BlockOwner::link ? graph_.edge_count()
                                                   : 1;
        system_.variants_.emplace_back(count, no_variant);
    }
    for (const Block block : blocks().all())
        for (const ParameterInfo* parameter : blocks()[block].parameters)
            if (!parameter->kind.empty()) system_.chosen_models_[parameter->kind] = parameter->choices;
    source("default");
    source("unknown");
}

ResolvedSystem Resolver::run()
{
    assign_roles();
    choose_kinds();
    assign_ranks();
    choose_profiles();
    choose_models();
    read_protocols();
    choose_links();
    find_fabric();
    make_nodes();
    make_links();
    make_model_blocks();
    instances(block_of<EngineSpec>()).front() = pool(block_of<EngineSpec>()).add(defaults(block_of<EngineSpec>()));
    Variant routing = defaults(block_of<RoutingSpec>());
    if (!system_.endpoints_.empty()) {
        const Profile& first = *profile_of_[system_.endpoints_.front()];
        apply(routing, first.of(block_of<RoutingSpec>()), "profile " + first.name + ": ");
    }
    instances(block_of<RoutingSpec>()).front() = pool(block_of<RoutingSpec>()).add(std::move(routing));
    apply_annotations();
    for (const Assignment& assignment : description_.assignments) apply_assignment(assignment);
    for (const Assignment& assignment : description_.sets) apply_assignment(assignment);
    size_credits();
    check_values();
    check_workload(description_.workload, known_, description_.file, problems_);
    if (!problems_.empty()) throw InputError(std::move(problems_));
    note_idle_values();
    list_assumptions();
    system_.make_specs();
    system_.old_names = profiles_.notices();
    system_.old_names.insert(system_.old_names.end(), old_names_.notices().begin(), old_names_.notices().end());
    return std::move(system_);
}

void Resolver::assign_roles()
{
    system_.nodes_.resize(graph_.node_count());
    row_of_.assign(graph_.node_count(), nullptr);
    bound_kind_.assign(graph_.node_count(), false);
    // Nodes of one component share the answer of the table.
    std::map<const Component*, const NodeRow*> rows;
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const Node& node = graph_.node(id);
        const auto [entry, fresh] = rows.try_emplace(node.component, nullptr);
        if (fresh) entry->second = NodeTable::built_in().find(graph_.type(id), component_description(node));
        row_of_[id] = entry->second;
        ResolvedSystem::NodeEntry& out = system_.nodes_[id];
        const bool passes = entry->second == nullptr || entry->second->forwards;
        if (node.component != nullptr && node.component->choice == Choice::xpu)
            out.role = NodeRole::endpoint;
        else if (node.component != nullptr && node.component->choice == Choice::memory &&
            graph_.neighbours(id).size() > 0)
            out.role = NodeRole::memory;
        else if (passes && graph_.neighbours(id).size() > 1)
            out.role = NodeRole::forwarder;
        if (out.role == NodeRole::passive) continue;
        if (out.role == NodeRole::memory) {
            system_.memories_.push_back(id);
            continue;
        }
        if (out.role == NodeRole::endpoint) system_.endpoints_.push_back(id);
        system_.slot(id, block_of<SwitchSpec>()) = pool(block_of<SwitchSpec>()).add(switch_defaults(entry->second));
    }
}

Variant Resolver::switch_defaults(const NodeRow* row)
{
    Variant variant = defaults(block_of<SwitchSpec>());
    if (row != nullptr) apply(variant, row->figures, "node table " + row->name + ": ");
    return variant;
}

// Kinds that annotations and bindings name.
void Resolver::choose_kinds()
{
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const Attribute* wish = Graph::find(graph_.node_attributes(id), "weft.kind");
        if (wish == nullptr) continue;
        const NodeRow* row = known_kind(wish->value, wish->file, wish->line);
        if (row == nullptr) continue;
        if (system_.slot(id, block_of<SwitchSpec>()) != no_variant)
            bind_kind(id, *row);
        else
            problem(wish->file, wish->line,
                "node " + graph_.node(id).name + " does not forward packets and has no kind",
                "a node that forwards, or an xpu");
    }
    for (const Binding& binding : description_.bindings) {
        if (binding.kind.empty()) continue;
        const NodeRow* row = known_kind(binding.kind, binding.file, binding.line);
        bool any = false;
        for (const NodeId id : selected(binding.nodes)) {
            if (system_.slot(id, block_of<SwitchSpec>()) == no_variant) continue;
            any = true;
            if (row != nullptr) bind_kind(id, *row);
        }
        if (!any)
            problem(binding.file, binding.line, "no node that forwards matches " + in_quotes(binding.nodes.text()),
                "the name of a switch, a card, a processor or an xpu");
    }
}

const NodeRow* Resolver::known_kind(const std::string& name, const std::string& file, int line)
{
    const NodeRow* row = NodeTable::built_in().named(name);
    if (row != nullptr && row->forwards) return row;
    std::vector<std::string> names;
    std::string all;
    for (const NodeRow& known : NodeTable::built_in().rows()) {
        if (!known.forwards) continue;
        names.push_back(known.name);
        all += (all.empty() ? "" : ", ") + known.name;
    }
    problem(file, line, "unknown kind of node " + in_quotes(name), expected_name("one of " + all, name, names));
    return nullptr;
}

void Resolver::bind_kind(NodeId node, const NodeRow& row)
{
    row_of_[node] = &row;
    bound_kind_[node] = true;
    system_.slot(node, block_of<SwitchSpec>()) = pool(block_of<SwitchSpec>()).add(switch_defaults(&row));
}

std::vector<NodeId> Resolver::with_memory() const
{
    std::vector<NodeId> nodes = system_.endpoints_;
    nodes.insert(nodes.end(), system_.memories_.begin(), system_.memories_.end());
    return nodes;
}

void Resolver::assign_ranks()
{
    std::vector<std::pair<std::uint64_t, NodeId>> order;
    const Attribute* first = nullptr;
    std::vector<bool> taken(system_.endpoints_.size(), false);
    for (const NodeId node : system_.endpoints_) {
        const Attribute* rank = Graph::find(graph_.node_attributes(node), "rank");
        if (rank == nullptr) continue;
        if (first == nullptr) first = rank;
        const ParameterInfo info{"rank", Unit::count, 0, system_.endpoints_.size() - 1, "", {}};
        const auto value = parse_value(info, rank->value);
        if (!value || *value > info.high || taken[*value]) {
            problem(rank->file, rank->line,
                "rank " + in_quotes(rank->value) + " of " + graph_.node(node).name +
                    (value && *value <= info.high ? " is used twice" : " is not a rank"),
                "each number from 0 to " + std::to_string(info.high) + " once");
            return;
        }
        taken[*value] = true;
        order.emplace_back(*value, node);
    }
    if (first == nullptr) return;
    if (order.size() != system_.endpoints_.size()) {
        problem(first->file, first->line,
            "only " + std::to_string(order.size()) + " of " + std::to_string(system_.endpoints_.size()) +
                " xpu nodes have a rank",
            "a rank on each of them, or on none");
        return;
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) system_.endpoints_[i] = order[i].second;
}

bool Resolver::matches(NodeId id, const NodeSelector& selector) const
{
    const Node& node = graph_.node(id);
    const std::string component = node.component == nullptr ? "" : node.component->name;
    return (selector.glob.empty() || glob_matches(selector.glob, node.name)) &&
        (selector.component.empty() || selector.component == component) &&
        (selector.device.empty() || selector.device == graph_.device_name(id)) &&
        (selector.type.empty() || selector.type == graph_.type(id));
}

std::vector<NodeId> Resolver::selected(const NodeSelector& selector) const
{
    std::vector<NodeId> nodes;
    for (NodeId id = 0; id < graph_.node_count(); ++id)
        if (system_.nodes_[id].role != NodeRole::passive && matches(id, selector)) nodes.push_back(id);
    return nodes;
}

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
                    component_description(node) + (node.device == nullptr ? "" : " " + node.device->description);
                entry->second = profiles_.matching(text);
                // The device may hold others; what the component says of itself comes first.
                const std::vector<std::string> spoken_of = profiles_.all_matching(component_description(node));
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
        bool any = false;
        for (const NodeId id : selected(binding.nodes)) {
            if (!has_memory(system_.nodes_[id].role)) continue;
            any = true;
            if (profile != nullptr) set_profile(id, profile);
        }
        if (!any)
            problem(binding.file, binding.line, "no xpu matches " + in_quotes(binding.nodes.text()),
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
        if (nodes.empty())
            problem(binding.file, binding.line, "no node that is simulated matches " + in_quotes(binding.nodes.text()),
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
            apply(variant, profile->of(block), "profile " + profile->name + ": ");
            system_.slot(id, block) = pool(block).add(std::move(variant));
        }
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        if (fabric_of_[id] == nullptr || system_.nodes_[id].role != NodeRole::forwarder) continue;
        VariantId& slot = system_.slot(id, block_of<SwitchSpec>());
        Variant variant = pool(block_of<SwitchSpec>()).at(slot);
        apply(variant, fabric_of_[id]->of(block_of<SwitchSpec>()), "profile " + fabric_of_[id]->name + ": ");
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

SourceId Resolver::source(std::string text, std::string file, int line)
{
    const auto [entry, fresh] = source_ids_.try_emplace(text, static_cast<SourceId>(system_.sources_.size()));
    if (fresh) system_.sources_.push_back({std::move(text), std::move(file), line});
    return entry->second;
}

std::uint32_t Resolver::name_index(const std::string& name)
{
    const auto [entry, fresh] = name_ids_.try_emplace(name, static_cast<std::uint32_t>(system_.names_.size()));
    if (fresh) system_.names_.push_back(name);
    return entry->second;
}

Variant Resolver::defaults(Block block) const
{
    const BlockInfo& info = blocks()[block];
    return {info.defaults, std::vector<SourceId>(info.defaults.size(), default_source)};
}

void Resolver::apply(Variant& variant, const Figures& figures, const std::string& prefix)
{
    for (const auto& [parameter, figure] : figures) {
        variant.values[parameter] = figure.value;
        variant.sources[parameter] = source(prefix + figure.provenance());
    }
}

void Resolver::problem(const std::string& file, int line, std::string what, std::string expected)
{
    problems_.push_back({file, line, std::move(what), std::move(expected)});
}

ResolvedSystem resolve(const SystemDescription& description, std::shared_ptr<const Graph> graph,
    const KnownNames& known)
{
    return Resolver(description, std::move(graph), known).run();
}

ResolvedSystem load_system(const SystemDescription& description, const KnownNames& known)
{
    LoadOptions options;
    options.lenient = description.lenient;
    LoadedGraph loaded = load_infrastructure(description.infrastructure, options);
    ResolvedSystem system = resolve(description, std::make_shared<const Graph>(std::move(loaded.graph)), known);
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    system.notices.insert(system.notices.begin(), notices.begin(), notices.end());
    return system;
}

}  // namespace weft
