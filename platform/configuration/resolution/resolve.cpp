#include "platform/configuration/resolution/resolve.h"

#include <filesystem>

#include <unistd.h>

#include "platform/configuration/idle/idle_values.h"
#include "platform/configuration/resolution/resolver.h"

namespace weft {

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
    source({"default", "", 0});
    source({"unknown", "", 0});
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
        apply(routing, first.of(block_of<RoutingSpec>()), first);
    }
    instances(block_of<RoutingSpec>()).front() = pool(block_of<RoutingSpec>()).add(std::move(routing));
    apply_annotations();
    for (const Assignment& assignment : description_.assignments) apply_assignment(assignment);
    for (const Assignment& assignment : description_.sets) apply_assignment(assignment);
    size_credits();
    check_values();
    check_workload(description_.workload, known_, description_.file, problems_);
    if (!problems_.empty()) throw InputError(std::move(problems_));
    for (std::string& notice : idle_values(system_, description_.workload))
        system_.notices.push_back(std::move(notice));
    list_assumptions();
    keep_rows();
    system_.make_specs();
    system_.old_names = profiles_.notices();
    system_.old_names.insert(system_.old_names.end(), old_names_.notices().begin(), old_names_.notices().end());
    return std::move(system_);
}

// Keeps which rows of the tables nodes and links have; their values may all be set elsewhere.
void Resolver::keep_rows()
{
    for (NodeId node = 0; node < graph_.node_count(); ++node) system_.nodes_[node].row = row_of_[node];
    system_.link_kinds_.reserve(graph_.edge_count());
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) system_.link_kinds_.push_back(&kind_of(edge));
}

SourceId Resolver::source(ValueSource from)
{
    const auto [entry, fresh] =
        source_ids_.try_emplace(std::make_tuple(from.text, from.file, from.line, from.profile_file, from.profile_line),
            static_cast<SourceId>(system_.sources_.size()));
    if (fresh) system_.sources_.push_back(std::move(from));
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

void Resolver::apply(Variant& variant, const Figures& figures, const std::string& prefix, const std::string& file)
{
    for (const auto& [parameter, figure] : figures) {
        variant.values[parameter] = figure.value;
        ValueSource from{prefix + figure.provenance(), "", 0};
        if (!file.empty() && figure.line > 0) {
            from.profile_file = file;
            from.profile_line = figure.line;
        }
        variant.sources[parameter] = source(std::move(from));
    }
}

void Resolver::apply(Variant& variant, const Figures& figures, const Profile& profile)
{
    apply(variant, figures, "profile " + profile.name + ": ", profile.file);
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

LoadedGraph load_infrastructure_of(const SystemDescription& description, const LoadOptions& options)
{
    try {
        return load_infrastructure(description.infrastructure, options);
    } catch (const InputError& error) {
        const Diagnostic& problem = error.diagnostics().front();
        std::error_code none;
        const bool readable = ::access(description.infrastructure.c_str(), R_OK) == 0 &&
            !std::filesystem::is_directory(description.infrastructure, none);
        if (readable || description.infrastructure_line == 0 || problem.file != description.infrastructure) throw;
        throw InputError(description.file, description.infrastructure_line,
            "the infrastructure " + in_quotes(problem.file) + " " + problem.what, problem.expected);
    }
}

ResolvedSystem load_system(const SystemDescription& description, const KnownNames& known)
{
    LoadOptions options;
    options.lenient = description.lenient;
    LoadedGraph loaded = load_infrastructure_of(description, options);
    ResolvedSystem system = resolve(description, std::make_shared<const Graph>(std::move(loaded.graph)), known);
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    system.notices.insert(system.notices.begin(), notices.begin(), notices.end());
    return system;
}

}  // namespace weft
