#include "infragraph/expand.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "infragraph/blueprint.h"
#include "infragraph/graph_builder.h"
#include "infragraph/saturating.h"
#include "infragraph/selection.h"

namespace weft {

namespace {

constexpr std::uint64_t most_name_bytes = std::uint64_t{1} << 29;

using LinkIndex = std::unordered_map<std::string_view, const LinkDeclaration*>;

LinkIndex index_links(const std::vector<LinkDeclaration>& links)
{
    LinkIndex index;
    for (const LinkDeclaration& link : links) index[link.name] = &link;
    return index;
}

// Calls sink(x, y) for every pair that a scheme makes of two endpoint lists, x != y.
template <typename Sink>
void for_each_pair(Scheme scheme, const std::vector<std::uint32_t>& list1, const std::vector<std::uint32_t>& list2,
    const Sink& sink)
{
    const auto pair = [&](std::uint32_t x, std::uint32_t y) {
        if (x != y) sink(x, y);
    };
    switch (scheme) {
    case Scheme::many2many:
        for (const std::uint32_t x : list1)
            for (const std::uint32_t y : list2) pair(x, y);
        return;
    case Scheme::one2one:
        for (std::size_t k = 0; k < std::min(list1.size(), list2.size()); ++k) pair(list1[k], list2[k]);
        return;
    case Scheme::ring: {
        // One ring through everything selected: the first list, then what only the second one has.
        std::vector<std::uint32_t> members;
        std::unordered_set<std::uint32_t> seen;
        for (const std::vector<std::uint32_t>* list : {&list1, &list2})
            for (const std::uint32_t member : *list)
                if (seen.insert(member).second) members.push_back(member);
        for (std::size_t k = 0; k + 1 < members.size(); ++k) pair(members[k], members[k + 1]);
        if (members.size() > 2) pair(members.back(), members.front());
        return;
    }
    }
}

std::uint64_t pair_count(Scheme scheme, std::uint64_t size1, std::uint64_t size2)
{
    if (scheme == Scheme::many2many) return saturating_multiply(size1, size2);
    return scheme == Scheme::ring ? size1 + size2 : std::min(size1, size2);
}

class Expander {
public:
    Expander(std::shared_ptr<const Infrastructure> infrastructure, Findings& findings, const ExpansionLimits& limits)
        : infrastructure_(*infrastructure), findings_(findings), limits_(limits),
          blueprints_(infrastructure_, findings), selector_(blueprints_, findings, limits.edges),
          builder_(std::move(infrastructure))
    {
    }

    Graph run();

private:
    void wire_device(Blueprint& blueprint);
    void list_instances();
    void check_size();
    void place_nodes(const Blueprint& blueprint, const std::string& prefix);
    void add_device_edges(const Blueprint& blueprint, std::uint32_t base, const std::string& prefix);
    void wire_infrastructure();

    // The kind of edges of a rule.
    std::uint32_t kind_of(const EdgeRule& rule, const LinkIndex& links, bool all_links, const std::string& owner);
    // Whether the rule's pairs may be made; counts them against the limit.
    bool admit(const EdgeRule& rule, const Selection& list1, const Selection& list2);

    const Infrastructure& infrastructure_;
    Findings& findings_;
    const ExpansionLimits& limits_;
    Blueprints blueprints_;
    EndpointSelector selector_;
    GraphBuilder builder_;
    InstanceTable instances_;
    std::uint64_t pairs_ = 0;
    bool over_limit_ = false;
};

Graph Expander::run()
{
    for (const std::uint32_t i : blueprints_.order()) wire_device(blueprints_.at(i));
    list_instances();
    check_size();
    if (!findings_.failed()) {
        for (std::size_t i = 0; i < instances_.parts.size(); ++i) {
            const Part& part = instances_.parts[i];
            for (std::uint64_t k = 0; k < part.placed; ++k)
                place_nodes(blueprints_.at(part.blueprint), instances_.names[i] + "." + std::to_string(k));
        }
        for (std::size_t i = 0; i < instances_.parts.size(); ++i) {
            const Part& part = instances_.parts[i];
            for (std::uint64_t k = 0; k < part.placed; ++k)
                add_device_edges(blueprints_.at(part.blueprint),
                    static_cast<std::uint32_t>(part.offset + k * part.stride),
                    instances_.names[i] + "." + std::to_string(k));
        }
    }
    wire_infrastructure();
    if (!findings_.failed() && builder_.node_count() == 0)
        findings_.refuse(0, "the document expands to no node at all",
            "at least one instance of a device with components");
    findings_.throw_if_failed();
    for (const auto& [line, text] : builder_.replaced_links()) findings_.note(line, text);
    return builder_.finish();
}

std::uint32_t Expander::kind_of(const EdgeRule& rule, const LinkIndex& links, bool all_links, const std::string& owner)
{
    const auto found = links.find(rule.link);
    if (found != links.end()) return builder_.kind_of(*found->second);
    if (!all_links) return builder_.kind_of_undeclared(rule.link);
    const auto known = [&] {
        std::vector<std::string> names;
        for (const auto& link : links) names.emplace_back(link.first);
        std::sort(names.begin(), names.end());
        return names;
    };
    findings_.doubt(rule.link_line, "undeclared link " + in_quotes(rule.link) + " in " + owner,
        findings_.nearest("one of its links", rule.link, known), "the edges carry the name alone");
    return builder_.kind_of_undeclared(rule.link);
}

bool Expander::admit(const EdgeRule& rule, const Selection& list1, const Selection& list2)
{
    const std::uint64_t size1 = list1.targets.size();
    const std::uint64_t size2 = list2.targets.size();
    pairs_ = saturating_add(pairs_, pair_count(rule.scheme, size1, size2));
    // The lists themselves count too, so that long lists with few pairs cannot take forever.
    pairs_ = saturating_add(pairs_, (size1 + size2) / 4);
    if (pairs_ <= limits_.edges) return true;
    if (!over_limit_)
        findings_.refuse(rule.line, "the edges expand to more than " + std::to_string(limits_.edges) + " pairs",
            "a smaller system");
    over_limit_ = true;
    return false;
}

void Expander::wire_device(Blueprint& blueprint)
{
    const LinkIndex links = index_links(blueprint.device->links);
    const std::string owner = "device " + in_quotes(blueprint.device->name);
    // Too large to be instantiated: its offsets do not fit, but its rules are checked.
    const bool too_large = blueprint.size > limits_.nodes;
    Strays strays;
    std::vector<RelativeEdge> pairs;
    for (const EdgeRule& rule : blueprint.device->edges) {
        if (over_limit_) break;
        const std::uint32_t kind = rule.broken ? 0 : kind_of(rule, links, !blueprint.device->broken, owner);
        const Selection list1 =
            rule.ep1.component.empty() && rule.broken ? Selection{} : selector_.in_device(rule.ep1, blueprint, strays);
        const Selection list2 =
            rule.ep2.component.empty() && rule.broken ? Selection{} : selector_.in_device(rule.ep2, blueprint, strays);
        if (rule.broken || !list1.usable || !list2.usable) continue;
        if (rule.scheme == Scheme::ring && list1.type != list2.type)
            findings_.doubt(rule.line, "the ring joins " + in_quotes(list1.type) + " with " + in_quotes(list2.type),
                "both endpoints of one type", "one ring through all of them");
        if (!admit(rule, list1, list2) || too_large || findings_.failed()) continue;
        for_each_pair(rule.scheme, list1.targets, list2.targets, [&](std::uint32_t x, std::uint32_t y) {
            pairs.push_back({x, y, kind, rule.line});
        });
    }

    // Where edges repeat within a device, the reference service lets the last one win in this order: by
    // first endpoint, in the order in which these first appear, and only then in document order.
    std::unordered_map<std::uint32_t, std::uint32_t> group_of;
    std::vector<std::uint32_t> start;
    for (const RelativeEdge& pair : pairs) {
        const auto group = group_of.emplace(pair.a, static_cast<std::uint32_t>(start.size()));
        if (group.second) start.push_back(0);
        ++start[group.first->second];
    }
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) total += std::exchange(count, total);
    std::vector<RelativeEdge> grouped(pairs.size());
    for (const RelativeEdge& pair : pairs) grouped[start[group_of[pair.a]]++] = pair;

    EdgeSet set;
    for (const RelativeEdge& pair : grouped) {
        bool added = false;
        const std::uint32_t id = set.insert(pair.a, pair.b, added);
        if (added) {
            blueprint.edges.push_back(pair);
        } else {
            const RelativeEdge& before = blueprint.edges[id];
            if (before.a == pair.a) builder_.repeated(before.kind, pair.kind, before.line, pair.line);
            blueprint.edges[id].kind = builder_.overwritten(blueprint.edges[id].kind, pair.kind, pair.line);
            blueprint.edges[id].line = pair.line;
        }
    }
    blueprint.strays = strays.take_names();
    blueprint.stray_total = blueprint.strays.size();
    blueprint.edge_total = blueprint.edges.size();
    for (const Part& part : blueprint.parts) {
        if (part.blueprint == Part::leaf) continue;
        const Blueprint& child = blueprints_.at(part.blueprint);
        blueprint.stray_total =
            saturating_add(blueprint.stray_total, saturating_multiply(part.placed, child.stray_total));
        blueprint.edge_total = saturating_add(blueprint.edge_total, saturating_multiply(part.placed, child.edge_total));
    }
}

void Expander::list_instances()
{
    for (const Instance& instance : infrastructure_.instances) {
        const std::uint32_t device = blueprints_.find(instance.device);
        const auto [found, added] =
            instances_.part_of.emplace(instance.name, static_cast<std::uint32_t>(instances_.parts.size()));
        if (added) {
            instances_.parts.emplace_back();
            instances_.names.push_back(instance.name);
        }
        Part& part = instances_.parts[found->second];
        part.broken = part.broken || instance.broken;
        if (device == Part::leaf) {
            if (!instance.broken)
                findings_.refuse(instance.device_line,
                    "unknown device " + in_quotes(instance.device) + " of instance " + in_quotes(instance.name),
                    findings_.nearest("the name of a device", instance.device, [&] { return blueprints_.names(); }));
            part.broken = true;
        } else if (!added && part.blueprint != Part::leaf && part.blueprint != device) {
            findings_.refuse(instance.line,
                "the instances named " + in_quotes(instance.name) + " are of different devices", "one device");
            part.broken = true;
        }
        if (device != Part::leaf && blueprints_.at(device).device == nullptr) part.broken = true;
        part.blueprint = device;
        part.count = static_cast<std::uint64_t>(instance.count);
        part.placed = std::max(part.placed, part.count);
    }
    std::uint64_t offset = 0;
    for (Part& part : instances_.parts) {
        if (part.blueprint == Part::leaf) continue;
        part.offset = offset;
        part.stride = blueprints_.at(part.blueprint).size;
        offset = saturating_add(offset, saturating_multiply(part.placed, part.stride));
    }
}

// Nothing is allocated for a document that expands to more than the limits.
void Expander::check_size()
{
    std::uint64_t nodes = 0;
    std::uint64_t edges = 0;
    std::uint64_t name_bytes = 0;
    for (std::size_t i = 0; i < instances_.parts.size(); ++i) {
        const Part& part = instances_.parts[i];
        if (part.broken || part.blueprint == Part::leaf) continue;
        const Blueprint& blueprint = blueprints_.at(part.blueprint);
        // An instance without nodes still costs a step.
        const std::uint64_t size = std::max<std::uint64_t>(blueprint.size + blueprint.stray_total, 1);
        nodes = saturating_add(nodes, saturating_multiply(part.placed, size));
        edges = saturating_add(edges, saturating_multiply(part.placed, blueprint.edge_total));
        const std::uint64_t one =
            saturating_add(blueprint.name_bytes, saturating_multiply(blueprint.size, instances_.names[i].size() + 12));
        name_bytes = saturating_add(name_bytes, saturating_multiply(part.placed, one));
    }
    if (nodes > limits_.nodes)
        findings_.refuse(0, "the document expands to more than " + std::to_string(limits_.nodes) + " nodes",
            "a smaller system");
    if (edges > limits_.edges)
        findings_.refuse(0, "the devices' edges expand to more than " + std::to_string(limits_.edges) + " definitions",
            "a smaller system");
    if (nodes <= limits_.nodes && name_bytes > most_name_bytes)
        findings_.refuse(0, "the node names take more than " + std::to_string(most_name_bytes) + " bytes",
            "shorter names or a smaller system");
}

void Expander::place_nodes(const Blueprint& blueprint, const std::string& prefix)
{
    for (const Part& part : blueprint.parts) {
        if (part.stride == 0) continue;
        const std::string stem = prefix + "." + part.component->name + ".";
        for (std::uint64_t k = 0; k < part.placed; ++k) {
            if (part.blueprint != Part::leaf) {
                place_nodes(blueprints_.at(part.blueprint), stem + std::to_string(k));
                continue;
            }
            Node node;
            node.name = stem + std::to_string(k);
            node.prefix = static_cast<std::uint32_t>(prefix.size());
            node.device = blueprint.device;
            node.component = part.component;
            builder_.add_node(std::move(node));
        }
    }
}

void Expander::add_device_edges(const Blueprint& blueprint, std::uint32_t base, const std::string& prefix)
{
    const auto node_at = [&](std::uint32_t target) {
        if ((target & Blueprint::stray_bit) == 0) return base + target;
        return builder_.node_named(prefix + "." + blueprint.strays[target & ~Blueprint::stray_bit]);
    };
    for (const RelativeEdge& edge : blueprint.edges)
        builder_.add_edge(node_at(edge.a), node_at(edge.b), edge.kind, edge.line);
    for (const Part& part : blueprint.parts) {
        if (part.blueprint == Part::leaf || part.stride == 0) continue;
        const Blueprint& child = blueprints_.at(part.blueprint);
        const std::string stem = child.stray_total > 0 ? prefix + "." + part.component->name + "." : std::string();
        for (std::uint64_t k = 0; k < part.placed; ++k)
            add_device_edges(child, static_cast<std::uint32_t>(base + part.offset + k * part.stride),
                child.stray_total > 0 ? stem + std::to_string(k) : stem);
    }
}

void Expander::wire_infrastructure()
{
    const LinkIndex links = index_links(infrastructure_.links);
    Strays strays;
    const auto node_at = [&](std::uint32_t target) {
        if ((target & Blueprint::stray_bit) == 0) return target;
        return builder_.node_named(strays.names()[target & ~Blueprint::stray_bit]);
    };
    for (const EdgeRule& rule : infrastructure_.edges) {
        if (over_limit_) return;
        const std::uint32_t kind =
            rule.broken ? 0 : kind_of(rule, links, !infrastructure_.broken, "the infrastructure");
        const bool skip1 = rule.broken && (rule.ep1.component.empty() || rule.ep1.container.empty());
        const bool skip2 = rule.broken && (rule.ep2.component.empty() || rule.ep2.container.empty());
        const Selection list1 = skip1 ? Selection{} : selector_.in_infrastructure(rule.ep1, instances_, strays);
        const Selection list2 = skip2 ? Selection{} : selector_.in_infrastructure(rule.ep2, instances_, strays);
        if (rule.broken || !list1.usable || !list2.usable) continue;
        if (rule.scheme == Scheme::ring && list1.type != list2.type)
            findings_.doubt(rule.line, "the ring joins " + in_quotes(list1.type) + " with " + in_quotes(list2.type),
                "both endpoints of one type", "one ring through all of them");
        if (!admit(rule, list1, list2) || findings_.failed()) continue;
        for_each_pair(rule.scheme, list1.targets, list2.targets,
            [&](std::uint32_t x, std::uint32_t y) { builder_.add_edge(node_at(x), node_at(y), kind, rule.line); });
    }
}

}  // namespace

Graph expand(const std::shared_ptr<const Document>& document, Findings& findings, const ExpansionLimits& limits)
{
    if (document->form == Document::Form::device) {
        const Device& device = document->infrastructure.devices.front();
        findings.refuse(device.line, "this is a bare device, and nothing instantiates it",
            "an infrastructure around it: {devices: [it], instances: [{name: x, device: " +
                (device.name.empty() ? "NAME" : device.name.substr(0, 40)) + ", count: 1}]}");
        findings.throw_if_failed();
    }
    std::shared_ptr<const Infrastructure> infrastructure(document, &document->infrastructure);
    return Expander(std::move(infrastructure), findings, limits).run();
}

}  // namespace weft
