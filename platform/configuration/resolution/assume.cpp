// An assumption is a choice that neither the document nor the user made: one entry for each kind of link, switch, card and
// accelerator, with the reason and the way to say it.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/resolution/resolver.h"
#include "platform/configuration/tables/link_rate.h"

namespace weft {

namespace {

constexpr std::string_view of_link_table = "link table ";
constexpr std::string_view of_profile = "profile ";

const std::string& component_name(const Graph& graph, NodeId node)
{
    const Component* component = graph.node(node).component;
    return component == nullptr ? graph.node(node).name : component->name;
}

std::string noun_of(std::string_view kind, const std::string& type)
{
    if (kind == "xpu") return "accelerator";
    if (kind == "nic" || kind == "nic_asic") return "network card";
    if (kind == "cpu" || kind == "grace_cpu") return "processor";
    return type == "switch" ? "switch" : "node";
}

std::string bind_text(const std::string& component, const std::string& what)
{
    return fmt::format("bind: [{{nodes: {{component: {}}}, {}}}]", component, what);
}

}  // namespace

// Entries are told apart by `key`; they keep the order in which they first occur.
Assumption& Resolver::assumption(const std::string& key, Assumption fresh)
{
    const auto [entry, is_new] = assumption_ids_.try_emplace(key, system_.assumptions.size());
    if (is_new) system_.assumptions.push_back(std::move(fresh));
    return system_.assumptions[entry->second];
}

int Resolver::declared_line(NodeId node) const
{
    const Component* component = graph_.node(node).component;
    return component == nullptr ? 0 : component->line;
}

void Resolver::list_assumptions()
{
    assume_profiles();
    assume_links();
    assume_nodes();
    assume_combining();
    assume_routing();
    for (Assumption& entry : system_.assumptions)
        entry.count = std::max<std::size_t>(1, entry.nodes.size() + entry.edges.size());
}

void Resolver::assume_profiles()
{
    for (const NodeId id : with_memory()) {
        if (!by_description_[id]) continue;
        const bool memory = system_.nodes_[id].role == NodeRole::memory;
        const Component* component = graph_.node(id).component;
        const auto open = open_profile_.find(component);
        if (!memory && open == open_profile_.end()) continue;
        const std::string& profile = profile_of_[id]->name;
        const std::string& name = component_name(graph_, id);
        Assumption fresh{memory ? "memory" : "accelerator", name, "profile"};
        const L2Spec cache =
            spec_from<L2Spec>(system_.values(block_of<L2Spec>(), system_.variant(id, block_of<L2Spec>())).values);
        const HbmSpec hbm =
            spec_from<HbmSpec>(system_.values(block_of<HbmSpec>(), system_.variant(id, block_of<HbmSpec>())).values);
        fresh.missing = "no profile given";
        fresh.taken = fmt::format("{} (L2 {}, memory {} at {})", profile, format_bytes(cache.size),
            format_bytes(hbm.capacity), format_rate(hbm.bandwidth));
        fresh.because = memory ? "its caches and channels are not described" : open->second;
        fresh.set_with = bind_text(name, "profile: " + profile) + (memory ? "" : " or --profile " + profile);
        fresh.file = system_.infrastructure;
        fresh.line = declared_line(id);
        const std::string key = fmt::format("profile {} {} {}", name, fresh.taken, fresh.because);
        assumption(key, std::move(fresh)).nodes.push_back(id);
    }
}

// What a link's description says of its speed and `taken` bytes per second, a share of its accelerator's links or 0, do not follow.
std::string Resolver::unread_of(const LinkKind& kind, EdgeId edge, std::uint64_t taken) const
{
    const std::string& description = description_of(edge);
    std::string unread = unread_speed(kind, description, taken);
    if (!unread.empty() || taken == 0) return unread;
    return described_links(kind, description).text;
}

void Resolver::assume_links()
{
    const std::size_t bandwidth = *info_of(block_of<LinkSpec>()).find("bandwidth");
    std::set<std::string> reasons;  // those that are told already
    for (EdgeId id = 0; id < graph_.edge_count(); ++id) {
        const LinkChoice& choice = choice_of(id);
        const EdgeKind& document = graph_.kind(id);
        const Variant& values = system_.values(block_of<LinkSpec>(), system_.link_slot(id));
        const std::string& source = system_.sources_[values.sources[bandwidth]].text;
        const bool table_rate = source.compare(0, of_link_table.size(), of_link_table) == 0;
        const LinkKind& kind = choice.kind == nullptr ? LinkTable::built_in().fallback() : *choice.kind;
        const std::string rate = format_rate(values.values[bandwidth]);
        // Nobody states the bandwidth.
        const bool open_rate =
            values.sources[bandwidth] != unknown_source && system_.sources_[values.sources[bandwidth]].file.empty();
        const bool shared = source.compare(0, of_profile.size(), of_profile) == 0;
        const std::string unread = unread_of(kind, id, shared ? values.values[bandwidth] : 0);
        Assumption fresh{"link", document.link, "protocol"};
        if (choice.by == LinkChoice::By::ends || choice.by == LinkChoice::By::nothing) {
            const std::string& text = description_of(id);
            fresh.missing = "no protocol given";
            fresh.taken = kind.name + (table_rate ? " at " + rate : "");
            fresh.because = choice.because;
            if (!text.empty() && choice.by == LinkChoice::By::ends)
                fresh.because = "its description names none and " + choice.because;
            fresh.set_with = fmt::format("links: {{{0}: {{protocol: {1}}}}} or --set links.{0}.protocol={1}",
                document.link, kind.name);
        } else if (choice.by == LinkChoice::By::description && (kind.generic || !choice.because.empty())) {
            // One protocol of a family, or a description that its ends belie.
            fresh.missing = !choice.because.empty() ? "its protocol is in doubt"
                : unread.empty()                    ? "no version of its protocol given"
                                                    : in_quotes(unread) + " of its description is not understood";
            fresh.taken = kind.name + (table_rate || !choice.because.empty() ? " at " + rate : "");
            fresh.because = choice.because.empty()
                ? fmt::format("its description has no further detail ({})", in_quotes(description_of(id)))
                : choice.because;
            fresh.set_with =
                fmt::format("links: {{{0}: {{protocol: NAME}}}} or --set links.{0}.protocol=NAME", document.link);
        } else if (choice.by == LinkChoice::By::description &&
            ((choice.rate_assumed && table_rate) || (!unread.empty() && open_rate))) {
            fresh.topic = "bandwidth";
            fresh.missing = unread.empty() ? "no bandwidth given"
                                           : in_quotes(unread) + " of its description is not understood as a bandwidth";
            fresh.taken = rate;
            fresh.because = "of " + (table_rate ? source.substr(of_link_table.size()) : source);
            fresh.set_with = fmt::format("links: {{{0}: {{bandwidth: {1}}}}} or --set 'links.{0}.bandwidth={1}'",
                document.link, rate);
        } else {
            continue;
        }
        fresh.file = system_.infrastructure;
        fresh.line = document.declared == nullptr ? graph_.edge(id).line : document.declared->line;
        // One line for each kind of link, however many reasons lead to the same.
        const std::string key = fmt::format("link {} {} {} {}", document.link, fresh.topic, fresh.taken, fresh.missing);
        const std::string because = fresh.because;
        Assumption& entry = assumption(key, std::move(fresh));
        if (reasons.insert(key + because).second && entry.because != because) entry.because += "; of others " + because;
        entry.edges.push_back(id);
    }
}

// Forwarding nodes, and accelerators where they pass traffic of others on.
void Resolver::assume_nodes()
{
    const std::vector<const ParameterInfo*>& parameters = info_of(block_of<SwitchSpec>()).parameters;
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const ResolvedSystem::NodeEntry& node = system_.nodes_[id];
        const VariantId variant = system_.slot(id, block_of<SwitchSpec>());
        if (variant == no_variant || bound_kind_[id]) continue;
        const std::string_view kind = kind_of_node(id);
        const bool transit = node.role == NodeRole::endpoint;
        const Profile* fabric = transit ? nullptr : fabric_of_[id];
        const bool of_profile = fabric != nullptr && !fabric->of(block_of<SwitchSpec>()).empty();
        // A switch that the document describes as one of a scale-up fabric is what the profile's links lead to.
        if (of_profile ? kind == "nvswitch" || kind == "scale_up_switch"
                       : row_of_[id] != nullptr && !row_of_[id]->assumed)
            continue;
        Figures figures = row_of_[id] == nullptr ? Figures() : row_of_[id]->figures;
        if (of_profile)
            for (const auto& [parameter, figure] : fabric->of(block_of<SwitchSpec>())) figures[parameter] = figure;
        const Variant& values = system_.values(block_of<SwitchSpec>(), variant);
        std::string taken;
        for (const auto& [parameter, figure] : figures) {
            const ParameterInfo& info = *parameters[parameter];
            if (!system_.sources_[values.sources[parameter]].file.empty()) continue;  // a user's
            if (!blocks().counts(block_of<SwitchSpec>(), parameter, transit ? "switch" : system_.names_[node.model]))
                continue;
            taken += fmt::format("{}{} {}", taken.empty() ? "" : ", ", info.name,
                value_text(info, values.values[parameter]));
        }
        if (taken.empty()) continue;
        const std::string& name = component_name(graph_, id);
        const std::string row = row_of_[id] == nullptr ? "other" : row_of_[id]->name;
        const std::string type = graph_.type(id);
        Assumption fresh{noun_of(kind, type), name, "timing"};
        fresh.transit = transit;
        fresh.missing = "no kind and no timing given";
        fresh.taken =
            fmt::format("{} ({})", of_profile ? "the scale-up switch of profile " + fabric->name : row, taken);
        fresh.because = of_profile ? fmt::format("{} and its description names no kind",
                                         second_tier_[id] ? "scale-up links join it to such a switch"
                                                          : "scale-up links join it to accelerators of that profile")
                                   : fmt::format("its type is {} and its description names no product{}", type,
                                         transit ? ", and it forwards traffic of others" : "");
        fresh.set_with = bind_text(name, "kind: " + (of_profile ? std::string("nvswitch") : row)) +
            fmt::format(" or --set '*.{}.*.switch.latency={}'", name,
                value_text(*parameters[*info_of(block_of<SwitchSpec>()).find("latency")],
                    values.values[*info_of(block_of<SwitchSpec>()).find("latency")]));
        fresh.file = system_.infrastructure;
        fresh.line = declared_line(id);
        const std::string key = fmt::format("node {} {} {}", name, fresh.taken, fresh.because);
        assumption(key, std::move(fresh)).nodes.push_back(id);
    }
}

// Whether a switch multicasts and reduces, where only the default says so.
void Resolver::assume_combining()
{
    const std::size_t groups = *info_of(block_of<SwitchSpec>()).find("multicast_groups");
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        const VariantId variant = system_.slot(id, block_of<SwitchSpec>());
        if (variant == no_variant || system_.nodes_[id].role != NodeRole::forwarder) continue;
        const Variant& values = system_.values(block_of<SwitchSpec>(), variant);
        if (values.sources[groups] != 0) continue;
        const std::string& name = component_name(graph_, id);
        Assumption fresh{noun_of(kind_of_node(id), graph_.type(id)), name, "multicast and reduction"};
        fresh.missing = "not said whether it multicasts and reduces, which the run uses";
        fresh.taken = fmt::format("able to, in {} groups", values.values[groups]);
        fresh.because = "that is the default of switch.multicast_groups";
        fresh.set_with = fmt::format("--set '*.{}.*.switch.multicast_groups={}', or 0 for one that does not", name,
            values.values[groups]);
        fresh.combining = true;
        fresh.file = system_.infrastructure;
        fresh.line = declared_line(id);
        assumption("combining " + name, std::move(fresh)).nodes.push_back(id);
    }
}

// Routing figures come from the profile of the first accelerator.
void Resolver::assume_routing()
{
    std::set<std::string> others;
    for (const NodeId id : system_.endpoints_)
        if (id != system_.endpoints_.front() && profile_of_[id] != profile_of_[system_.endpoints_.front()])
            others.insert(profile_of_[id]->name);
    if (others.empty()) return;
    const Profile& first = *profile_of_[system_.endpoints_.front()];
    const Variant& values = system_.values(block_of<RoutingSpec>(), system_.system_variant(block_of<RoutingSpec>()));
    std::string taken;
    for (const auto& [parameter, figure] : first.of(block_of<RoutingSpec>())) {
        if (!system_.sources_[values.sources[parameter]].file.empty()) continue;
        const ParameterInfo& info = *info_of(block_of<RoutingSpec>()).parameters[parameter];
        taken += fmt::format("{}routing.{}={}", taken.empty() ? "" : ", ", info.name,
            value_text(info, values.values[parameter]));
    }
    if (taken.empty()) return;
    std::string names = first.name;
    for (const std::string& name : others) names += ", " + name;
    Assumption fresh{"system", system_.name, "routing"};
    fresh.missing = "its accelerators have several profiles (" + names + ")";
    fresh.taken = taken;
    fresh.because = "that is the first accelerator's";
    fresh.set_with = "--set " + taken.substr(0, taken.find(','));
    fresh.file = system_.file.empty() ? system_.infrastructure : system_.file;
    assumption("routing", std::move(fresh));
}

}  // namespace weft
