// The upper layers: annotations of the document, the system file's parameters, --set.
#include <algorithm>
#include <set>

#include "base/diagnostic.h"
#include "platform/configuration/parameters/glob.h"
#include "platform/configuration/resolution/resolver.h"

namespace weft {

namespace {

constexpr std::string_view vocabulary = "weft.";

bool is_ours(const Attribute& attribute) { return attribute.name.compare(0, vocabulary.size(), vocabulary) == 0; }

std::string own_name(const Attribute& attribute) { return attribute.name.substr(vocabulary.size()); }

}  // namespace

// An edge answers to both orders of its ends, the system to no name.
std::vector<std::string> Resolver::instance_names(Block block, std::size_t index) const
{
    const BlockInfo& info = blocks()[block];
    if (on_nodes(info)) return {graph_.node(static_cast<NodeId>(index)).name};
    if (info.title.owner == BlockOwner::system) return {""};
    const Edge& edge = graph_.edge(static_cast<EdgeId>(index));
    const std::string& a = graph_.node(edge.a).name;
    const std::string& b = graph_.node(edge.b).name;
    return {a + "~" + b, b + "~" + a};
}

// Names of the blocks that nodes may have.
std::vector<std::string> Resolver::node_blocks() const
{
    std::vector<std::string> names;
    for (const Block block : blocks().all())
        if (on_nodes(blocks()[block])) names.push_back(blocks()[block].name());
    return names;
}

void Resolver::apply_annotations()
{
    for (const Attribute& attribute : graph_.graph_attributes())
        if (is_ours(attribute))
            apply_assignment({own_name(attribute), attribute.value, attribute.file, attribute.line});
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
        for (const Attribute& attribute : graph_.node_attributes(id)) {
            if (!is_ours(attribute)) continue;
            const std::string name = own_name(attribute);
            if (name == "model" || name == "profile" || name == "kind") continue;  // read when they were chosen
            const std::size_t dot = name.find('.');
            const auto block = blocks().find(name.substr(0, dot));
            if (!block || !on_nodes(blocks()[*block])) {
                problem(attribute.file, attribute.line,
                    "unknown annotation " + in_quotes(attribute.name) + " of node " + graph_.node(id).name,
                    "weft.model, weft.profile, weft.kind or weft.BLOCK.PARAMETER with " + joined_names(node_blocks()));
                continue;
            }
            VariantId& slot = system_.slot(id, *block);
            if (slot == no_variant) {
                problem(attribute.file, attribute.line,
                    "node " + graph_.node(id).name + " has no block " + in_quotes(name.substr(0, dot)),
                    blocks_of_nodes(blocks()));
                continue;
            }
            apply_annotation(attribute, *block, slot);
        }
    }
    for (EdgeId id = 0; id < graph_.edge_count(); ++id) {
        for (const Attribute& attribute : graph_.edge_attributes(id)) {
            if (!is_ours(attribute)) continue;
            if (own_name(attribute) == "link.protocol") continue;  // read when protocols were chosen
            const std::string name = own_name(attribute);
            const auto block = blocks().find(name.substr(0, name.find('.')));
            if (block && blocks()[*block].title.owner == BlockOwner::link)
                apply_annotation(attribute, *block, instances(*block)[id]);
            else
                problem(attribute.file, attribute.line,
                    "unknown annotation " + in_quotes(attribute.name) + " of an edge", "weft.link.PARAMETER");
        }
    }
}

void Resolver::apply_annotation(const Attribute& attribute, Block block, VariantId& variant)
{
    ValueProblem wrong;
    const Assignment said{old_names_.path(own_name(attribute), blocks(), attribute.file, attribute.line),
        attribute.value, attribute.file, attribute.line};
    const auto selector = parse_selector(said.path, wrong, blocks());
    if (selector && selector->scope == Selector::Scope::every && selector->block == block) {
        if (const auto value = value_of(block, selector->parameter, said, wrong)) {
            // Without the line: nodes that are told the same stay alike.
            const SourceId from = source({"annotation of " + attribute.file, attribute.file, attribute.line});
            variant = pool(block).changed(variant, selector->parameter, *value, from);
            return;
        }
    }
    if (wrong.what.empty())
        wrong = {"annotation " + in_quotes(attribute.name) + " is not a parameter", "weft.BLOCK.PARAMETER"};
    problem(attribute.file, attribute.line, wrong.what, wrong.expected);
}

std::optional<std::uint64_t> Resolver::value_of(Block block, std::size_t parameter, const Assignment& said,
    ValueProblem& wrong)
{
    const BlockInfo& info = blocks()[block];
    const std::string& kind = info.parameters[parameter]->kind;
    if (!kind.empty()) return model_value(info.path_of(parameter), kind, said, wrong);
    return checked_value(info, parameter, old_names_.value(info.path_of(parameter), said.value, said.file, said.line),
        wrong);
}

std::optional<std::uint64_t> Resolver::model_value(const std::string& path, const std::string& kind,
    const Assignment& said, ValueProblem& wrong)
{
    std::string name = said.value;
    std::vector<std::string>& used = system_.chosen_models_[kind];
    const auto known = [this](const std::string& of_kind) {
        const auto found = known_.models.find(of_kind);
        return found == known_.models.end() ? std::vector<std::string>() : found->second;
    };
    const auto has = [&name](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> names = used;
    for (const std::string& other : known(kind))
        if (std::find(names.begin(), names.end(), other) == names.end()) names.push_back(other);
    if (!has(names)) name = old_names_.value(path, name, said.file, said.line);
    if (has(names)) {
        if (!has(used)) used.push_back(name);
        return std::find(used.begin(), used.end(), name) - used.begin();
    }
    std::string all;
    for (const std::string& other : names) all += (all.empty() ? "" : ", ") + other;
    wrong.what = in_quotes(name) + " is not a value of " + path;
    wrong.expected = has(known("switch"))
        ? "--model 'GLOB=" + name + "', since it is a switch; a " + kind + " is one of " + all
        : expected_name("one of " + all, name, names);
    return std::nullopt;
}

// Whether "links.0.sw.0.switch.latency" is of a node of an instance that is called so, rather than of links by their name.
bool Resolver::is_of_instance_links(const std::string& path) const
{
    constexpr std::string_view links = "links.";
    const auto begins = [&links](const std::string& text) { return text.compare(0, links.size(), links) == 0; };
    if (!begins(path)) return false;
    bool instance = false;
    for (NodeId id = 0; id < graph_.node_count() && !instance; ++id) instance = begins(graph_.node(id).name);
    if (!instance) return false;
    const std::string name = path.substr(links.size(), path.rfind('.') - links.size());
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge)
        if (graph_.kind(edge).link == name) return false;
    return name.find('.') != std::string::npos;
}

void Resolver::apply_assignment(const Assignment& said)
{
    if (names_protocol(said.path)) return;  // read when protocols were chosen
    Assignment assignment = said;
    assignment.path = old_names_.path(said.path, blocks(), said.file, said.line);
    ValueProblem wrong;
    const auto selector = parse_selector(assignment.path, wrong, blocks(), !is_of_instance_links(assignment.path));
    if (!selector) {
        problem(assignment.file, assignment.line, wrong.what, wrong.expected);
        return;
    }
    if (!assign(*selector, assignment)) explain_no_match(*selector, assignment);
}

// False when the selector matches nothing. A value that is wrong counts as a match: it has its own line.
bool Resolver::assign(const Selector& selector, const Assignment& assignment)
{
    using Scope = Selector::Scope;
    const SourceId from = source({assignment.origin(), assignment.file, assignment.line});
    const auto set = [&](Block block, std::size_t parameter, const std::vector<VariantId*>& slots) {
        if (slots.empty()) return false;
        ValueProblem wrong;
        const auto value = value_of(block, parameter, assignment, wrong);
        if (!value) {
            problem(assignment.file, assignment.line, wrong.what, wrong.expected);
            return true;
        }
        for (VariantId* slot : slots) *slot = pool(block).changed(*slot, parameter, *value, from);
        return true;
    };

    NumberedGlob glob(selector.target);
    const auto all_met = [&] {
        const std::string missing = glob.missing();
        if (missing.empty()) return true;
        const std::string rest =
            selector.scope == Scope::paths ? "" : "." + blocks()[selector.block].path_of(selector.parameter);
        problem(assignment.file, assignment.line, in_quotes(missing + rest) + " matches no parameter of this system",
            "numbers that names have; 'weft explain' lists them");
        return true;  // it has its own line
    };
    if (selector.scope == Scope::paths) {
        bool any = false;
        for (const Block block : blocks().all()) {
            std::vector<VariantId>& all = instances(block);
            const BlockInfo& info = blocks()[block];
            std::vector<std::vector<VariantId*>> chosen(info.parameters.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (all[i] == no_variant) continue;
                const std::vector<std::string> names = instance_names(block, i);
                for (std::size_t p = 0; p < chosen.size(); ++p)
                    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                            return glob.matches((name.empty() ? "" : name + ".") + info.path_of(p));
                        }))
                        chosen[p].push_back(&all[i]);
            }
            for (std::size_t p = 0; p < chosen.size(); ++p) any = set(block, p, chosen[p]) || any;
        }
        return any && all_met();
    }

    std::vector<VariantId*> chosen;
    if (selector.scope == Scope::exact) {
        const std::size_t tilde = selector.target.find('~');
        const auto a = graph_.find(std::string_view(selector.target).substr(0, tilde));
        const BlockInfo& info = blocks()[selector.block];
        if (info.title.owner == BlockOwner::link && tilde != std::string::npos && a) {
            const auto b = graph_.find(std::string_view(selector.target).substr(tilde + 1));
            const auto edge = b ? graph_.find_edge(*a, *b) : std::nullopt;
            if (edge) chosen.push_back(&instances(selector.block)[*edge]);
        } else if (on_nodes(info) && tilde == std::string::npos && a) {
            VariantId& slot = system_.slot(*a, selector.block);
            if (slot != no_variant) chosen.push_back(&slot);
        }
        return set(selector.block, selector.parameter, chosen);
    }
    std::vector<VariantId>& all = instances(selector.block);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == no_variant) continue;
        bool match = selector.scope == Scope::every;
        if (selector.scope == Scope::link_name) match = graph_.kind(static_cast<EdgeId>(i)).link == selector.target;
        if (selector.scope == Scope::targets)
            for (const std::string& name : instance_names(selector.block, i)) match = glob.matches(name) || match;
        if (match) chosen.push_back(&all[i]);
    }
    return set(selector.block, selector.parameter, chosen) && (selector.scope != Scope::targets || all_met());
}

void Resolver::explain_no_match(const Selector& selector, const Assignment& assignment)
{
    using Scope = Selector::Scope;
    const BlockInfo& info = blocks()[selector.block];
    const std::string& block = info.name();
    std::string what = in_quotes(assignment.path) + " matches no parameter of this system";
    std::string expected = "a path of 'weft explain'";
    if (selector.scope == Scope::every)
        expected = "a block that a node or an edge has: none has " + in_quotes(block) +
            (info.models.empty() ? "" : ", that of model " + joined_names(info.models));
    if (selector.scope == Scope::link_name) {
        std::set<std::string> links;
        for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) links.insert(graph_.kind(edge).link);
        what = "no edge has link " + in_quotes(selector.target);
        expected = expected_name("the name of a link", selector.target, {links.begin(), links.end()});
    }
    if (selector.scope == Scope::exact) {
        const std::size_t tilde = selector.target.find('~');
        const std::string a = selector.target.substr(0, tilde);
        const std::string b = tilde == std::string::npos ? a : selector.target.substr(tilde + 1);
        const std::string& unknown = graph_.find(a) ? b : a;
        std::vector<std::string> names;
        for (NodeId id = 0; id < graph_.node_count(); ++id) names.push_back(graph_.node(id).name);
        if (!graph_.find(unknown)) {
            what = "no node has the name " + in_quotes(unknown);
            expected = expected_name("the name of a node", unknown, names);
        } else if (tilde != std::string::npos && info.title.owner == BlockOwner::link) {
            what = "no edge joins " + in_quotes(a) + " and " + in_quotes(b);
            expected = "two neighbours";
        } else {
            what = in_quotes(selector.target) + " has no block " + in_quotes(block);
            expected = blocks_of_nodes(blocks()) + "; link on NODE~NODE";
        }
    }
    problem(assignment.file, assignment.line, std::move(what), std::move(expected));
}

}  // namespace weft
