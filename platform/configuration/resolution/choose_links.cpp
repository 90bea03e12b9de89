// The protocol of every link: named, described, or a choice from what the document says of its ends. The spelling of a
// link's name decides nothing.
#include <algorithm>

#include <fmt/format.h>

#include "platform/configuration/parameters/glob.h"
#include "platform/configuration/resolution/resolver.h"
#include "platform/configuration/tables/link_rate.h"

namespace weft {

const std::string& Resolver::description_of(EdgeId edge) const
{
    static const std::string none;
    const EdgeKind& kind = graph_.kind(edge);
    return kind.declared == nullptr ? none : kind.declared->description;
}

const LinkKind& Resolver::kind_of(EdgeId edge) const
{
    const LinkKind* kind = choice_of(edge).kind;
    return kind == nullptr ? LinkTable::built_in().fallback() : *kind;
}

std::string_view Resolver::kind_of_node(NodeId node) const
{
    if (system_.nodes_[node].role == NodeRole::endpoint) return "xpu";
    const Component* component = graph_.node(node).component;
    if (component != nullptr && component->choice == Choice::memory) return "memory";
    return row_of_[node] == nullptr ? std::string_view("other") : std::string_view(row_of_[node]->name);
}

// Annotations, the system file, --set: later wins.
void Resolver::read_protocols()
{
    constexpr std::string_view vocabulary = "weft.";
    for (const Attribute& attribute : graph_.graph_attributes())
        if (attribute.name.compare(0, vocabulary.size(), vocabulary) == 0)
            read_protocol({attribute.name.substr(vocabulary.size()), attribute.value, attribute.file, attribute.line});
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge)
        for (const Attribute& attribute : graph_.edge_attributes(edge))
            if (attribute.name == "weft.link.protocol")
                read_protocol(
                    {edge_name(graph_, edge) + ".link.protocol", attribute.value, attribute.file, attribute.line});
    for (const Assignment& assignment : description_.assignments) read_protocol(assignment);
    for (const Assignment& assignment : description_.sets) read_protocol(assignment);
}

void Resolver::read_protocol(const Assignment& assignment)
{
    if (!names_protocol(assignment.path)) return;
    const LinkTable& table = LinkTable::built_in();
    const LinkKind* kind = table.named(assignment.value);
    if (kind == nullptr) {
        std::string all;
        for (const std::string& name : table.names()) all += (all.empty() ? "" : ", ") + name;
        problem(assignment.file, assignment.line, "unknown protocol " + in_quotes(assignment.value),
            expected_name("one of " + all, assignment.value, table.names()));
        return;
    }
    named_protocol_.resize(graph_.edge_count(), nullptr);
    const std::string rest = assignment.path.substr(0, assignment.path.rfind('.'));
    constexpr std::string_view by_name = "links.";
    const bool of_name = rest.compare(0, by_name.size(), by_name) == 0 && !is_of_instance_links(assignment.path);
    const std::string target = rest == "link" ? ""
        : of_name                             ? rest.substr(by_name.size())
                                              : rest.substr(0, rest.rfind('.'));
    bool any = false;
    NumberedGlob glob(target);
    std::vector<std::string> links;
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
        bool match = rest == "link";
        if (of_name) {
            match = graph_.kind(edge).link == target;
            if (!any && std::find(links.begin(), links.end(), graph_.kind(edge).link) == links.end())
                links.push_back(graph_.kind(edge).link);
        } else if (!match) {
            for (const std::string& name : instance_names(block_of<LinkSpec>(), edge))
                match = glob.matches(name) || match;
        }
        if (match) named_protocol_[edge] = kind;
        any = any || match;
    }
    const std::string missing = of_name || rest == "link" ? "" : glob.missing();
    if (any && missing.empty()) return;
    if (of_name)
        problem(assignment.file, assignment.line, "no edge has link " + in_quotes(target),
            expected_name("the name of a link", target, links));
    else
        problem(assignment.file, assignment.line,
            in_quotes(any ? missing + ".link.protocol" : assignment.path) + " matches no link",
            "NODE~NODE of two neighbours");
}

std::uint32_t Resolver::choice_index(LinkChoice choice)
{
    for (std::uint32_t i = 0; i < choices_.size(); ++i) {
        const LinkChoice& other = choices_[i];
        if (other.by == choice.by && other.kind == choice.kind && other.family == choice.family &&
            other.rate_of_table == choice.rate_of_table && other.rate_assumed == choice.rate_assumed &&
            other.because == choice.because)
            return i;
    }
    choices_.push_back(std::move(choice));
    return static_cast<std::uint32_t>(choices_.size() - 1);
}

// Edges of one definition between the same kinds of nodes share the choice.
void Resolver::choose_links()
{
    using Key =
        std::tuple<std::uint32_t, std::string_view, std::string_view, const Profile*, const Profile*, const LinkKind*>;
    std::map<Key, std::uint32_t> known;  // for looking up only
    choice_of_.reserve(graph_.edge_count());
    for (EdgeId id = 0; id < graph_.edge_count(); ++id) {
        const Edge& edge = graph_.edge(id);
        const LinkKind* named = named_protocol_.empty() ? nullptr : named_protocol_[id];
        const Key key{edge.kind, kind_of_node(edge.a), kind_of_node(edge.b), profile_of_[edge.a], profile_of_[edge.b],
            named};
        const auto [entry, fresh] = known.try_emplace(key, 0);
        if (fresh) entry->second = choice_index(choice_for(id, named));
        choice_of_.push_back(entry->second);
    }
}

LinkChoice Resolver::choice_for(EdgeId id, const LinkKind* named) const
{
    const LinkTable& table = LinkTable::built_in();
    const Edge& edge = graph_.edge(id);
    const EdgeKind& document = graph_.kind(id);
    const bool per_lane = document.bandwidth && !document.bytes_per_second;
    const std::string_view a = kind_of_node(edge.a);
    const std::string_view b = kind_of_node(edge.b);
    // The accelerator whose scale-up link this may be.
    const Profile* owner = a == "xpu" ? profile_of_[edge.a] : b == "xpu" ? profile_of_[edge.b] : nullptr;
    const auto own_link = [&](const LinkKind* otherwise) {
        const LinkKind* own = owner == nullptr ? nullptr : table.by_name(owner->scale_up.link);
        return own == nullptr ? otherwise : own;
    };

    LinkChoice choice;
    if (named != nullptr) {
        choice.by = LinkChoice::By::name;
        choice.kind = named;
        choice.family = named->family;
        if (named->generic && in_scale_up_family(named->family, owner)) choice.kind = own_link(named);
        return choice;
    }
    const EndRule* rule = rule_for_ends(a, b);
    const bool scale_up_ends = rule != nullptr && std::string_view(rule->link) == "scale_up";
    if (const LinkKind* kind = table.described(description_of(id))) {
        choice.by = LinkChoice::By::description;
        choice.kind = kind;
        choice.family = kind->family;
        choice.rate_assumed = bandwidth_is_assumed(*kind, description_of(id), per_lane);
        if (kind->generic && in_scale_up_family(kind->family, owner)) {
            choice.kind = own_link(kind);
            choice.rate_assumed = false;  // a share of the profile's links
        } else if (kind->in_module && scale_up_ends && (a != "xpu" || b != "xpu")) {
            choice.family = "scale_up";
            choice.because = fmt::format("its description names {}, which joins chips of one module, but its ends are "
                                         "an accelerator and a switch",
                kind->name);
        }
        return choice;
    }
    if (rule == nullptr) {
        choice.because = fmt::format("neither its description nor its ends ({} and {}) give more detail", a, b);
        return choice;
    }
    choice.by = LinkChoice::By::ends;
    choice.rate_of_table = rule->rate;
    const auto needs_lanes = [&] { return per_lane && !choice.kind->transfer; };  // no share stands for a stated rate
    if (scale_up_ends) {
        choice.kind = own_link(table.by_name("xpu_fabric"));
        choice.family = "scale_up";
        choice.because = fmt::format("it joins {} and {}, as the scale-up link of profile {} does", a, b,
            owner == nullptr ? "generic" : owner->name);
        if (needs_lanes()) choice.family.clear();
    } else {
        choice.kind = table.by_name(rule->link);
        choice.family = choice.kind->family;
        choice.because = fmt::format("its ends are of the kinds {} and {}", a, b);
    }
    return choice;
}

void Resolver::find_fabric()
{
    fabric_of_.assign(graph_.node_count(), nullptr);
    second_tier_.assign(graph_.node_count(), false);
    std::vector<NodeId> front;
    for (const NodeId id : system_.endpoints_) {
        for (const Neighbour& neighbour : graph_.neighbours(id)) {
            if (!in_scale_up_family(choice_of(neighbour.edge).family, profile_of_[id])) continue;
            FabricEdges& edges = fabric_edges_[id];
            ++edges.all;
            if (const std::uint64_t links = links_described(neighbour.edge); links > 0) {
                ++edges.described;
                edges.links += links;
            }
            if (system_.nodes_[neighbour.node].role != NodeRole::forwarder || fabric_of_[neighbour.node] != nullptr)
                continue;
            if (kind_of_node(neighbour.node) == "port") continue;  // the chip behind it forwards
            if (bound_kind_[neighbour.node] && !can_be_scale_up_switch(row_of_[neighbour.node]->name)) continue;
            fabric_of_[neighbour.node] = profile_of_[id];
            front.push_back(neighbour.node);
        }
    }
    grow_fabric(std::move(front));
}

// Whether links from the switch on can be scale-up links, too. A chip is a switch by its description and may be any; one that somebody
// calls so is a switch of other networks.
bool Resolver::extends_fabric(NodeId node) const
{
    const std::string_view kind = kind_of_node(node);
    return can_be_scale_up_switch(kind) ||
        (kind == "switch_asic" && !bound_kind_[node] && graph_.type(node) == "switch");
}

void Resolver::grow_fabric(std::vector<NodeId> front)
{
    for (std::size_t at = 0; at < front.size(); ++at) {
        const NodeId id = front[at];
        const Profile* profile = fabric_of_[id];
        if (!extends_fabric(id)) continue;
        for (const Neighbour& next : graph_.neighbours(id)) {
            const std::string_view kind = kind_of_node(next.node);
            const bool memory = kind == "memory";
            if (!memory && (system_.nodes_[next.node].role != NodeRole::forwarder || !extends_fabric(next.node)))
                continue;
            const LinkChoice& present = choice_of(next.edge);
            const bool open = present.by == LinkChoice::By::ends || present.by == LinkChoice::By::nothing;
            // "XPU fabric", of no accelerator: of this one.
            const bool general = present.kind != nullptr && present.kind->generic && !present.family.empty() &&
                in_scale_up_family(present.family, profile);
            const LinkKind* own = LinkTable::built_in().by_name(profile->scale_up.link);
            if (own != nullptr && present.family != "scale_up" && open) {
                LinkChoice choice;
                choice.by = LinkChoice::By::ends;
                choice.kind = own;
                choice.family = "scale_up";
                choice.rate_of_table = false;  // how many links there are follows from nothing
                choice.because = fmt::format(
                    "it joins {} to a switch whose links to accelerators are the scale-up links of profile {}",
                    memory ? "a memory" : "a switch", profile->name);
                choice_of_[next.edge] = choice_index(std::move(choice));
            } else if (own != nullptr && general) {
                LinkChoice choice = present;
                choice.kind = own;
                choice.rate_of_table = present.family != "scale_up";
                choice.rate_assumed = described_links(*own, description_of(next.edge)).count == 0 &&
                    !describes_lanes(*own, description_of(next.edge));  // of one link
                choice_of_[next.edge] = choice_index(std::move(choice));
            }
            if (memory || !in_scale_up_family(choice_of(next.edge).family, profile) || fabric_of_[next.node] != nullptr)
                continue;
            fabric_of_[next.node] = profile;
            second_tier_[next.node] = true;
            front.push_back(next.node);
        }
    }
}

}  // namespace weft
